// LiveKit's ElevenLabs plugin, which holds one multi-stream-input socket and opens
// a context on it for each turn. VAAK_BASE_URL and VAAK_API_KEY say where the
// server is; `run` sets them.
import assert from "node:assert/strict";
import net from "node:net";
import { after, before } from "node:test";
import { initializeLogger, tts as base } from "@livekit/agents";
import { TTS } from "@livekit/agents-plugin-elevenlabs";
import { dictionary, respelled, written } from "./dictionaries.mjs";
import { testsOf } from "./record.mjs";

const { describe, test } = testsOf("@livekit/agents-plugin-elevenlabs");
initializeLogger({ pretty: false, level: "silent" });

const upstream = new URL(process.env.VAAK_BASE_URL);
const sentences = ["The quick brown fox jumps over the lazy dog. ", "It does so twice, and then it rests."];
const rate = 24_000;

let voiceId;
let gate; // a proxy that counts connections
let connections = 0;

before(async () => {
  voiceId = (await (await fetch(new URL("/v1/voices", upstream))).json()).voices[0].voice_id;
  gate = net.createServer((near) => {
    connections += 1;
    const far = net.connect(upstream.port, upstream.hostname);
    for (const [from, to] of [[near, far], [far, near]]) {
      from.pipe(to);
      from.on("error", () => to.destroy());
    }
  });
  await new Promise((listening) => gate.listen(0, "127.0.0.1", listening));
});

after(() => gate.close());

function ttsOf(more) {
  connections = 0;
  return new TTS({ apiKey: process.env.VAAK_API_KEY, voiceId, baseURL: `http://127.0.0.1:${gate.address().port}/v1`, encoding: `pcm_${rate}`, ...more });
}

// speak runs one turn and returns what came of it.
async function speak(tts, parts = sentences) {
  const stream = tts.stream();
  for (const part of parts) for (const token of part.split(/(?<= )/)) stream.pushText(token);
  stream.endInput();
  const turn = { samples: 0, words: [], final: false };
  for await (const audio of stream) {
    if (audio === base.SynthesizeStream.END_OF_STREAM) continue;
    turn.samples += audio.frame.samplesPerChannel;
    for (const word of audio.timedTranscripts ?? []) turn.words.push(word);
    turn.final = audio.final;
  }
  return turn;
}

// failures collects what a TTS reports beside its streams.
function failures(tts) {
  const all = [];
  tts.on("error", ({ error }) => all.push(error));
  return all;
}

function spoken(turn, words = sentences.join("")) {
  const seconds = turn.samples / rate;
  assert.ok(seconds > 2 && seconds < 12, `${seconds} s of audio`);
  assert.ok(turn.final, "the last frame is marked final");
  const said = turn.words.map(({ text }) => text).join("");
  assert.equal(said.replace(/\s+/g, " ").trim(), words.trim());
}

describe("stream", () => {
  test("a turn: audio, every word timed, final", async () => {
    const tts = ttsOf();
    const failed = failures(tts);
    spoken(await speak(tts));
    assert.deepEqual(failed, []);
    await tts.close();
  });

  test("two turns on one socket", async () => {
    const tts = ttsOf();
    spoken(await speak(tts));
    spoken(await speak(tts));
    assert.equal(connections, 1, "connections");
    await tts.close();
  });

  test("two turns at once on one socket", async () => {
    const tts = ttsOf();
    for (const turn of await Promise.all([speak(tts), speak(tts)])) spoken(turn);
    await tts.close();
  });

  test("without autoMode, by a chunkLengthSchedule", async () => {
    const tts = ttsOf({ chunkLengthSchedule: [50, 80], voiceSettings: { stability: 0.5, similarity_boost: 0.75, speed: 1 } });
    spoken(await speak(tts));
    await tts.close();
  });

  test("12 interruptions, and the next turn is spoken on the same socket", async () => {
    const tts = ttsOf();
    const failed = failures(tts);
    for (let i = 0; i < 12; i += 1) {
      const stream = tts.stream();
      stream.pushText(sentences.join(" ").repeat(5));
      stream.endInput();
      assert.ok((await stream.next()).value.frame.samplesPerChannel > 0);
      stream.close();
    }
    spoken(await speak(tts));
    assert.equal(connections, 1, "connections");
    assert.deepEqual(failed, []);
    await tts.close();
  });
});

describe("stream, pronunciationDictionaryLocators", () => {
  for (const [preferredAlignment, words, what] of [
    ["normalized", respelled, "that were read"],
    ["original", written, "that were sent"],
  ]) {
    test(`preferredAlignment ${preferredAlignment}: the words ${what} are timed`, async () => {
      const tts = ttsOf({ preferredAlignment, pronunciationDictionaryLocators: [await dictionary("LiveKit")] });
      const failed = failures(tts);
      spoken(await speak(tts, [`${written} `, ...sentences]), `${words} ${sentences.join("")}`);
      assert.deepEqual(failed, []);
      await tts.close();
    });
  }
});

describe("synthesize", () => {
  test("a text over HTTP", async () => {
    const tts = ttsOf();
    let samples = 0;
    for await (const { frame } of tts.synthesize(sentences.join(""))) samples += frame.samplesPerChannel;
    assert.ok(samples / rate > 2, `${samples / rate} s of audio`);
    await tts.close();
  });
});

describe("listVoices", () => {
  test("has the roster", async () => {
    const tts = ttsOf();
    const voices = await tts.listVoices();
    assert.equal(voices.length, 320);
    for (const one of voices) assert.ok(one.id && one.name && one.category);
  });
});

describe("errors", () => {
  // The error that a turn ends with.
  async function failure(more) {
    const tts = ttsOf(more);
    const failed = failures(tts);
    const stream = tts.stream({ connOptions: { maxRetry: 0, retryIntervalMs: 0, timeoutMs: 10_000 } });
    stream.pushText(sentences[0]);
    stream.endInput();
    for await (const _ of stream);
    await tts.close();
    return failed.at(-1);
  }

  test("a wrong key ends the turn", async () => {
    assert.ok((await failure({ apiKey: "sk_live_nobody" })) instanceof Error);
  });

  test("an unknown voice ends the turn", async () => {
    assert.ok((await failure({ voiceId: "sv_nobody" })) instanceof Error);
  });
});
