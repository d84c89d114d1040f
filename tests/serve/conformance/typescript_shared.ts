// Calls of six tools by the types that openapi-typescript wrote: type-checked, and run.
import createClient from "openapi-fetch";
import assert from "node:assert/strict";
import type { components, paths } from "./shared.js";

const baseUrl = process.argv[2]!;
const client = createClient<paths>({ baseUrl });
const to: components["schemas"]["Address"] = { street: "Quai", city: "Paris" };

const placed = await client.POST("/tools/place_order", {
  body: { lines: [{ item: "tea", size: "large" }], to, payment: { kind: "card", last_digits: "42" } },
});
assert.equal(placed.data?.lines[0]?.count, 1);
const read = await client.POST("/tools/read_order", { body: { id: 3 } });
const payment = read.data?.payment;
if (payment?.kind === "invoice") assert.equal(payment.to.city, "Paris");
else assert.fail("another payment");
const listed = await client.POST("/tools/list_orders", { body: { city: "Paris" } });
assert.equal(listed.data?.length, 1);
const changed = await client.POST("/tools/change_address", { body: { id: 1, to } });
assert.equal(changed.data?.to.street, "Quai");
const added = await client.POST("/tools/add_line", { body: { id: 1, line: { item: "tea" } } });
assert.equal(added.data?.lines.length, 1);
const counted = await client.POST("/tools/count_items", { body: { lines: [{ item: "tea" }] } });
assert.deepEqual(counted.data, { small: 1, large: 0 });
// @ts-expect-error  the type does not allow it, and the server refuses it
const wrong = await client.POST("/tools/read_order", { body: { id: "3" } });
assert.equal(wrong.error?.status, 422);
assert.equal(wrong.error?.kind, "invalid_input");
const { data } = await client.GET("/tools");
assert.equal(data?.tools.length, 6);
console.log("typescript, six tools: 8 calls by their types");
