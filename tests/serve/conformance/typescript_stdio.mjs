// The official TypeScript client over stdio with each example: node typescript_stdio.mjs PYTHON FILE...
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import assert from "node:assert/strict";

const [python, ...files] = process.argv.slice(2);
for (const file of files) {
  for (const mode of ["auto", "legacy"]) {
    const args = ["-m", "toolhaft", "serve", file, "--stdio", "--log-level", "error"];
    const client = new Client({ name: "t", version: "0" }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport({ command: python, args, env: process.env }));
    const { tools } = await client.listTools();
    assert.ok(tools.length > 0);
    for (const { name } of tools) {
      const result = await client.callTool({ name, arguments: { no_such_argument: 1 } });
      assert.equal(result.isError, true, name);
      assert.match(result.content[0].text, /^Please rewrite the input/, name);
    }
    await client.close();
    console.log(`typescript client, stdio, ${mode}: ${file}: ${tools.length} tools`);
  }
}
process.exit(0);
