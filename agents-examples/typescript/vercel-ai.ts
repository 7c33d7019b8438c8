// The AI SDK of Vercel with Vaak as its speech model.
//
//   node vercel-ai.ts          writes speech.mp3 or what else it is
//
// The OpenAI provider takes a base URL; the ElevenLabs provider always asks its own.
import { writeFile } from "node:fs/promises";
import { createOpenAI } from "@ai-sdk/openai";
import { generateSpeech } from "ai";

const { VAAK_URL = "http://127.0.0.1:8080", VAAK_KEY = "", VAAK_VOICE = "" } = process.env;

const vaak = createOpenAI({
  name: "vaak",
  baseURL: `${VAAK_URL}/v1`, // was: https://api.openai.com/v1
  apiKey: VAAK_KEY,
});

try {
  const { audio, warnings } = await generateSpeech({
    model: vaak.speech("gpt-4o-mini-tts"), // any name will do
    voice: VAAK_VOICE, // was: "alloy"; none is a native voice of the text's language
    text: "Your parcel left the depot this morning. It weighs 1.5 kg.",
    outputFormat: "mp3", // what the provider asks for anyway; wav, flac, opus, aac and pcm too
    speed: 1.1, // 0.7 to 1.5
  });
  for (const warning of warnings) console.warn(warning);
  await writeFile(`speech.${audio.format}`, audio.uint8Array);
  console.log(`speech.${audio.format}: ${audio.uint8Array.length} bytes of ${audio.mediaType}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
