// An agent that goes from a brief to an enquiry that you agree to. A model finds
// datasets over MCP, compares them, reads the record of the best, and drafts an
// enquiry to the people who license it. Whether it is sent, the server asks you, with
// all of it on your terminal.
//
//   node enquiry-agent.ts --name "Asha Rao" --email asha@example.org [--company "Example Bank"] \
//     "We need 150 hours of two-channel Hindi call-centre speech with transcripts by June."
//
// --legacy speaks the older versions of MCP, where the server asks while the call waits.
// --unattended asks nobody here: a mail takes a link to your address, to a page that shows
// it and sends it when you say so.
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Client, type ElicitRequestParams, type ElicitResult, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import OpenAI from "openai";

// What send_enquiry answers, as far as it is used here; tools/list has the schema.
type Outcome = { status: string; enquiry_id?: string; next: string; contact?: string; form_url?: string };

const { values: options, positionals } = parseArgs({
  options: {
    name: { type: "string" },
    email: { type: "string" },
    company: { type: "string" },
    legacy: { type: "boolean", default: false },
    unattended: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const { VAAK_URL = "http://127.0.0.1:8080", MODEL = "gpt-4o-mini" } = process.env;

const maxTurns = 12; // in which the model may call tools
const patience = 900_000; // milliseconds: the server waits as long for you

const instructions = `You find speech data for a person, and write to the people who license it.
Search first, then compare the likeliest, and read the record of the best, with what is not known of it.
Then call send_enquiry, with what the person needs in their words, and what they have to ask because the record does not say it. Make nothing up.
The person is asked before it is sent, and may say no. Whatever comes of it, do not send it again.
Finish by saying in two sentences what you chose, and why.`;

const client = new Client(
  { name: "vaak-enquiry-agent", version: "1.0.0" },
  { capabilities: options.unattended ? {} : { elicitation: { form: {} } }, versionNegotiation: { mode: options.legacy ? "legacy" : "auto" } },
);
const typed = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
let outcome: Outcome | undefined;

// plain leaves out what could move the cursor or turn the text around: some of what a
// question shows was written by strangers.
function plain(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "");
}

// ask puts a question of the server to you. Of forms it knows those with boxes to tick,
// as this one is; a page or another form is as if nobody had answered.
async function ask(question: ElicitRequestParams): Promise<ElicitResult> {
  if (question.mode === "url") return { action: "cancel" };
  const ticks: Record<string, boolean> = {};
  console.log(`\n${plain(question.message)}\n`);
  for (const [name, box] of Object.entries(question.requestedSchema.properties)) {
    if (box.type !== "boolean") return { action: "cancel" };
    process.stdout.write(`${plain(box.title ?? name)}? yes, no, or Enter to leave it: `);
    const { value: answer = "" } = await typed.next();
    console.log();
    if (/^no?$/i.test(answer.trim())) return { action: "decline" };
    if (!/^y(es)?$/i.test(answer.trim())) return { action: "cancel" };
    ticks[name] = true;
  }
  return { action: "accept", content: ticks };
}

// use does what the model asks for and returns what it is told of it. Failures are
// told, too: they say what to do.
async function use(name: string, json: string): Promise<string> {
  try {
    const args = JSON.parse(json || "{}") as Record<string, unknown>;
    if (name === "send_enquiry") {
      const { name: who, email, company } = options; // is not for the model to say
      Object.assign(args, { name: who, email, company });
    }
    console.log(`→ ${name} ${JSON.stringify(args)}`);
    const result = await client.callTool({ name, arguments: args }, { timeout: patience });
    if (name === "send_enquiry" && !result.isError) outcome = result.structuredContent as Outcome;
    return result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  } catch (error) {
    return `the call failed: ${error instanceof Error ? error.message : error}`;
  }
}

// work is the loop that makes a model an agent: what it asks for is done, and it is
// told what came of it, until it answers.
async function work(talk: OpenAI.ChatCompletionMessageParam[]): Promise<string> {
  const model = new OpenAI(); // reads OPENAI_BASE_URL and OPENAI_API_KEY
  const tools = (await client.listTools()).tools.map(({ name, description, inputSchema }) => {
    return { type: "function" as const, function: { name, description, parameters: inputSchema } };
  });
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const { choices } = await model.chat.completions.create({ model: MODEL, messages: talk, tools });
    const reply = choices[0]?.message;
    if (!reply) throw new Error("the model's server answers no message");
    if (!reply.tool_calls?.length) return reply.content ?? "";
    talk.push(reply);
    for (const call of reply.tool_calls) {
      const told = call.type === "function" ? await use(call.function.name, call.function.arguments) : "there are functions only";
      talk.push({ role: "tool", tool_call_id: call.id, content: told });
    }
  }
  throw new Error(`the model did not come to an end in ${maxTurns} turns`);
}

// report says what came of the enquiry, in the server's words and not the model's.
function report(): string {
  if (!outcome) return "nothing was sent";
  const { status, enquiry_id, next, contact, form_url } = outcome;
  if (status === "sent") return `sent as ${enquiry_id}\n${next}${contact ? ` Contact: ${contact}` : ""}`;
  return `not sent: ${status.replaceAll("_", " ")}\n${form_url ? `You can write it yourself: ${form_url}` : next}`;
}

async function main(): Promise<void> {
  const brief = positionals.join(" ");
  if (!brief || !options.name || !options.email) throw new Error("say who you are, with --name and --email, and what you need");
  if (!options.unattended) client.setRequestHandler("elicitation/create", ({ params }) => ask(params));
  await client.connect(new StreamableHTTPClientTransport(new URL("/api/catalogue/mcp", VAAK_URL)));
  console.log(`MCP ${client.getNegotiatedProtocolVersion()}`);
  const { contents } = await client.readResource({ uri: "catalogue://enquiry-terms" });
  const terms = contents.map((part) => ("text" in part ? part.text : "")).join("\n");
  const answer = await work([
    { role: "system", content: `${instructions}\n\nThe terms of the server:\n\n${terms}` },
    { role: "user", content: brief },
  ]);
  console.log(`\n${plain(answer)}\n\n${plain(report())}`);
  await client.close();
  process.stdin.destroy(); // which may be open still
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
