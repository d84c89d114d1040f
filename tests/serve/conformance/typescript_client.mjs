// The official TypeScript client against a server: list, call, refuse, over HTTP and stdio.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import assert from "node:assert/strict";

const [url, python, module] = process.argv.slice(2);
const args = ["-m", "toolhaft", "serve", module, "--stdio"];
const transports = {
  http: () => new StreamableHTTPClientTransport(new URL(url)),
  stdio: () => new StdioClientTransport({ command: python, args, env: process.env }),
};

for (const [name, open] of Object.entries(transports)) {
  for (const mode of ["auto", "legacy"]) {
    const client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode } });
    await client.connect(open());
    const { tools } = await client.listTools();
    assert.equal(tools.length, 8);
    const right = await client.callTool({ name: "get_weather", arguments: { city: "Paris" } });
    assert.deepEqual(right.structuredContent, { city: "Paris", units: "C", daily: [14] });
    const wrong = await client.callTool({ name: "get_weather", arguments: { city: 5 } });
    assert.equal(wrong.isError, true);
    await assert.rejects(client.callTool({ name: "get_wether", arguments: {} }), { code: -32602 });
    await client.close();
    console.log(`typescript client, ${name}, ${mode}: ok`);
  }
}
process.exit(0);
