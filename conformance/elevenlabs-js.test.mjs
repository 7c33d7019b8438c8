// The official ElevenLabs JavaScript SDK against the account routes. It refuses
// answers that lack a field. VAAK_BASE_URL and the keys say where the server is
// and who calls; `run` sets them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ElevenLabsClient, ElevenLabsError } from "@elevenlabs/elevenlabs-js";

const origin = process.env.VAAK_BASE_URL;
const clientOf = (apiKey) => new ElevenLabsClient({ apiKey, baseUrl: origin });
const client = clientOf(process.env.VAAK_API_KEY); // of an organisation without limits
const limited = clientOf(process.env.VAAK_STREAM_KEY); // of one on the plan free

const now = () => Date.now() / 1000;

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

  test("a base address with the version works too", async () => {
    const twice = new ElevenLabsClient({ apiKey: process.env.VAAK_API_KEY, baseUrl: `${origin}/v1` });
    assert.equal((await twice.user.get()).subscription.tier, "unlimited");
  });

  test("a wrong key", async () => {
    await assert.rejects(clientOf("sk_live_nobody").user.get(), (error) => {
      assert.ok(error instanceof ElevenLabsError);
      assert.equal(error.statusCode, 401);
      assert.equal(error.body.detail.status, "invalid_api_key");
      return true;
    });
  });
});
