// What the tests of the official ElevenLabs JavaScript SDK share. VAAK_BASE_URL and
// the keys say where the server is and who calls; `run` sets them.
import assert from "node:assert/strict";
import { ElevenLabsClient, ElevenLabsError } from "@elevenlabs/elevenlabs-js";

export const origin = process.env.VAAK_BASE_URL;
export const clientOf = (apiKey, more) => new ElevenLabsClient({ apiKey, baseUrl: origin, ...more });

export const pcm = "pcm_24000";
export const secondsOf = (audio) => audio.length / 48_000;

// aVoice returns the id of a voice.
export async function aVoice() {
  return (await (await fetch(`${origin}/v1/voices`)).json()).voices[0].voice_id;
}

export async function bytes(stream) {
  const parts = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

// refusal awaits a call that the server must refuse and returns the SDK's error.
export async function refusal(call, kind = ElevenLabsError) {
  let got;
  await assert.rejects(call, (error) => {
    got = error;
    return true;
  });
  assert.ok(got instanceof kind, `${got.constructor.name} (${got.message}), want ${kind.name}`);
  return got;
}

// aligned checks an alignment of the HTTP routes against its text and its audio.
export function aligned({ characters, characterStartTimesSeconds: starts, characterEndTimesSeconds: ends }, want, seconds) {
  assert.equal(characters.join("").trim(), want);
  assert.equal(starts.length, characters.length);
  assert.equal(ends.length, characters.length);
  for (let i = 0; i < starts.length; i += 1) {
    assert.ok(ends[i] >= starts[i] && (i === 0 || starts[i] >= starts[i - 1]), `character ${i}: ${starts[i]} to ${ends[i]}`);
  }
  assert.ok(Math.abs(ends.at(-1) - seconds) < 0.01, `the last character ends at ${ends.at(-1)} s of ${seconds} s`);
}

// joined puts the alignments of a stream's lines together.
export function joined(lines, field) {
  const all = { characters: [], characterStartTimesSeconds: [], characterEndTimesSeconds: [] };
  for (const line of lines) for (const key of Object.keys(all)) all[key].push(...(line[field]?.[key] ?? []));
  return all;
}
