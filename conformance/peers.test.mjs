// Frameworks with the voices, models and formats that they have when nobody chooses any:
// just the address and the key are ours. VAAK_BASE_URL and VAAK_API_KEY say where the
// server is; `run` sets them.
import assert from "node:assert/strict";
import { createElevenLabs } from "@ai-sdk/elevenlabs";
import { createOpenAI } from "@ai-sdk/openai";
import { initializeLogger } from "@livekit/agents";
import { TTS as ElevenLabsTTS } from "@livekit/agents-plugin-elevenlabs";
import { TTS as OpenAITTS } from "@livekit/agents-plugin-openai";
import { generateSpeech } from "ai";
import { testsOf } from "./record.mjs";

initializeLogger({ pretty: false, level: "silent" });

const text = "The quick brown fox jumps over the lazy dog.";
const address = `${process.env.VAAK_BASE_URL}/v1`;
const mine = process.env.VAAK_API_KEY;
const nobody = "sk_live_nobody";

const between = (value, least, most) => assert.ok(value > least && value < most, `${value}, want ${least} to ${most}`);

// secondsOf is the length of what a voice of LiveKit says.
async function secondsOf(frames) {
  let seconds = 0;
  for await (const { frame } of frames) seconds += frame.samplesPerChannel / frame.sampleRate;
  return seconds;
}

{
  const { describe, test } = testsOf("@livekit/agents-plugin-openai");
  describe("TTS", () => {
    test("model and voice by default", async () => {
      const tts = new OpenAITTS({ apiKey: mine, baseURL: address });
      between(await secondsOf(tts.synthesize(text)), 1, 6);
    });
  });
}

{
  const { describe, test } = testsOf("@livekit/agents-plugin-elevenlabs");
  describe("TTS", () => {
    test("model, voice and format by default", async () => {
      const tts = new ElevenLabsTTS({ apiKey: mine, baseURL: address });
      const stream = tts.stream();
      stream.pushText(text);
      stream.endInput();
      let seconds = 0;
      for await (const audio of stream) if (audio.frame) seconds += audio.frame.samplesPerChannel / audio.frame.sampleRate;
      between(seconds, 1, 6);
      await tts.close();
    });
  });
}

// Both SDKs name a type for what they were sent; it must be what it is.
function checkAudio({ audio }, kind) {
  assert.equal(audio.mediaType, kind);
  between(audio.uint8Array.length, 5_000, 500_000);
}

{
  const { describe, test } = testsOf("@ai-sdk/openai");
  describe("speech", () => {
    test("generateSpeech: voice and format by default", async () => {
      checkAudio(await generateSpeech({ model: createOpenAI({ apiKey: mine, baseURL: address }).speech("tts-1"), text }), "audio/mpeg");
    });

    test("generateSpeech: a wrong key throws", async () => {
      const model = createOpenAI({ apiKey: nobody, baseURL: address }).speech("tts-1");
      await assert.rejects(generateSpeech({ model, text, maxRetries: 0 }), /not valid/);
    });
  });
}

// The package knows one address; another is for its own fetch to go to.
function elevenLabs(apiKey) {
  const here = (url, init) => fetch(process.env.VAAK_BASE_URL + url.slice("https://api.elevenlabs.io".length), init);
  return createElevenLabs({ apiKey, fetch: here }).speech("eleven_multilingual_v2");
}

{
  const { describe, test } = testsOf("@ai-sdk/elevenlabs");
  describe("speech", () => {
    test("generateSpeech: voice and format by default", async () => {
      checkAudio(await generateSpeech({ model: elevenLabs(mine), text }), "audio/mpeg");
    });

    test("generateSpeech: a wrong key throws", async () => {
      await assert.rejects(generateSpeech({ model: elevenLabs(nobody), text, maxRetries: 0 }), /Unauthorized/);
    });
  });
}
