// Voices of model servers, with the official clients. VAAK_POOLS_URL is a server whose settings
// have a pool of each kind of model server with a voice, and VAAK_POOLS_RECORD is the record of the
// servers; `run` starts both. The servers answer as their documentation says, with a tone for each
// word.
import assert from "node:assert/strict";
import { once } from "node:events";
import { before } from "node:test";
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";
import { initializeLogger, tts as base } from "@livekit/agents";
import { TTS } from "@livekit/agents-plugin-elevenlabs";
import OpenAI from "openai";
import WebSocket from "ws";
import { aligned, bytes, joined, pcm, secondsOf } from "./elevenlabs.mjs";
import { testsOf } from "./record.mjs";

initializeLogger({ pretty: false, level: "silent" });

const origin = process.env.VAAK_POOLS_URL;
const apiKey = process.env.VAAK_API_KEY;
const model = "speech-tts-turbo";
const text = "The quick brown fox jumps over the lazy dog.";
const written = "We run nginx on 12 servers here.";
const respelled = "We run engine x on twelve servers here.";
const openai = testsOf("openai");
const elevenlabs = testsOf("@elevenlabs/elevenlabs-js");
const livekit = testsOf("@livekit/agents-plugin-elevenlabs");
const ws = testsOf("ws");

const ofOpenAI = new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: 0 });
const ofElevenLabs = new ElevenLabsClient({ apiKey, baseUrl: origin });

let voices; // the id of a voice by kind

// The parameters of sampling that each kind takes, as a client sends them and as the server gets
// them.
const knobs = { temperature: 0.9, top_p: 0.8, top_k: 40, min_p: 0.05, repetition_penalty: 1.2, presence_penalty: 0.5, seed: 7 };
const some = (...names) => Object.fromEntries(names.map((name) => [name, knobs[name]]));
const sampling = {
  openai: knobs,
  "vllm-omni": { extra_params: some("temperature", "top_p", "top_k"), seed: 7 },
  "sglang-omni": some("temperature", "top_p", "top_k", "repetition_penalty", "seed"),
  "kokoro-fastapi": {},
  speaches: {},
  fish: some("temperature", "top_p", "repetition_penalty", "seed"),
  riva: {},
};

// formats has the eight formats: how each begins, and its name in the dialect of ElevenLabs, which
// has no names for two of them.
const formats = {
  mp3: [/^\xff[\xe2-\xff]/, "mp3_44100_128"], opus: [/^OggS/, "opus_48000_64"], aac: [/^\xff[\xf0-\xf9]/], flac: [/^fLaC/],
  wav: [/^RIFF/, "wav_24000"], pcm: [/^/, pcm], ulaw: [/^/, "ulaw_8000"], alaw: [/^/, "alaw_8000"],
};

before(async () => {
  voices = await (await fetch(`${process.env.VAAK_POOLS_RECORD}/voices`)).json();
  assert.deepEqual(Object.keys(voices).sort(), Object.keys(sampling).sort());
});

// asked returns the requests for speech with a word that a server has got.
async function asked(kind, word) {
  const all = await (await fetch(`${process.env.VAAK_POOLS_RECORD}/requests/${kind}`)).json();
  return all.filter((request) => request.text?.toLowerCase().includes(word));
}

const say = async (kind, input, more) => ofOpenAI.audio.speech.create({ model, voice: voices[kind], input, lang: "en", ...more });
const bodyOf = async (answer) => Buffer.from(await answer.arrayBuffer());

// sounds checks that audio is as long as the sentence is said, whose words last 4 s, and that a
// pool has made it.
function sounds(audio, kind, answer) {
  const seconds = secondsOf(audio);
  assert.ok(seconds > 2 && seconds < 6, `${seconds} s`);
  if (answer) assert.equal(answer.headers.get("x-engine"), `remote/${kind}`);
}

for (const kind of Object.keys(sampling)) {
  openai.describe("audio.speech.create, pools of model servers", () => {
    openai.test(`${kind}: whole, streamed and in events are as long, and x-engine names the pool`, async () => {
      const whole = await say(kind, text, { response_format: "pcm" });
      const streamed = await say(kind, text, { response_format: "pcm", stream: true });
      const events = await say(kind, text, { response_format: "pcm", stream_format: "sse" });
      const [one, other] = [await bodyOf(whole), await bodyOf(streamed)];
      sounds(one, kind, whole);
      sounds(other, kind, streamed);
      assert.equal(events.headers.get("content-type"), "text/event-stream");
      const told = (await events.text()).trim().split("\n\n").map((event) => JSON.parse(event.replace(/^data: /, "")));
      const audio = Buffer.concat(told.filter(({ type }) => type === "speech.audio.delta").map((event) => Buffer.from(event.audio, "base64")));
      assert.equal(told.at(-1).type, "speech.audio.done");
      sounds(audio, kind, events);
      assert.ok(one.length === other.length && one.length === audio.length, `${one.length}, ${other.length} and ${audio.length} bytes`);
    });

    openai.test(`${kind}: the eight formats, whole and streamed`, async () => {
      for (const [response_format, [begins]] of Object.entries(formats)) {
        for (const stream of [false, true]) {
          const answer = await say(kind, "Good morning.", { response_format, stream });
          const audio = await bodyOf(answer);
          const which = `${response_format}, stream ${stream}`;
          assert.equal(answer.headers.get("x-engine"), `remote/${kind}`, which);
          assert.match(audio.toString("latin1", 0, 4), begins, which);
          assert.ok(audio.length > 2000, `${which}: ${audio.length} bytes`);
        }
      }
    });

    openai.test(`${kind}: sampling arrives as it is sent, and what is not sent does not`, async () => {
      const names = Object.keys(knobs).concat("extra_params");
      const fields = (request) => Object.fromEntries(Object.entries(request.body ?? {}).filter(([name]) => names.includes(name)));
      await bodyOf(await say(kind, "Marigolds, please.", { response_format: "pcm", ...knobs }));
      await bodyOf(await say(kind, "Chrysanthemums, please.", { response_format: "pcm" }));
      assert.deepEqual((await asked(kind, "marigolds")).map(fields), [sampling[kind]]);
      assert.deepEqual((await asked(kind, "chrysanthemums")).map(fields), [{}]);
    });
  });

  elevenlabs.describe("textToSpeech.convert and stream, pools of model servers", () => {
    elevenlabs.test(`${kind}: formats, whole and streamed, and x-engine names the pool`, async () => {
      for (const [, outputFormat] of Object.values(formats).filter(([, name]) => name)) {
        for (const how of outputFormat === "wav_24000" ? ["convert"] : ["convert", "stream"]) { // the SDK streams no WAV
          const { data, rawResponse } = await ofElevenLabs.textToSpeech[how](voices[kind], { text, outputFormat }).withRawResponse();
          const audio = await bytes(data);
          assert.equal(rawResponse.headers.get("x-engine"), `remote/${kind}`, `${how}, ${outputFormat}`);
          if (outputFormat === pcm) sounds(audio, kind);
          assert.ok(audio.length > 10_000, `${how}, ${outputFormat}: ${audio.length} bytes`);
        }
      }
    });
  });

  elevenlabs.describe("textToSpeech.convertWithTimestamps and streamWithTimestamps, pools of model servers", () => {
    elevenlabs.test(`${kind}: each character is timed, up to the end of the audio`, async () => {
      const { audioBase64, alignment } = await ofElevenLabs.textToSpeech.convertWithTimestamps(voices[kind], { text, outputFormat: pcm });
      const audio = Buffer.from(audioBase64, "base64");
      sounds(audio, kind);
      aligned(alignment, text, secondsOf(audio));
      const lines = [];
      for await (const line of await ofElevenLabs.textToSpeech.streamWithTimestamps(voices[kind], { text, outputFormat: pcm })) lines.push(line);
      const streamed = Buffer.concat(lines.map((line) => Buffer.from(line.audioBase64, "base64")));
      sounds(streamed, kind);
      aligned(joined(lines, "alignment"), text, secondsOf(streamed));
    });

    elevenlabs.test(`${kind}: dictionaries and numbers are read before the server is asked, times are of the text that was sent`, async () => {
      const locator = await nginx();
      const { audioBase64, alignment, normalizedAlignment } = await ofElevenLabs.textToSpeech.convertWithTimestamps(voices[kind], {
        text: written, languageCode: "en", outputFormat: pcm, pronunciationDictionaryLocators: [locator],
      });
      const seconds = secondsOf(Buffer.from(audioBase64, "base64"));
      aligned(alignment, written, seconds);
      aligned(normalizedAlignment, respelled, seconds);
      const got = await asked(kind, "servers");
      assert.deepEqual(got.map((request) => request.text.trim()), [respelled]);
    });
  });

  ws.describe("/v1/audio/speech/stream-input, pools of model servers", () => {
    ws.test(`${kind}: by sentence and eager, samples, and the pool in the last message`, async () => {
      for (const mode of ["sentence", "eager"]) {
        const { frames, code } = await converse(`/v1/audio/speech/stream-input?voice=${voices[kind]}&lang=en&mode=${mode}`, text.split(/(?<= )/).map((word) => ({ text: word })));
        assert.equal(code, 1000);
        const audio = Buffer.concat(frames.filter(Buffer.isBuffer));
        const done = frames.at(-1);
        assert.equal(done.type, "done");
        assert.equal(done.engine, `remote/${kind}`);
        sounds(audio, kind);
      }
    });
  });

  ws.describe("/v1/text-to-speech/{voice_id}/stream-input, pools of model servers", () => {
    ws.test(`${kind}: audio, and every character timed`, async () => {
      const { frames, code } = await converse(`/v1/text-to-speech/${voices[kind]}/stream-input?output_format=${pcm}&language_code=en`, [{ text: " " }, { text: `${text} ` }]);
      assert.equal(code, 1000);
      sounds(Buffer.concat(frames.filter(({ audio }) => audio).map(({ audio }) => Buffer.from(audio, "base64"))), kind);
      assert.equal(frames.flatMap(({ alignment }) => alignment?.chars ?? []).join("").trim(), text);
    });
  });

  livekit.describe("stream, pools of model servers", () => {
    livekit.test(`a turn by a voice of ${kind}: audio, every word timed, final`, async () => {
      const tts = new TTS({ apiKey, voiceId: voices[kind], baseURL: `${origin}/v1`, encoding: pcm });
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
      assert.ok(samples > 48_000 && final, `${samples} samples, final ${final}`);
      assert.equal(words.map(({ text: word }) => word).join("").trim(), text);
    });
  });
}

openai.describe("audio.speech.create, pools of model servers, refusals", () => {
  openai.test("a value that a model has no use for is refused with the range of the model", async () => {
    await assert.rejects(say("fish", text, { response_format: "pcm", temperature: 1.5 }), (error) => error.status === 400 && error.param === "temperature" && /0\.1 to 1/.test(error.message));
    await bodyOf(await say("openai", text, { response_format: "pcm", temperature: 1.5 }));
  });
});

let made; // the locator of a dictionary

async function nginx() {
  made ??= await ofElevenLabs.pronunciationDictionaries.createFromRules({ name: "Pools", rules: [{ type: "alias", stringToReplace: "nginx", alias: "engine x" }] });
  return { pronunciationDictionaryId: made.id, versionId: made.versionId };
}

// converse sends messages to a socket, then the end of the text, and returns all frames until it
// closes, with its code: bytes as they are, others parsed.
async function converse(path, messages) {
  const socket = new WebSocket(new URL(path, origin.replace("http", "ws")), { headers: { "xi-api-key": apiKey } });
  const frames = [];
  socket.on("message", (data, binary) => frames.push(binary ? data : JSON.parse(data)));
  const closed = once(socket, "close");
  await once(socket, "open");
  for (const message of [...messages, { text: "" }]) socket.send(JSON.stringify(message));
  return { frames, code: (await closed)[0] };
}
