// The official OpenAI JavaScript SDK against POST /v1/audio/speech and its
// neighbours. VAAK_BASE_URL and VAAK_API_KEY say where the server is; `run` sets them.
import assert from "node:assert/strict";
import { before } from "node:test";
import OpenAI, { APIUserAbortError, AuthenticationError, BadRequestError, NotFoundError } from "openai";
import { dictionary, nobody, respelled, written } from "./dictionaries.mjs";
import { testsOf } from "./record.mjs";

const { describe, test } = testsOf("openai");

const origin = process.env.VAAK_BASE_URL;
const apiKey = process.env.VAAK_API_KEY;
const baseURL = `${origin}/v1`;
const client = new OpenAI({ apiKey, baseURL, maxRetries: 0, timeout: 60_000 });

const sentence = "The quick brown fox jumps over the lazy dog.";
const paragraph = `${sentence} `.repeat(100).trim(); // 4,499 characters
const model = "speech-tts-turbo";
const limit = 5000; // Unicode code points

let voices; // of GET /v1/voices
let health; // GET /health

before(async () => {
  health = await (await fetch(`${origin}/health`)).json();
  voices = (await (await fetch(`${baseURL}/voices`)).json()).voices;
});

const bytes = async (response) => Buffer.from(await response.arrayBuffer());

// riff reads a canonical 44-byte WAV header and checks that its sizes are exact.
function riff(audio) {
  assert.equal(audio.toString("latin1", 0, 4), "RIFF");
  assert.equal(audio.toString("latin1", 8, 16), "WAVEfmt ");
  assert.equal(audio.toString("latin1", 36, 40), "data");
  assert.equal(audio.readUInt32LE(4), audio.length - 8, "RIFF size");
  assert.equal(audio.readUInt32LE(40), audio.length - 44, "data size");
  return { format: audio.readUInt16LE(20), channels: audio.readUInt16LE(22), rate: audio.readUInt32LE(24), bits: audio.readUInt16LE(34) };
}

function peak(pcm) {
  let top = 0;
  for (let i = 0; i + 1 < pcm.length; i += 2) top = Math.max(top, Math.abs(pcm.readInt16LE(i)));
  return top;
}

// refusal awaits a call that the server must refuse and returns the SDK's error.
async function refusal(call, kind) {
  let got;
  await assert.rejects(call, (error) => {
    got = error;
    return true;
  });
  assert.ok(got instanceof kind, `${got.constructor.name} (${got.message}), want ${kind.name}`);
  assert.ok(got.requestID, "the error carries a request id");
  return got;
}

describe("audio.speech.create", () => {
  test("wav has an exact header and a length", async () => {
    const response = await client.audio.speech.create({ model, voice: voices[0].voice_id, input: sentence, response_format: "wav" });
    const audio = await bytes(response);
    assert.equal(response.headers.get("content-type"), "audio/wav");
    assert.equal(Number(response.headers.get("content-length")), audio.length);
    assert.deepEqual(riff(audio), { format: 1, channels: 1, rate: 24000, bits: 16 });
    const seconds = (audio.length - 44) / 48000;
    assert.ok(seconds > 1.5 && seconds < 8, `${seconds} s for a sentence of 9 words`);
    assert.ok(peak(audio.subarray(44)) > 1000, "it is not silence");
  });

  test("wav is the default format", async () => {
    riff(await bytes(await client.audio.speech.create({ model, voice: voices[0].voice_id, input: sentence })));
  });

  test("fields that the SDK does not know travel in the same body", async () => {
    const audio = await bytes(
      await client.audio.speech.create({ model, voice: voices[0].voice_id, input: "नमस्ते, आप कैसे हैं?", response_format: "wav", lang: "Hindi", sample_rate: 8000 }),
    );
    assert.equal(riff(audio).rate, 8000);
  });

  test("speed changes the length by its inverse", async () => {
    const length = async (speed) =>
      (await bytes(await client.audio.speech.create({ model, voice: voices[0].voice_id, input: paragraph.slice(0, 900), response_format: "pcm", speed }))).length;
    const [normal, fast] = await Promise.all([length(1), length(1.25)]);
    const ratio = normal / fast;
    assert.ok(Math.abs(ratio / 1.25 - 1) < 0.01, `1.25 times as fast is ${ratio} times shorter`);
  });

  test("two at once are the same to the byte", async () => {
    const one = () => client.audio.speech.create({ model, voice: voices[1].voice_id, input: sentence, response_format: "wav" }).then(bytes);
    const [a, b] = await Promise.all([one(), one()]);
    assert.ok(a.equals(b));
  });
});

describe("audio.speech.create, voice", () => {
  test("no voice means a default one", async () => {
    const response = await client.audio.speech.create({ model, input: sentence, response_format: "pcm" });
    const used = response.headers.get("x-voice-id");
    const defaults = [health.default_voice, ...Object.values(health.default_voices ?? {})];
    assert.ok(defaults.includes(used), `${used} is a default voice`);
    assert.ok((await bytes(response)).length > 0);
  });

  test("each of a few from the list speaks, each differently", async () => {
    const some = [voices[0], voices[100], voices[200], voices[319]];
    const said = await Promise.all(
      some.map(async ({ voice_id }) => {
        const response = await client.audio.speech.create({ model, voice: voice_id, input: sentence, response_format: "pcm", lang: "en" });
        assert.equal(response.headers.get("x-voice-id"), voice_id);
        return (await bytes(response)).toString("base64");
      }),
    );
    assert.equal(new Set(said).size, some.length);
  });

  test("a voice may be an object with an id", async () => {
    const response = await client.audio.speech.create({ model, voice: { id: voices[2].voice_id }, input: sentence, response_format: "pcm" });
    assert.equal(response.headers.get("x-voice-id"), voices[2].voice_id);
    await bytes(response);
  });

  test("an unknown one is not found", async () => {
    const error = await refusal(() => client.audio.speech.create({ model, voice: "nobody", input: sentence }), NotFoundError);
    assert.equal(error.code, "voice_not_found");
    assert.equal(error.param, "voice");
    assert.match(error.message, /nobody/);
  });
});

describe("audio.speech.create, pronunciation_dictionary_id", () => {
  const say = async (input, more) => bytes(await client.audio.speech.create({ model, voice: voices[0].voice_id, input, response_format: "pcm", lang: "en", ...more }));

  test("an extra field of the body: the audio of the respelled text", async () => {
    const { pronunciation_dictionary_id } = await dictionary("OpenAI");
    const [got, streamed, want, plain] = await Promise.all([
      say(written, { pronunciation_dictionary_id }),
      say(written, { pronunciation_dictionary_id, stream: true }),
      say(respelled),
      say(written),
    ]);
    assert.ok(!want.equals(plain), "the two texts sound alike, so nothing can be told");
    assert.ok(got.equals(want) && streamed.equals(want), `${got.length} and ${streamed.length} bytes, which are not the ${want.length} of the respelled text`);
  });

  test("an unknown one is not found", async () => {
    const error = await refusal(() => say(written, { pronunciation_dictionary_id: nobody }), NotFoundError);
    assert.equal(error.code, "pronunciation_dictionary_not_found");
    assert.equal(error.param, "pronunciation_dictionary_id");
  });
});

describe("audio.speech.create, streamed", () => {
  test("pcm begins long before it ends, in whole samples", async () => {
    const began = performance.now();
    const response = await client.audio.speech.create({ model, voice: voices[0].voice_id, input: paragraph, response_format: "pcm", stream: true });
    assert.match(response.headers.get("content-type"), /^audio\/pcm; ?rate=24000; ?channels=1$/);
    assert.equal(response.headers.get("content-length"), null);
    let total = 0;
    let chunks = 0;
    let first;
    for await (const chunk of response.body) {
      first ??= performance.now() - began;
      chunks += 1;
      total += chunk.length;
    }
    const all = performance.now() - began;
    assert.equal(total % 2, 0);
    assert.ok(total / 48000 > 60, `${total / 48000} s of audio for 4,499 characters`);
    assert.ok(chunks > 10, `${chunks} chunks`);
    assert.ok(first < all / 2, `first chunk after ${first.toFixed(1)} ms of ${all.toFixed(1)} ms`);
  });

  test("streamed and whole pcm are the same audio", async () => {
    const speak = (stream) => client.audio.speech.create({ model, voice: voices[0].voice_id, input: sentence, response_format: "pcm", stream }).then(bytes);
    const [whole, streamed] = await Promise.all([speak(false), speak(true)]);
    assert.ok(whole.equals(streamed));
  });

  test("server-sent deltas rebuild the audio", async () => {
    const body = { model, voice: voices[0].voice_id, input: sentence, response_format: "pcm" };
    const response = await client.audio.speech.create({ ...body, stream_format: "sse" });
    assert.match(response.headers.get("content-type"), /^text\/event-stream/);
    const events = (await response.text())
      .split("\n\n")
      .filter(Boolean)
      .map((frame) => {
        assert.ok(frame.startsWith("data: "), frame.slice(0, 40));
        return JSON.parse(frame.slice(6));
      });
    const last = events.pop();
    assert.equal(last.type, "speech.audio.done");
    for (const field of ["input_tokens", "output_tokens", "total_tokens"]) assert.ok(Number.isInteger(last.usage[field]), field);
    for (const event of events) assert.equal(event.type, "speech.audio.delta");
    const rebuilt = Buffer.concat(events.map((event) => Buffer.from(event.audio, "base64")));
    assert.ok(rebuilt.equals(await bytes(await client.audio.speech.create(body))));
  });

  test("a reader that leaves costs the others nothing", async () => {
    for (let i = 0; i < 10; i += 1) {
      const abort = new AbortController();
      const response = await client.audio.speech.create(
        { model, voice: voices[0].voice_id, input: paragraph, response_format: "pcm", stream: true },
        { signal: abort.signal },
      );
      const reader = response.body.getReader();
      assert.ok((await reader.read()).value.length > 0);
      abort.abort();
      await assert.rejects(async () => {
        while (!(await reader.read()).done);
      });
    }
    riff(await bytes(await client.audio.speech.create({ model, voice: voices[0].voice_id, input: sentence })));
  });

  test("a request aborted before it is answered", async () => {
    const abort = new AbortController();
    const call = client.audio.speech.create({ model, input: paragraph }, { signal: abort.signal });
    abort.abort();
    await assert.rejects(call, APIUserAbortError);
  });
});

describe("errors", () => {
  test("a wrong key", async () => {
    const stranger = new OpenAI({ apiKey: "sk_live_nobody", baseURL, maxRetries: 0 });
    const error = await refusal(() => stranger.audio.speech.create({ model, input: sentence }), AuthenticationError);
    assert.equal(error.code, "invalid_api_key");
    assert.equal(error.type, "authentication_error");
    assert.ok(error.message.length > 20 && !error.message.includes("sk_live_nobody"), error.message);
  });

  test("no input", async () => {
    const error = await refusal(() => client.audio.speech.create({ model, voice: voices[0].voice_id }), BadRequestError);
    assert.equal(error.param, "input");
    assert.equal(error.type, "invalid_request_error");
  });

  test("white space alone", async () => {
    assert.equal((await refusal(() => client.audio.speech.create({ model, input: " \n\t" }), BadRequestError)).param, "input");
  });

  test("too much input", async () => {
    const error = await refusal(() => client.audio.speech.create({ model, input: "é".repeat(limit + 1) }), BadRequestError);
    assert.equal(error.code, "max_character_limit_exceeded");
    assert.match(error.message, /5,?000/);
    assert.match(error.message, /5,?001/);
  });

  test("too fast", async () => {
    const error = await refusal(() => client.audio.speech.create({ model, input: sentence, speed: 1.9 }), BadRequestError);
    assert.equal(error.param, "speed");
    assert.match(error.message, /1\.9.*0\.7.*1\.5/);
  });

  test("a language nobody speaks", async () => {
    assert.equal((await refusal(() => client.audio.speech.create({ model, input: sentence, lang: "klingonese" }), BadRequestError)).param, "lang");
  });

  test("a bit rate that no format has, with the range", async () => {
    const call = () => client.audio.speech.create({ model, input: sentence, response_format: "mp3", sample_rate: 8000, bitrate_kbps: 9999 });
    const error = await refusal(call, BadRequestError);
    assert.equal(error.param, "bitrate_kbps");
    assert.match(error.message, /9999.*8 to 320.*8 to 64/);
  });

  test("a bit rate of a format that has none", async () => {
    assert.equal((await refusal(() => client.audio.speech.create({ model, input: sentence, response_format: "flac", bitrate_kbps: 64 }), BadRequestError)).param, "bitrate_kbps");
  });
});

describe("audio.speech.create, response_format", () => {
  // What a file begins with, and its media type at 8,000 and at 24,000 Hz.
  const formats = {
    mp3: [/^\xff[\xe2-\xff]/, "audio/mpeg"],
    opus: [/^OggS/, "audio/ogg"],
    aac: [/^\xff[\xf1\xf9]/, "audio/aac"],
    flac: [/^fLaC/, "audio/flac"],
    wav: [/^RIFF/, "audio/wav"],
    pcm: [/^/, "audio/pcm; rate=8000; channels=1", "audio/pcm; rate=24000; channels=1"],
    ulaw: [/^/, "audio/basic", "audio/PCMU; rate=24000"],
    alaw: [/^/, "audio/x-alaw-basic", "audio/PCMA; rate=24000"],
  };
  for (const [format, [begins, at8k, at24k = at8k]] of Object.entries(formats)) {
    for (const stream of [false, true]) {
      test(`${format}, ${stream ? "streamed" : "whole"}`, async () => {
        assert.ok(health.stream_formats.includes(format));
        for (const [sample_rate, type] of [[8000, at8k], [24000, at24k]]) {
          const response = await client.audio.speech.create({ model, voice: voices[0].voice_id, input: sentence, response_format: format, sample_rate, stream });
          assert.equal(response.headers.get("content-type"), type);
          assert.equal(response.headers.has("content-length"), !stream);
          const audio = await bytes(response);
          assert.match(audio.toString("latin1", 0, 4), begins);
          assert.ok(audio.length > 5000, `${audio.length} bytes`);
        }
      });
    }
  }

  test("a bit rate makes the size", async () => {
    const size = async (bitrate_kbps) =>
      (await bytes(await client.audio.speech.create({ model, voice: voices[0].voice_id, input: paragraph.slice(0, 450), response_format: "opus", bitrate_kbps }))).length;
    const ratio = (await size(96)) / (await size(24));
    assert.ok(ratio > 3 && ratio < 5, `96 kbit/s is ${ratio} times 24`);
  });

  test("a bit rate that the format has at other sample rates becomes the nearest, and says so", async () => {
    for (const [response_format, bitrate_kbps, want] of [["aac", 64, 72], ["mp3", 192, 160]]) {
      const { response } = await client.audio.speech.create({ model, input: sentence, response_format, bitrate_kbps }).withResponse();
      assert.match(response.headers.get("x-notice"), new RegExp(`no bit rate of ${bitrate_kbps} kbps .* ${want} kbps`));
    }
  });

  test("the same again is answered from the cache, the same", async () => {
    const ask = () => client.audio.speech.create({ model, voice: voices[0].voice_id, input: `${sentence} Once more.`, response_format: "mp3" });
    const first = await bytes(await ask());
    const again = await ask();
    assert.equal(again.headers.get("x-cache"), "hit");
    assert.ok(first.equals(await bytes(again)));
  });
});

describe("models.list", () => {
  test("has the one model", async () => {
    const ids = [];
    for await (const one of client.models.list()) ids.push(one.id);
    assert.ok(ids.includes(model), ids.join());
  });
});

describe("models.retrieve", () => {
  test("finds the one model, under any name", async () => {
    assert.equal((await client.models.retrieve(model)).id, model);
    assert.equal((await client.models.retrieve("gpt-4o-mini-tts")).id, model);
  });
});

describe("audio.speech.create, request", () => {
  test("any model is accepted", async () => {
    const speak = (name) => client.audio.speech.create({ model: name, voice: voices[0].voice_id, input: sentence }).then(bytes);
    const [ours, theirs] = await Promise.all([speak(model), speak("tts-1-hd")]);
    assert.ok(ours.equals(theirs));
  });

  test("request ids surface", async () => {
    assert.ok((await client.models.retrieve(model))._request_id);
    const { response, request_id } = await client.audio.speech.create({ model, input: "Hello." }).withResponse();
    assert.ok(request_id);
    assert.equal(response.headers.get("x-request-id"), request_id);
    await bytes(response);
  });

  test("a request id of the caller comes back", async () => {
    const mine = "conformance-0123456789";
    const response = await client.audio.speech.create({ model, input: "Hello." }, { headers: { "x-request-id": mine } });
    assert.equal(response.headers.get("x-request-id"), mine);
    await bytes(response);
  });

  test("a base address with /v1 twice works too", async () => {
    const twice = new OpenAI({ apiKey, baseURL: `${baseURL}/v1`, maxRetries: 0 });
    riff(await bytes(await twice.audio.speech.create({ model, input: "Hello." })));
  });
});
