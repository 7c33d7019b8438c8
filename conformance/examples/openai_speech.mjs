import { writeFile } from "node:fs/promises";
import OpenAI from "openai";

const client = new OpenAI({
  baseURL: `${process.env.VAAK_URL}/v1`, // was: https://api.openai.com/v1
  apiKey: process.env.VAAK_KEY,
});

const speech = await client.audio.speech.create({
  model: "gpt-4o-mini-tts", // any name will do
  voice: process.env.VAAK_VOICE, // was: "alloy"
  input: "Meera lives at 12 Park Road. वह दिल्ली में काम करती है।",
  response_format: "mp3", // the default here is wav
  lang: "en-IN", // ours: keys of the body that the SDK does not know are sent as they are
});
await writeFile("speech.mp3", Buffer.from(await speech.arrayBuffer()));
