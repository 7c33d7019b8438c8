// The official ElevenLabs SDK with another base URL and key: a file, a stream, an error.
//
//   node elevenlabs-sdk.ts          writes whole.mp3 and streamed.mp3
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ElevenLabsClient, ElevenLabsError } from "@elevenlabs/elevenlabs-js";

const { VAAK_URL = "http://127.0.0.1:8080", VAAK_KEY = "" } = process.env;

const client = new ElevenLabsClient({
  baseUrl: VAAK_URL, // was: https://api.elevenlabs.io
  apiKey: VAAK_KEY,
});

// voice finds one by words that describe it.
async function voice(search: string): Promise<string> {
  const { voices: [first] } = await client.voices.search({ search, pageSize: 1 });
  if (!first) throw new Error(`no voice is ${search}`);
  console.log(`${first.name} (${first.voiceId})`);
  return first.voiceId;
}

async function whole(voiceId: string): Promise<void> {
  const audio = await client.textToSpeech.convert(voiceId, {
    text: "आपका कुल बिल ₹1,249 है।",
    modelId: "eleven_flash_v2_5", // any name will do
    outputFormat: "mp3_44100_128",
  });
  await pipeline(Readable.fromWeb(audio), createWriteStream("whole.mp3"));
}

// A stream comes while the rest is being made, here with the time of every character.
async function streamed(voiceId: string): Promise<void> {
  const file = createWriteStream("streamed.mp3");
  let end = 0;
  for await (const { audioBase64, alignment } of await client.textToSpeech.streamWithTimestamps(voiceId, {
    text: "आपकी ट्रेन सुबह 7:45 बजे चलेगी। कृपया पाँच मिनट पहले पहुँचें।",
  })) {
    file.write(Buffer.from(audioBase64, "base64"));
    end = alignment?.characterEndTimesSeconds.at(-1) ?? end;
  }
  file.end();
  console.log(`the last character ends after ${end} s`);
}

// Errors are the SDK's own classes, with its own fields.
async function refused(): Promise<void> {
  try {
    await client.textToSpeech.convert("sv_nobody", { text: "Hello." });
  } catch (error) {
    if (!(error instanceof ElevenLabsError)) throw error;
    console.log(`refused: ${sentence(error)}`);
  }
}

// sentence is what the server says for a person, which the SDK leaves in the body.
function sentence({ statusCode, body, message }: ElevenLabsError): string {
  const { detail } = (body ?? {}) as { detail?: { message?: string } };
  return `${statusCode} ${detail?.message ?? message}`;
}

try {
  const hindi = await voice("hindi female");
  await whole(hindi);
  await streamed(hindi);
  await refused();
} catch (error) {
  console.error(error instanceof ElevenLabsError ? sentence(error) : error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
