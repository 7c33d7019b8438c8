// A bridge for hosts that start a program: it carries messages of the Model Context Protocol between
// standard input and output and a Vaak server over HTTP. It needs nothing but Node.js.
//
//   VAAK_ENDPOINT   address of the endpoint, such as https://speech.example.org/v1/mcp
//   VAAK_API_KEY    key, where the endpoint needs one
//
// A line is a message, as the protocol says of standard input and output. Each is sent by itself, so
// a person may be asked, and answer, while a call runs.
import { createInterface } from "node:readline";

const endpoint = new URL(process.env.VAAK_ENDPOINT ?? "");
const key = process.env.VAAK_API_KEY ?? "";
// A key is not sent over a network in the open.
if (key && endpoint.protocol !== "https:" && !["127.0.0.1", "[::1]", "localhost"].includes(endpoint.hostname)) {
  console.error(`${endpoint.origin} is neither https nor this machine, and a key is sent nowhere else`);
  process.exit(1);
}

let session; // of versions to 2025-11-25, as the server named it
let version; // that initialize has agreed on
const running = new Set();

const write = (message) => process.stdout.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);

// headers are what the server wants to know of a message before it reads it.
function headers(message) {
  const meta = message.params?._meta?.["io.modelcontextprotocol/protocolVersion"];
  const all = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  if (key) all.authorization = `Bearer ${key}`;
  if (meta) {
    all["mcp-protocol-version"] = meta;
    all["mcp-method"] = message.method;
    const name = message.params.name ?? message.params.uri;
    if (name) all["mcp-name"] = name;
    return all;
  }
  if (version) all["mcp-protocol-version"] = version;
  if (session) all["mcp-session-id"] = session;
  return all;
}

// hear writes the messages of an answer, one a line.
async function hear(response, message) {
  const seen = (text) => {
    const answer = JSON.parse(text);
    if (message.method === "initialize" && answer.id === message.id) version = answer.result?.protocolVersion;
    write(answer);
  };
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return seen(await response.text());
  let waiting = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (waiting + piece).split(/\r?\n\r?\n/);
    waiting = events.pop();
    for (const event of events) {
      const data = event.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart()).join("\n");
      if (data) seen(data);
    }
  }
}

// refusal is what a person can do about an answer that is no message.
async function refusal(response) {
  const text = await response.text();
  try {
    const body = JSON.parse(text);
    return body.error?.message ?? body.message ?? text;
  } catch {
    return `the server answers ${response.status}`;
  }
}

// carry sends a message and writes what is answered. A request is always answered.
async function carry(message) {
  let why;
  try {
    const response = await fetch(endpoint, { method: "POST", headers: headers(message), body: JSON.stringify(message), redirect: "error" });
    session = (message.method === "initialize" && response.headers.get("mcp-session-id")) || session;
    if (response.status === 202) return;
    if (response.ok || (response.status < 500 && response.headers.get("content-type")?.includes("json") && response.status !== 401 && response.status !== 403)) return await hear(response, message);
    why = await refusal(response);
  } catch (error) {
    why = `${endpoint.host} cannot be reached: ${error.cause?.code ?? error.message}`;
  }
  console.error(why);
  if (message.method && message.id !== undefined) write({ jsonrpc: "2.0", id: message.id, error: { code: -32000, message: why } });
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (!line.trim()) continue;
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    write({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "the line is no JSON" } });
    continue;
  }
  const one = carry(message).finally(() => running.delete(one));
  running.add(one);
  // Nothing may overtake the message that sets up the connection.
  if (message.method === "initialize") await one;
}
await Promise.all(running);
if (session) await fetch(endpoint, { method: "DELETE", headers: headers({}) }).catch(() => {}); // the server forgets it by itself, too
process.stdout.write("", () => process.exit(0)); // connections that are kept would hold it for seconds
