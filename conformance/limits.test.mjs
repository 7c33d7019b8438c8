// What the official OpenAI JavaScript SDK makes of the three refusals, as a
// program meets them. The keys are those of one organisation on the plan free:
// 10,000 characters a month for all of them; 10 requests a minute and 2 streams
// for each.
import assert from "node:assert/strict";
import OpenAI, { APIError, RateLimitError } from "openai";
import { testsOf } from "./record.mjs";

const { describe, test } = testsOf("openai");

const origin = process.env.VAAK_BASE_URL;
const model = "speech-tts-turbo";

// clientOf returns a client that counts the requests it really makes.
function clientOf(apiKey, maxRetries) {
  const made = { requests: 0 };
  const client = new OpenAI({
    apiKey,
    baseURL: `${origin}/v1`,
    maxRetries,
    timeout: 60_000,
    fetch: (url, init) => {
      made.requests += 1;
      return fetch(url, init);
    },
  });
  return { client, made };
}

async function refused(call) {
  let got;
  await assert.rejects(call, (error) => {
    got = error;
    return true;
  });
  return got;
}

const retryAfter = (error) => Number(error.headers.get("retry-after"));

describe("limits", () => {
  test("streams: the third is refused while two run", async () => {
    const { client } = clientOf(process.env.VAAK_STREAM_KEY, 0);
    const open = async () => {
      const abort = new AbortController();
      const response = await client.audio.speech.create(
        { model, input: "word ".repeat(400), response_format: "pcm", sample_rate: 48000, stream: true },
        { signal: abort.signal },
      );
      const reader = response.body.getReader();
      await reader.read();
      return { abort, left: Number(response.headers.get("x-ratelimit-remaining-concurrent")) };
    };
    const running = [await open(), await open()];
    assert.deepEqual(running.map(({ left }) => left), [1, 0]);
    const error = await refused(client.audio.speech.create({ model, input: "One more." }));
    for (const { abort } of running) abort.abort();
    assert.ok(error instanceof RateLimitError, error.constructor.name);
    assert.equal(error.status, 429);
    assert.equal(error.code, "too_many_concurrent_requests");
    assert.equal(retryAfter(error), 1);
    assert.equal(error.headers.get("x-ratelimit-limit-concurrent"), "2");
    assert.equal(error.headers.get("x-ratelimit-remaining-concurrent"), "0");
  });

  test("requests: the eleventh of a minute is refused", async () => {
    const { client } = clientOf(process.env.VAAK_RATE_KEY, 0);
    for (let left = 9; left >= 0; left -= 1) {
      const { headers } = await client.get("/usage").asResponse();
      assert.equal(headers.get("x-ratelimit-limit-requests"), "10");
      assert.equal(headers.get("x-ratelimit-remaining-requests"), String(left));
    }
    const error = await refused(client.get("/usage"));
    assert.ok(error instanceof RateLimitError, error.constructor.name);
    assert.equal(error.code, "rate_limit_exceeded");
    assert.ok(Number.isInteger(retryAfter(error)) && retryAfter(error) >= 1 && retryAfter(error) <= 60, error.headers.get("retry-after"));
    assert.match(error.headers.get("x-ratelimit-reset-requests"), /^(\d+m)?\d+s$/);
  });

  test("characters: what is spent is not asked for again", async () => {
    const { client, made } = clientOf(process.env.VAAK_QUOTA_KEY, 2);
    let error;
    for (let i = 0; i < 3 && !error; i += 1) {
      made.requests = 0;
      try {
        await (await client.audio.speech.create({ model, input: "word ".repeat(1000), response_format: "ulaw" })).arrayBuffer();
      } catch (e) {
        error = e;
      }
    }
    assert.ok(error instanceof APIError && !(error instanceof RateLimitError), error?.constructor.name);
    assert.equal(error.status, 402);
    assert.equal(error.code, "insufficient_quota");
    assert.equal(made.requests, 1, "requests that the client made of it");
    const usage = await client.get("/usage");
    assert.equal(usage.balance.characters_remaining + usage.month.characters_used, usage.balance.total_granted);
    assert.ok(usage.balance.characters_remaining < 5000);
  });
});
