// Neural voices that an operator has added, with the official clients. VAAK_NEURAL_URL is a
// server to which `run` has added a tiny voice of Piper's kind, a model of Piper's kind with three
// speakers, and a model of Kokoro's kind; their voices say a tone for each sound.
import assert from "node:assert/strict";
import { before } from "node:test";
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";
import { initializeLogger, tts as base } from "@livekit/agents";
import { TTS } from "@livekit/agents-plugin-elevenlabs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import OpenAI from "openai";
import { aligned, bytes, pcm, secondsOf } from "./elevenlabs.mjs";
import { testsOf } from "./record.mjs";

initializeLogger({ pretty: false, level: "silent" });

const origin = process.env.VAAK_NEURAL_URL;
const apiKey = process.env.VAAK_API_KEY;
const text = "The quick brown fox jumps over the lazy dog.";
const model = "speech-tts-turbo";
const openai = testsOf("openai");
const elevenlabs = testsOf("@elevenlabs/elevenlabs-js");
const livekit = testsOf("@livekit/agents-plugin-elevenlabs");
const mcp = testsOf("@modelcontextprotocol/sdk");

const added = {}; // a voice of each kind

before(async () => {
  const { voices } = await (await fetch(`${origin}/v2/voices?category=custom&page_size=100`, { headers: { "xi-api-key": apiKey } })).json();
  assert.equal(voices.length, 7, "voices that were added");
  added["Piper's kind"] = voices.find(({ labels }) => labels.license === "CC0").voice_id;
  added["Piper's kind with several speakers"] = voices.find(({ labels }) => labels.native_language_code === "de").voice_id;
  added["Kokoro's kind"] = voices.find(({ name }) => name.includes("Kokoro")).voice_id;
});

for (const kind of ["Piper's kind", "Piper's kind with several speakers", "Kokoro's kind"]) {
  openai.describe("audio.speech.create, neural voices", () => {
    openai.test(`a voice of ${kind}: WAV at the rate that is asked for, the same bytes again`, async () => {
      const client = new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: 0 });
      const say = async () => Buffer.from(await (await client.audio.speech.create({ model, voice: added[kind], input: text, response_format: "wav" })).arrayBuffer());
      const [one, again] = [await say(), await say()];
      assert.equal(one.toString("latin1", 0, 4), "RIFF");
      assert.equal(one.readUInt32LE(24), 24_000);
      assert.ok(one.length > 48_000 && one.equals(again), `${one.length} and ${again.length} bytes`);
    });

    openai.test(`a voice of ${kind}: MP3`, async () => {
      const client = new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: 0 });
      const answer = await client.audio.speech.create({ model, voice: added[kind], input: text, response_format: "mp3" });
      assert.match(answer.headers.get("content-type"), /^audio\/mpeg/);
      assert.equal(answer.headers.get("x-voice-id"), added[kind]);
      assert.ok((await answer.arrayBuffer()).byteLength > 10_000);
    });
  });

  elevenlabs.describe("textToSpeech.convertWithTimestamps, neural voices", () => {
    elevenlabs.test(`a voice of ${kind}: each character is timed, up to the end of the audio`, async () => {
      const client = new ElevenLabsClient({ apiKey, baseUrl: origin });
      const { audioBase64, alignment } = await client.textToSpeech.convertWithTimestamps(added[kind], { text, outputFormat: pcm });
      const audio = Buffer.from(audioBase64, "base64");
      assert.ok(secondsOf(audio) > 1 && secondsOf(audio) < 12, `${secondsOf(audio)} s`);
      aligned(alignment, text, secondsOf(audio));
    });
  });

  elevenlabs.describe("textToSpeech.stream, neural voices", () => {
    elevenlabs.test(`a voice of ${kind}: as long as the whole answer`, async () => {
      const client = new ElevenLabsClient({ apiKey, baseUrl: origin });
      const [streamed, whole] = [
        await bytes(await client.textToSpeech.stream(added[kind], { text, outputFormat: pcm })),
        await bytes(await client.textToSpeech.convert(added[kind], { text, outputFormat: pcm })),
      ];
      assert.equal(streamed.length, whole.length);
    });
  });

  livekit.describe("stream, neural voices", () => {
    livekit.test(`a turn by a voice of ${kind}: audio, every word timed, final`, async () => {
      const tts = new TTS({ apiKey, voiceId: added[kind], baseURL: `${origin}/v1`, encoding: pcm });
      const stream = tts.stream();
      for (const token of text.split(/(?<= )/)) stream.pushText(token);
      stream.endInput();
      let samples = 0;
      let final = false;
      const words = [];
      for await (const audio of stream) {
        if (audio === base.SynthesizeStream.END_OF_STREAM) continue;
        samples += audio.frame.samplesPerChannel;
        words.push(...(audio.timedTranscripts ?? []));
        final = audio.final;
      }
      await tts.close();
      assert.ok(samples > 24_000 && final, `${samples} samples, final ${final}`);
      assert.equal(words.map(({ text: word }) => word).join("").trim(), text);
    });
  });
}

mcp.describe("callTool, neural voices", () => {
  mcp.test("an added voice is found, and speaks", async () => {
    const client = new Client({ name: "vaak-conformance", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL("/v1/mcp", origin), { requestInit: { headers: { Authorization: `Bearer ${apiKey}` } } }));
    const found = await client.callTool({ name: "search_voices", arguments: { query: "tiny" } });
    assert.equal(found.structuredContent.voices[0].voice_id, added["Piper's kind"]);
    const spoken = await client.callTool({ name: "synthesize_speech", arguments: { text, voice_id: added["Piper's kind"] } });
    assert.ok(!spoken.isError, JSON.stringify(spoken.content));
    assert.equal(spoken.structuredContent.voice_id, added["Piper's kind"]);
    await client.close();
  });
});
