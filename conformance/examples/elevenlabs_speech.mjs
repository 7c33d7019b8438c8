import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";

const client = new ElevenLabsClient({
  baseUrl: process.env.VAAK_URL, // was: https://api.elevenlabs.io
  apiKey: process.env.VAAK_KEY,
});

const { voices } = await client.voices.search({ search: "hindi female", pageSize: 1 });
const audio = await client.textToSpeech.stream(voices[0].voiceId, {
  text: "आपका कुल बिल ₹1,249 है।",
  modelId: "eleven_flash_v2_5", // any name will do
  outputFormat: "mp3_44100_128",
});
await pipeline(Readable.fromWeb(audio), createWriteStream("speech.mp3"));
