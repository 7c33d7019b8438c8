// The program inside of the bundles for Claude Desktop (packaging/mcpb), between an official client
// over standard input and output and the endpoints, in the older and the newer versions of the
// protocol. VAAK_BASE_URL and VAAK_API_KEY say where the server is.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { testsOf } from "./record.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const program = here("../packaging/mcpb/bridge.mjs");
const { describe, test } = testsOf("@modelcontextprotocol/client");

// bridged connects a client by the bridge. It asks the person, who answers each question with yes.
async function bridged(path, era, key = process.env.VAAK_API_KEY) {
  const asked = [];
  const client = new Client({ name: "vaak-conformance", version: "1.0.0" }, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: era } });
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { send: true } };
  });
  const env = { ...process.env, VAAK_ENDPOINT: `${process.env.VAAK_BASE_URL}${path}`, VAAK_API_KEY: path === "/v1/mcp" ? key : "" };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: "ignore" }));
  return { client, asked };
}

describe("packaging/mcpb", () => {
  for (const [era, version] of [["auto", "2026-07-28"], ["legacy", "2025-11-25"]]) {
    test(`speaks, and asks a person during a call, ${version}`, async () => {
      const { client: speech } = await bridged("/v1/mcp", era);
      assert.equal(speech.getNegotiatedProtocolVersion(), version);
      const spoken = await speech.callTool({ name: "synthesize_speech", arguments: { text: "By the bridge." } });
      assert.ok(!spoken.isError, spoken.content[0].text);
      await speech.close();
      const { client: catalogue, asked } = await bridged("/api/catalogue/mcp", era);
      const sent = await catalogue.callTool({
        name: "send_enquiry", arguments: { name: "Asha Rao", email: `bridge-${era}-${process.pid}@example.org`, intent: "question", message: "Is there more of this?" },
      });
      assert.match(sent.content[0].text, /^Sent/i);
      assert.equal(asked.length, 1);
      await catalogue.close();
    });
  }

  test("a wrong key is told, and no key goes over a network in the open", async () => {
    await assert.rejects(bridged("/v1/mcp", "legacy", "sk_live_nobody"), /the API key is not valid/);
    const child = spawn(process.execPath, [program], { env: { ...process.env, VAAK_ENDPOINT: "http://speech.example.org/v1/mcp", VAAK_API_KEY: "sk_live_x" } });
    const said = (await child.stderr.toArray()).join("");
    assert.match(said, /neither https nor this machine/);
  });

  test("the manifests name the tools that the endpoints have", async () => {
    for (const [service, path] of [["catalogue", "/api/catalogue/mcp"], ["speech", "/v1/mcp"]]) {
      const manifest = JSON.parse(execFileSync(process.execPath, [here("../packaging/mcpb/manifest.mjs"), service, "1.0.0"]));
      const { client } = await bridged(path, "auto");
      const { tools } = await client.listTools();
      assert.deepEqual(manifest.tools.map(({ name }) => name), tools.map(({ name }) => name));
      await client.close();
    }
  });
});
