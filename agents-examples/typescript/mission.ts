// The whole way of a person who needs speech data, in one program. A model finds datasets over
// MCP, lets you hear one, asks you what it has to know, and drafts an enquiry. You read it and say
// yes or no. The answer is written in your language, and spoken.
//
//   node mission.ts --name "Asha Rao" --email asha@example.org [--language hi] [--player "ffplay -nodisp -autoexit"] \
//     "बैंक की फ़ोन बातचीत का हिन्दी डेटा चाहिए, दो चैनल, लिखित पाठ के साथ।"
//
// --legacy speaks the older versions of MCP, where the server asks while the call waits.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { type CallToolResult, Client, type ElicitRequestParams, type ElicitResult, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import OpenAI from "openai";

// What the tools answer, as far as it is used here; tools/list has the schemas.
type Outcome = { status: string; enquiry_id?: string; next: string; form_url?: string };
type Dataset = { title: string; sample?: { url: string; durationS: number; channels: number } | null };
type Speech = { audio_url?: string; duration_seconds: number; language: string };

const { values: options, positionals } = parseArgs({
  options: {
    name: { type: "string" },
    email: { type: "string" },
    language: { type: "string" }, // of the spoken answer; found out by the server without it
    player: { type: "string" }, // a program that plays the file whose name it gets
    out: { type: "string", default: "answer.mp3" },
    legacy: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const { VAAK_URL = "http://127.0.0.1:8080", VAAK_KEY = "", MODEL = "gpt-4o-mini" } = process.env;

const maxTurns = 16; // in which the model may call tools
const maxSample = 20_000_000; // bytes
const patience = 900_000; // milliseconds: the server waits as long for you

const instructions = `You find speech data for a person, and write to the people who license it.
Search first, compare the likeliest, and read the record of the best, with what is not known of it.
Let the person hear its sample with hear_sample. Ask them with ask_person what you need and they have not said, one question at a time.
Then call send_enquiry, with what the person needs in their words. Make nothing up. The person is asked before it is sent, and may say no; do not send it again.
Finish in two sentences, in the language of the person: what you chose, and what came of the enquiry. They will be spoken, so write no addresses and no lists.`;

const implementation = { name: "vaak-mission", version: "1.0.0" };
const negotiation = { versionNegotiation: { mode: options.legacy ? ("legacy" as const) : ("auto" as const) } };
const catalogue = new Client(implementation, { capabilities: { elicitation: { form: {} } }, ...negotiation });
const speech = new Client(implementation, negotiation);
const typed = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
let outcome: Outcome | undefined;

// plain leaves out what could move the cursor or turn the text around: strangers wrote some of it.
function plain(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "");
}

async function line(prompt: string): Promise<string> {
  process.stdout.write(prompt);
  const { value = "" } = await typed.next();
  console.log();
  return value.trim();
}

// consent puts the question of the server to you. Only boxes to tick are known here; anything else
// is as if nobody had answered.
async function consent(question: ElicitRequestParams): Promise<ElicitResult> {
  if (question.mode === "url") return { action: "cancel" };
  const ticks: Record<string, boolean> = {};
  console.log(`\n${plain(question.message)}\n`);
  for (const [name, box] of Object.entries(question.requestedSchema.properties)) {
    if (box.type !== "boolean") return { action: "cancel" };
    const answer = await line(`${plain(box.title ?? name)}? yes, no, or Enter to leave it: `);
    if (/^no?$/i.test(answer)) return { action: "decline" };
    if (!/^y(es)?$/i.test(answer)) return { action: "cancel" };
    ticks[name] = true;
  }
  return { action: "accept", content: ticks };
}

const textOf = (result: CallToolResult): string => result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");

async function play(file: string): Promise<void> {
  if (!options.player) return;
  const [program = "", ...args] = options.player.split(" ");
  await once(spawn(program, [...args, file], { stdio: "ignore" }), "close");
}

// hear fetches the sample of a dataset and plays it. The address comes from the record and has to
// be of our server: the model has read what strangers wrote, and must not say what is fetched.
async function hear({ slug }: { slug: string }): Promise<string> {
  const found = await catalogue.callTool({ name: "get_dataset", arguments: { slug } });
  if (found.isError) return textOf(found);
  const { title, sample } = found.structuredContent as unknown as Dataset;
  if (!sample) return "this dataset has no sample";
  const url = new URL(sample.url, VAAK_URL);
  if (url.origin !== new URL(VAAK_URL).origin) return "the sample is elsewhere, and was not fetched";
  const response = await fetch(url, { redirect: "error" });
  const length = Number(response.headers.get("content-length"));
  if (!response.ok || length > maxSample) return `the sample could not be fetched: ${response.status}, ${length} bytes`;
  const file = `sample${/\.\w+$/.exec(url.pathname)?.[0] ?? ""}`;
  await writeFile(file, Buffer.from(await response.arrayBuffer()));
  console.log(`${file}: the sample of ${plain(title)}, ${sample.durationS} s`);
  await play(file);
  return `the person has the sample: ${sample.durationS} s, ${sample.channels} channels`;
}

// own are the tools that are no business of a server.
const own: Record<string, { description: string; property: string; run: (args: never) => Promise<string> }> = {
  hear_sample: { description: "Let the person hear the sample of a dataset.", property: "slug", run: hear },
  ask_person: { description: "Ask the person a question, and get their answer.", property: "question", run: ({ question }: { question: string }) => line(`\n${plain(question)} `) },
};

// use does what the model asks for and returns what it is told of it. Failures are told, too.
async function use(client: Client | undefined, name: string, json: string): Promise<string> {
  try {
    const args = JSON.parse(json || "{}") as Record<string, unknown>;
    if (name === "send_enquiry") Object.assign(args, { name: options.name, email: options.email }); // is not for the model to say
    console.log(`→ ${name} ${JSON.stringify(args)}`);
    if (own[name]) return await own[name].run(args as never);
    if (!client) return `there is no tool ${name}`;
    const result = await client.callTool({ name, arguments: args }, { timeout: patience });
    if (name === "send_enquiry" && !result.isError) outcome = result.structuredContent as Outcome;
    return textOf(result);
  } catch (error) {
    return `the call failed: ${error instanceof Error ? error.message : error}`;
  }
}

// work is the loop that makes a model an agent, until it answers.
async function work(talk: OpenAI.ChatCompletionMessageParam[]): Promise<string> {
  const model = new OpenAI(); // reads OPENAI_BASE_URL and OPENAI_API_KEY
  const clients = new Map<string, Client>(); // by tool
  const tools: OpenAI.ChatCompletionFunctionTool[] = Object.entries(own).map(([name, { description, property }]) => {
    const parameters = { type: "object", properties: { [property]: { type: "string" } }, required: [property], additionalProperties: false };
    return { type: "function", function: { name, description, parameters } };
  });
  for (const client of [catalogue, speech]) {
    for (const { name, description, inputSchema } of (await client.listTools()).tools) {
      clients.set(name, client);
      tools.push({ type: "function", function: { name, description, parameters: inputSchema } });
    }
  }
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const { choices } = await model.chat.completions.create({ model: MODEL, messages: talk, tools });
    const reply = choices[0]?.message;
    if (!reply) throw new Error("the model's server answers no message");
    if (!reply.tool_calls?.length) return reply.content ?? "";
    talk.push(reply);
    for (const call of reply.tool_calls) {
      const told = call.type === "function" ? await use(clients.get(call.function.name), call.function.name, call.function.arguments) : "there are functions only";
      talk.push({ role: "tool", tool_call_id: call.id, content: told });
    }
  }
  throw new Error(`the model did not come to an end in ${maxTurns} turns`);
}

// say has the answer spoken in the language that it is in, and plays it.
async function say(text: string): Promise<void> {
  const spoken = await speech.callTool({ name: "synthesize_speech", arguments: { text, format: "mp3", ...(options.language && { language: options.language }) } });
  if (spoken.isError) throw new Error(textOf(spoken));
  const { audio_url, duration_seconds, language } = spoken.structuredContent as Speech;
  const inside = spoken.content.find((part) => part.type === "audio");
  const linked = audio_url ? await fetch(audio_url) : undefined;
  if (linked && !linked.ok) throw new Error(`the audio cannot be fetched: ${linked.status}`);
  await writeFile(options.out, linked ? Buffer.from(await linked.arrayBuffer()) : Buffer.from(inside?.data ?? "", "base64"));
  console.log(`${options.out}: ${duration_seconds} s in ${language}`);
  await play(options.out);
}

// report says what came of the enquiry, in the server's words and not the model's.
function report(): string {
  if (!outcome) return "nothing was sent";
  if (outcome.status === "sent") return `sent as ${outcome.enquiry_id}\n${outcome.next}`;
  return `not sent: ${outcome.status.replaceAll("_", " ")}\n${outcome.form_url ? `You can write it yourself: ${outcome.form_url}` : outcome.next}`;
}

async function main(): Promise<void> {
  const brief = positionals.join(" ");
  if (!brief || !options.name || !options.email) throw new Error("say who you are, with --name and --email, and what you need");
  catalogue.setRequestHandler("elicitation/create", ({ params }) => consent(params));
  await catalogue.connect(new StreamableHTTPClientTransport(new URL("/api/catalogue/mcp", VAAK_URL)));
  await speech.connect(new StreamableHTTPClientTransport(new URL("/v1/mcp", VAAK_URL), { requestInit: { headers: { Authorization: `Bearer ${VAAK_KEY}` } } }));
  console.log(`MCP ${catalogue.getNegotiatedProtocolVersion()}`);
  const { contents } = await catalogue.readResource({ uri: "catalogue://enquiry-terms" });
  const terms = contents.map((part) => ("text" in part ? part.text : "")).join("\n");
  const answer = plain(await work([
    { role: "system", content: `${instructions}\n\nThe terms of the server:\n\n${terms}` },
    { role: "user", content: brief },
  ]));
  console.log(`\n${answer}\n\n${plain(report())}`);
  await say(answer);
  await Promise.all([catalogue.close(), speech.close()]);
  process.stdin.destroy(); // which may be open still
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
