// Speaks the answer of a chat model while the model is still writing it.
//
//   node speak-chat.ts --out reply.wav "Why is the sky blue?"
//   node speak-chat.ts --player "aplay -q -t raw -f S16_LE -r 24000 -c 1" "Why is the sky blue?"
//
// Ctrl-C interrupts both, and tells how much of the answer was heard.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import OpenAI from "openai";
import WebSocket from "ws";

const { VAAK_URL = "http://127.0.0.1:8080", VAAK_KEY = "", VAAK_VOICE = "", MODEL = "gpt-4o-mini" } = process.env;
const rate = 24_000; // Hz: the native socket sends 16-bit mono PCM, always
const longest = 4500; // characters of an answer: 5,000 may wait to be spoken

// What the socket says last, as text. All that comes before it is audio.
type Done = { type: "done"; characters: number; audio_ms: number };
type Cancelled = { type: "cancelled"; text_spoken: string; text_remaining: string; audio_ms: number };
type Failed = { type: "error"; code: string; message: string };

// start runs a program that plays the samples it reads from its standard input.
// Detached, it leaves Ctrl-C to us.
async function start(command: string) {
  const [program = "", ...args] = command.split(" ");
  const player = spawn(program, args, { stdio: ["pipe", "ignore", "inherit"], detached: true });
  await once(player, "spawn");
  return { input: player.stdin, closed: once(player, "close"), stop: () => player.kill() };
}

function wav(samples: Buffer): Buffer {
  const numbers = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
  const form = numbers(16, 0x1_0001, rate, 2 * rate, 0x10_0002); // one channel of PCM, 2 bytes and 16 bits a sample
  const header = [Buffer.from("RIFF"), numbers(36 + samples.length), Buffer.from("WAVEfmt "), form, Buffer.from("data")];
  return Buffer.concat([...header, numbers(samples.length), samples]);
}

// connect opens Vaak's native socket; a refusal is an ordinary answer in JSON.
function connect(): Promise<WebSocket> {
  const address = new URL("/v1/audio/speech/stream-input?mode=eager&inactivity_timeout=180", VAAK_URL.replace("http", "ws"));
  if (VAAK_VOICE) address.searchParams.set("voice", VAAK_VOICE);
  const socket = new WebSocket(address, { headers: { Authorization: `Bearer ${VAAK_KEY}` } });
  return new Promise((resolve, reject) => {
    socket.once("open", () => resolve(socket));
    socket.on("error", ({ message }) => reject(new Error(`${address.host} does not answer: ${message}`)));
    socket.once("unexpected-response", async (_, response) => {
      const { error } = JSON.parse((await response.toArray()).join("")) as { error: { message: string } };
      reject(new Error(error.message));
    });
  });
}

async function main(): Promise<void> {
  const { values: options, positionals } = parseArgs({
    options: { player: { type: "string" }, out: { type: "string", default: "reply.wav" } },
    allowPositionals: true,
  });
  const model = new OpenAI(); // reads OPENAI_BASE_URL and OPENAI_API_KEY
  const socket = await connect();
  const player = options.player ? await start(options.player) : undefined;
  const send = (message: object) => new Promise<void>((resolve, reject) => {
    socket.send(JSON.stringify(message), (error) => (error ? reject(error) : resolve()));
  });
  const interrupted = new AbortController();
  const started = performance.now();
  const now = () => Math.round(performance.now() - started);
  const at = { firstToken: 0, lastToken: 0, firstAudio: 0 }; // ms after the question
  const audio: Buffer[] = [];
  let received = 0; // ms of audio
  let heard = 0; // of them, when it was interrupted

  // listen hands audio on as fast as the player takes it: the server makes little more
  // than is read, so a player that falls behind slows it down.
  const listen = () => new Promise<Done | Cancelled>((resolve, reject) => {
    const left = () => interrupted.signal.aborted || reject(new Error("the player has stopped"));
    player?.input.on("error", left).on("close", left);
    socket.on("error", reject).on("close", (code) => reject(new Error(`the connection was lost (${code})`)));
    socket.on("message", (data: Buffer, binary: boolean) => {
      if (!binary) {
        const last = JSON.parse(data.toString()) as Done | Cancelled | Failed;
        return last.type === "error" ? reject(new Error(last.message)) : resolve(last);
      }
      if (interrupted.signal.aborted) return; // it was on its way
      at.firstAudio ||= now();
      received += (data.length / 2 / rate) * 1000;
      audio.push(data);
      if (!player || player.input.write(data)) return;
      socket.pause();
      player.input.once("drain", () => socket.resume());
    });
  });

  // relay sends the tokens of the model on as they come.
  const relay = async () => {
    const stream = await model.chat.completions.create({
      model: MODEL,
      stream: true,
      messages: [
        { role: "system", content: "Your answer is read aloud. Say it in a few plain sentences, without lists or markup." },
        { role: "user", content: positionals.join(" ") || "Why is the sky blue?" },
      ],
    }, { signal: interrupted.signal });
    let characters = 0;
    for await (const { choices: [choice] } of stream) {
      const text = choice?.delta.content;
      if (!text) continue; // models send empty ones too, and here an empty text is the end
      at.firstToken ||= now();
      at.lastToken = now();
      process.stdout.write(text);
      await send({ text });
      if ((characters += text.length) > longest) break;
    }
    if (!interrupted.signal.aborted) await send({ text: "" });
  };

  process.once("SIGINT", () => {
    interrupted.abort();
    heard = Math.round(player ? Math.min(received, now() - at.firstAudio) : received);
    player?.stop();
    socket.resume();
    socket.send(JSON.stringify({ cancel: true, played_ms: heard }));
  });

  const relayed = relay().catch((error: unknown) => interrupted.signal.aborted || Promise.reject(error));
  const [last] = await Promise.all([listen(), relayed]);
  player?.input.end();
  await (player ? player.closed : writeFile(options.out, wav(Buffer.concat(audio))));
  console.error(`\nfirst token after ${at.firstToken} ms, first audio after ${at.firstAudio} ms, last token after ${at.lastToken} ms`);
  if (last.type === "cancelled") console.error(`heard: ${last.text_spoken}\nnot heard: ${last.text_remaining}`);
  else console.error(`${last.characters} characters, ${last.audio_ms} ms of audio`);
  if (!interrupted.signal.aborted) return;
  if (last.type === "done") console.error(`heard ${heard} ms of it`); // all had been sent when Ctrl-C came
  process.exitCode = 130;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
