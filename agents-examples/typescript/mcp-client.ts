// An MCP client that finds a voice and has a sentence spoken.
//
//   node mcp-client.ts [--voice "tamil female"] [--out spoken.mp3] ["What to say."]
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type CallToolResult, Client, SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

// What the tools answer, as far as it is used here; tools/list has the schemas.
type Voices = { voices: { voice_id: string; name: string; language: string }[] };
type Speech = { audio_url?: string; mime_type: string; duration_seconds: number; characters: number };

const { values: options, positionals } = parseArgs({
  options: { voice: { type: "string", default: "english female" }, out: { type: "string", default: "spoken.mp3" } },
  allowPositionals: true,
});

const { VAAK_URL = "http://127.0.0.1:8080", VAAK_KEY = "" } = process.env;
const client = new Client({ name: "vaak-example", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });

// call runs a tool. A tool that fails says why, and what to do, in its text.
async function call(name: string, args: Record<string, unknown>): Promise<CallToolResult> {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(result.content.map((part) => (part.type === "text" ? part.text : "")).join(""));
  return result;
}

// audioOf gives the audio of a result: behind its link, which needs no key, or in it.
async function audioOf({ structuredContent, content }: CallToolResult): Promise<Uint8Array> {
  const { audio_url } = structuredContent as Speech;
  if (audio_url) {
    const response = await fetch(audio_url);
    if (!response.ok) throw new Error(`the audio cannot be fetched: ${response.status} ${await response.text()}`);
    return Buffer.from(await response.arrayBuffer());
  }
  const audio = content.find((part) => part.type === "audio");
  if (!audio) throw new Error("the answer has neither a link nor audio");
  return Buffer.from(audio.data, "base64");
}

async function main(): Promise<void> {
  const headers = { Authorization: `Bearer ${VAAK_KEY}` };
  await client.connect(new StreamableHTTPClientTransport(new URL("/v1/mcp", VAAK_URL), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  console.log(`MCP ${client.getNegotiatedProtocolVersion()}: ${tools.map((tool) => tool.name).join(", ")}`);

  const found = await call("search_voices", { query: options.voice, limit: 1 });
  const [voice] = (found.structuredContent as Voices).voices;
  if (!voice) throw new Error(`no voice is ${options.voice}`);
  console.log(`${voice.name} (${voice.voice_id}) speaks ${voice.language}`);

  const spoken = await call("synthesize_speech", {
    text: positionals.join(" ") || "Three of the datasets have more than 40 hours of conversation.",
    voice_id: voice.voice_id,
    format: "mp3",
  });
  const audio = await audioOf(spoken);
  await writeFile(options.out, audio);
  const { duration_seconds, characters, mime_type } = spoken.structuredContent as Speech;
  console.log(`${options.out}: ${duration_seconds} s of ${mime_type}, ${characters} characters`);
  await client.close();
}

// sentence is what the server says for a person, which the SDK leaves in the body.
function sentence(error: unknown): unknown {
  if (!(error instanceof SdkHttpError) || typeof error.data.text !== "string") return error instanceof Error ? error.message : error;
  return (JSON.parse(error.data.text) as { error: { message: string } }).error.message;
}

main().catch((error: unknown) => {
  console.error(sentence(error));
  process.exit(1);
});
