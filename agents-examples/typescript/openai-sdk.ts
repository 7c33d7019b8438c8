// The official OpenAI SDK with another base URL and key: a file, a stream, an error.
//
//   node openai-sdk.ts          writes whole.mp3 and streamed.mp3
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import OpenAI, { APIError } from "openai";

const { VAAK_URL = "http://127.0.0.1:8080", VAAK_KEY = "", VAAK_VOICE = "" } = process.env;

const client = new OpenAI({
  baseURL: `${VAAK_URL}/v1`, // was: https://api.openai.com/v1
  apiKey: VAAK_KEY,
});

const speech = {
  model: "gpt-4o-mini-tts", // any name will do
  voice: VAAK_VOICE, // was: "alloy"; none is a native voice of the language
  response_format: "mp3", // the default here is wav
} as const;

// What the SDK does not know is sent as it is. Spread, the compiler lets it pass.
const ours = { lang: "en-IN" };

async function whole(): Promise<void> {
  const response = await client.audio.speech.create({ ...speech, ...ours, input: "Meera lives at 12 Park Road." });
  const audio = Buffer.from(await response.arrayBuffer());
  await writeFile("whole.mp3", audio);
  console.log(`whole.mp3: ${audio.length} bytes`);
}

// With stream, audio comes while the rest is being made.
async function streamed(): Promise<void> {
  const started = performance.now();
  const response = await client.audio.speech.create({
    ...speech,
    ...{ stream: true },
    input: "The train leaves at 7:45 and costs $12.50. Please be on the platform five minutes early.",
  });
  if (!response.body) throw new Error("the answer has no body");
  const audio = Readable.fromWeb(response.body);
  audio.once("data", () => console.log(`first audio after ${Math.round(performance.now() - started)} ms`));
  await pipeline(audio, createWriteStream("streamed.mp3"));
}

// Errors are the SDK's own classes, with its own fields.
async function refused(): Promise<void> {
  try {
    await client.audio.speech.create({ ...speech, input: "Hello.", speed: 3 });
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    console.log(`refused with ${error.code} of ${error.param}: ${error.message}`);
  }
}

try {
  await whole();
  await streamed();
  await refused();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
