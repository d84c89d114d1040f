// Call a server many times through an official TypeScript client, in some sessions at a time:
// node typescript_calls.mjs OLDER_OR_NEWER URL CALLS. Fails if any call does.
const SESSIONS = 10;
const [sdk, url, calls] = process.argv.slice(2);
const modes = sdk === "newer" ? ["auto", "legacy"] : ["older SDK"];

async function open(mode) {
  if (sdk === "newer") {
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const client = new Client({ name: "t", version: "0" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return client;
  }
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const path = "@modelcontextprotocol/sdk/client/streamableHttp.js";
  const { StreamableHTTPClientTransport } = await import(path);
  const client = new Client({ name: "t", version: "0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

for (const mode of modes) {
  const processes = new Set();
  let failed = 0;
  async function talk(first) {
    const client = await open(mode);
    for (let number = first; number < Number(calls); number += SESSIONS) {
      try {
        const result = await client.callTool({ name: "whose", arguments: { number } });
        const content = result.structuredContent;
        const [echoed, pid] = Array.isArray(content) ? content : content.value;
        failed += result.isError || echoed !== number ? 1 : 0;
        processes.add(pid);
      } catch (error) {
        failed += 1;
        console.error(String(error));
      }
    }
    await client.close();
  }
  await Promise.all([...Array(SESSIONS).keys()].map(talk));
  console.log(`typescript, ${mode}: ${calls} calls, ${failed} failed, ${processes.size} processes`);
  if (failed) process.exitCode = 1;
}
process.exit();
