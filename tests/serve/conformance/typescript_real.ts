// Every real tool is called by the types that openapi-typescript wrote, which are type-checked.
import createClient from "openapi-fetch";
import assert from "node:assert/strict";
import type { paths } from "./real.js";

const client = createClient<paths>({ baseUrl: process.argv[2]! });
const { data } = await client.GET("/tools");
const names = data!.tools.map((tool) => tool.name);
assert.equal(names.length, 50);
const statuses: Record<string, number> = {};
for (const name of names) {
  const path = `/tools/${encodeURIComponent(name)}` as keyof paths & `/tools/${string}`;
  const { response } = await client.POST(path as never, { body: {} } as never);
  statuses[response.status] = (statuses[response.status] ?? 0) + 1;
  assert.ok(response.status === 200 || response.status === 422, `${name}: ${response.status}`);
}
console.log(`typescript, ${names.length} real tools: ${JSON.stringify(statuses)}`);
