// The official ElevenLabs JavaScript SDK: synthesis, voices, models and the account.
// It refuses answers that lack a field.
import assert from "node:assert/strict";
import { before } from "node:test";
import { ElevenLabs, ElevenLabsClient } from "@elevenlabs/elevenlabs-js";
import WebSocket from "ws";
import { aligned, aVoice, bytes, clientOf, joined, origin, pcm, refusal, secondsOf } from "./elevenlabs.mjs";
import { testsOf } from "./record.mjs";

const { describe, test } = testsOf("@elevenlabs/elevenlabs-js");

const client = clientOf(process.env.VAAK_API_KEY); // of an organisation without limits
const limited = clientOf(process.env.VAAK_STREAM_KEY); // of one on the plan free
const speech = client.textToSpeech;

const text = "The quick brown fox jumps over the lazy dog. It does so twice.";
const now = () => Date.now() / 1000;

let voice; // an id

before(async () => {
  voice = await aVoice();
});

// counting returns a client and the number of requests that it really made.
function counting(apiKey) {
  const made = { requests: 0 };
  const count = (url, init) => {
    made.requests += 1;
    return fetch(url, init);
  };
  return { made, client: clientOf(apiKey, { fetch: count }) };
}

describe("textToSpeech.convert", () => {
  test("mp3 at 44,100 Hz is the default", async () => {
    const { data, rawResponse } = await speech.convert(voice, { text }).withRawResponse();
    const audio = await bytes(data);
    assert.match(rawResponse.headers.get("content-type"), /^audio\/mpeg/);
    assert.match(audio.toString("latin1", 0, 2), /^\xff[\xe2-\xff]/);
    assert.ok(audio.length > 20_000, `${audio.length} bytes`);
  });

  test("every field of the request is accepted", async () => {
    const audio = await bytes(
      await speech.convert(voice, {
        text,
        modelId: "eleven_multilingual_v2",
        languageCode: "en",
        voiceSettings: { stability: 0.4, similarityBoost: 0.8, style: 0.1, useSpeakerBoost: true, speed: 1.1 },
        seed: 7,
        previousText: "Before it.",
        nextText: "After it.",
        applyTextNormalization: "auto",
        optimizeStreamingLatency: 2,
        enableLogging: false,
        outputFormat: pcm,
      }),
    );
    assert.ok(secondsOf(audio) > 1, `${secondsOf(audio)} s`);
  });

  test("speed changes the length by its inverse", async () => {
    const seconds = async (speed) => secondsOf(await bytes(await speech.convert(voice, { text, voiceSettings: { speed }, outputFormat: pcm })));
    const ratio = (await seconds(1)) / (await seconds(1.25));
    assert.ok(Math.abs(ratio / 1.25 - 1) < 0.02, `1.25 times as fast is ${ratio} times shorter`);
  });
});

describe("textToSpeech.convert, outputFormat", () => {
  const begins = { mp3: /^\xff[\xe2-\xff]/, opus: /^OggS/, wav: /^RIFF/, pcm: /^/, ulaw: /^/, alaw: /^/ };
  const formats = Object.values(ElevenLabs.TextToSpeechConvertRequestOutputFormat);
  for (const outputFormat of formats) {
    test(outputFormat, async () => {
      const audio = await bytes(await speech.convert(voice, { text: "Good morning.", outputFormat }));
      const [codec, rate] = outputFormat.split("_");
      assert.match(audio.toString("latin1", 0, 4), begins[codec]);
      const seconds = { pcm: audio.length / 2 / rate, wav: (audio.length - 44) / 2 / rate, ulaw: audio.length / rate, alaw: audio.length / rate }[codec];
      if (seconds) assert.ok(seconds > 0.4 && seconds < 3, `${seconds} s`);
      assert.ok(audio.length > 1000, `${audio.length} bytes`);
    });
  }
});

describe("textToSpeech.stream", () => {
  test("is the same audio as convert", async () => {
    const [whole, streamed] = await Promise.all([
      speech.convert(voice, { text, outputFormat: pcm }).then(bytes),
      speech.stream(voice, { text, outputFormat: pcm }).then(bytes),
    ]);
    assert.ok(whole.equals(streamed), `${whole.length} and ${streamed.length} bytes`);
  });

  test("comes in parts", async () => {
    let parts = 0;
    for await (const part of await speech.stream(voice, { text: `${text} `.repeat(50), outputFormat: pcm })) parts += part.length > 0;
    assert.ok(parts > 5, `${parts} parts`);
  });

  test("a reader that leaves costs the others nothing", async () => {
    for (let i = 0; i < 5; i += 1) {
      const reader = (await speech.stream(voice, { text: `${text} `.repeat(70), outputFormat: "pcm_48000" })).getReader();
      assert.ok((await reader.read()).value.length > 0);
      await reader.cancel();
    }
    assert.ok((await bytes(await speech.convert(voice, { text: "Still here." }))).length > 0);
  });
});

describe("textToSpeech.convertWithTimestamps", () => {
  test("times every character once, to the end of the audio", async () => {
    const answer = await speech.convertWithTimestamps(voice, { text, outputFormat: pcm });
    const audio = Buffer.from(answer.audioBase64, "base64");
    aligned(answer.alignment, text, secondsOf(audio));
    assert.ok(answer.normalizedAlignment.characters.length > 0);
  });
});

describe("textToSpeech.streamWithTimestamps", () => {
  test("is the same audio, every character timed once", async () => {
    const lines = [];
    for await (const line of await speech.streamWithTimestamps(voice, { text, outputFormat: pcm })) lines.push(line);
    const audio = Buffer.concat(lines.map((line) => Buffer.from(line.audioBase64, "base64")));
    const whole = await bytes(await speech.convert(voice, { text, outputFormat: pcm }));
    assert.ok(whole.equals(audio), `${whole.length} and ${audio.length} bytes`);
    aligned(joined(lines, "alignment"), text, secondsOf(audio));
  });
});

describe("errors", () => {
  test("a wrong key", async () => {
    const error = await refusal(clientOf("sk_live_nobody").user.get());
    assert.equal(error.statusCode, 401);
    assert.equal(error.body.detail.status, "invalid_api_key");
  });

  test("an unknown voice", async () => {
    const error = await refusal(speech.convert("sv_nobody", { text }));
    assert.equal(error.statusCode, 404);
    assert.equal(error.body.detail.status, "voice_not_found");
    assert.ok(error.requestId, "a request id");
  });

  test("no text is an UnprocessableEntityError", async () => {
    const error = await refusal(speech.convert(voice, { text: "" }), ElevenLabs.UnprocessableEntityError);
    assert.equal(error.statusCode, 422);
    assert.deepEqual(error.body.detail[0].loc, ["body", "text"]);
  });

  test("speed 1.9 is an UnprocessableEntityError", async () => {
    await refusal(speech.convert(voice, { text, voiceSettings: { speed: 1.9 } }), ElevenLabs.UnprocessableEntityError);
  });

  test("too much text", async () => {
    const error = await refusal(speech.convert(voice, { text: "a".repeat(5001) }));
    assert.equal(error.statusCode, 400);
    assert.equal(error.body.detail.status, "max_character_limit_exceeded");
  });

  test("spent characters are not asked for again", async () => {
    const { client: poor, made } = counting(process.env.VAAK_SPENT_KEY);
    const error = await refusal(poor.textToSpeech.convert(voice, { text }));
    assert.equal(error.statusCode, 402);
    assert.equal(error.body.detail.status, "insufficient_quota");
    assert.equal(made.requests, 1, "requests that the client made of it");
  });
});

describe("voices", () => {
  test("getAll has the roster", async () => {
    const { voices } = await client.voices.getAll();
    assert.equal(voices.length, 320);
    for (const one of voices) assert.match(one.voiceId, /^sv_/);
  });

  test("search pages through it, each voice once", async () => {
    const seen = new Set();
    let nextPageToken;
    do {
      const page = await client.voices.search({ pageSize: 100, nextPageToken });
      assert.equal(page.totalCount, 320);
      for (const one of page.voices) seen.add(one.voiceId);
      assert.equal(page.hasMore, Boolean(page.nextPageToken));
      nextPageToken = page.nextPageToken;
    } while (nextPageToken);
    assert.equal(seen.size, 320);
  });

  test("search finds by every word", async () => {
    const { voices } = await client.voices.search({ search: "hindi female" });
    assert.ok(voices.length > 0);
    for (const one of voices) assert.match(JSON.stringify(one).toLowerCase(), /(?=.*hindi)(?=.*female)/);
  });

  test("get", async () => {
    const one = await client.voices.get(voice);
    assert.equal(one.voiceId, voice);
    assert.equal(one.category, "premade");
    assert.ok(one.name && one.previewUrl && one.labels);
  });

  test("settings.get and settings.getDefault", async () => {
    for (const settings of [await client.voices.settings.get(voice), await client.voices.settings.getDefault()]) {
      assert.equal(settings.speed, 1);
      assert.equal(settings.stability, 0.5);
    }
  });
});

describe("models.list", () => {
  test("has the one model and its 80 languages", async () => {
    const [model] = await client.models.list();
    assert.equal(model.modelId, "speech-tts-turbo");
    assert.equal(model.canDoTextToSpeech, true);
    assert.equal(model.languages.length, 80);
  });
});

function whole(standing) {
  for (const field of ["characterCount", "characterLimit", "nextCharacterCountResetUnix"]) assert.ok(Number.isInteger(standing[field]), field);
  assert.ok(standing.nextCharacterCountResetUnix > now(), "the reset is in the future");
  assert.ok(standing.characterCount >= 0 && standing.characterCount <= standing.characterLimit);
  assert.equal(standing.currency, "usd");
  assert.equal(standing.billingPeriod, "monthly_period");
  assert.equal(standing.characterRefreshPeriod, "monthly_period");
}

describe("user", () => {
  test("subscription.get on a plan without limits", async () => {
    const subscription = await client.user.subscription.get();
    whole(subscription);
    assert.equal(subscription.tier, "unlimited");
    assert.equal(subscription.status, "active");
    assert.equal(subscription.characterLimit, 1e12);
    assert.deepEqual(subscription.openInvoices, []);
  });

  test("subscription.get on a plan with limits", async () => {
    const subscription = await limited.user.subscription.get();
    whole(subscription);
    assert.equal(subscription.tier, "free");
    assert.equal(subscription.status, "free");
    assert.equal(subscription.characterLimit, 10_000);
  });

  test("get", async () => {
    const user = await client.user.get();
    whole(user.subscription);
    assert.match(user.userId, /^org_/);
    assert.equal(user.workspaceId, user.userId);
    assert.ok(user.createdAt > 1.7e9 && user.createdAt <= now() + 1, `${user.createdAt}`);
  });
});

// opens opens the native socket with a single-use token and returns how the handshake was
// answered.
function opens(token) {
  const socket = new WebSocket(`${origin.replace("http", "ws")}/v1/audio/speech/stream-input?single_use_token=${token}`);
  return new Promise((done) => {
    socket.on("open", () => {
      socket.close();
      done(101);
    });
    socket.on("unexpected-response", (request, answer) => {
      request.destroy();
      done(answer.statusCode);
    });
    socket.on("error", () => done(0)); // of a socket that was not refused
  });
}

describe("tokens", () => {
  test("singleUse.create: the token opens one socket", async () => {
    const { token } = await client.tokens.singleUse.create("tts_websocket");
    assert.match(token, /^sutkn_/);
    assert.equal(await opens(token), 101);
    assert.equal(await opens(token), 401);
  });

  test("singleUse.create: another type is an UnprocessableEntityError", async () => {
    const error = await refusal(client.tokens.singleUse.create("realtime_scribe"), ElevenLabs.UnprocessableEntityError);
    assert.deepEqual(error.body.detail[0].loc, ["path", "token_type"]);
  });
});

describe("baseUrl", () => {
  test("one with the version works too", async () => {
    const twice = new ElevenLabsClient({ apiKey: process.env.VAAK_API_KEY, baseUrl: `${origin}/v1` });
    assert.equal((await twice.user.get()).subscription.tier, "unlimited");
    assert.equal((await twice.voices.search({ pageSize: 3 })).voices.length, 3);
    assert.ok((await bytes(await twice.textToSpeech.convert(voice, { text }))).length > 0);
  });
});
