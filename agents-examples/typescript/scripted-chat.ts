// Plays the model's part where there is none: an OpenAI-compatible chat server that
// answers everything with the same text, token by token, at a steady pace.
//
//   node scripted-chat.ts [--port 8090] [--pace 60] [--text "What it says."]
//
// It prints its base URL, and serves until it is stopped.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    pace: { type: "string", default: "60" }, // milliseconds between two tokens
    text: {
      type: "string",
      default:
        "The sky is blue because air scatters short waves of light more than long ones. " +
        "Blue comes at you from everywhere, and red goes straight on. " +
        "At 6 p.m. the light has a longer way to go, and red is what is left of it.",
    },
  },
});

// Models cut words where they like: here after every four letters.
const tokens = options.text.match(/\s?\S{1,4}/g) ?? [];

// chunk is one event of a streamed completion.
function chunk(delta: { role?: string; content?: string }, finish: string | null = null): string {
  const choice = { index: 0, delta, finish_reason: finish };
  return `data: ${JSON.stringify({ id: "scripted", object: "chat.completion.chunk", created: 0, model: "scripted", choices: [choice] })}\n\n`;
}

const server = createServer(async (request, response) => {
  request.resume();
  if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "the script knows POST /v1/chat/completions only" } }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunk({ role: "assistant", content: "" })); // models begin with nothing
  for (const token of tokens) {
    await sleep(Number(options.pace));
    if (response.destroyed) return; // interrupted
    response.write(chunk({ content: token }));
  }
  response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
});

server.listen(Number(options.port), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
});
