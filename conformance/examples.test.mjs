// Runs the JavaScript examples of docs/clients.md, in a directory of their own.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ours, testsOf } from "./record.mjs";

const { voices } = await (await fetch(`${process.env.VAAK_BASE_URL}/v1/voices`)).json();
const env = { ...process.env, VAAK_URL: process.env.VAAK_BASE_URL, VAAK_KEY: process.env.VAAK_API_KEY, VAAK_VOICE: voices[0].voice_id };

// example runs a file of examples/ and gives what it printed to check, with its directory.
async function example(name, check) {
  const cwd = await mkdtemp(path.join(tmpdir(), "vaak-example-"));
  try {
    const file = fileURLToPath(new URL(`examples/${name}`, import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd, env });
    await check(stdout, cwd);
  } finally {
    await rm(cwd, { recursive: true });
  }
}

async function mp3(_, directory) {
  const audio = await readFile(path.join(directory, "speech.mp3"));
  assert.equal(audio[0], 0xff);
  assert.ok(audio.length > 10_000, `${audio.length} bytes`);
}

const examples = {
  openai: ["openai_speech.mjs", mp3],
  "@elevenlabs/elevenlabs-js": ["elevenlabs_speech.mjs", mp3],
  "@livekit/agents-plugin-elevenlabs": ["livekit_turn.mjs", (said) => assert.match(said, /^[1-9]\.\d s of audio\n$/)],
};

for (const [client, [name, check]] of Object.entries(examples)) {
  const { describe, test } = testsOf(client);
  describe("examples", () => test("the one of docs/clients.md runs", () => example(name, check)));
}

const { describe, test } = ours("@vaak/client");
describe("examples", () => test("the one of its README runs", () => example("vaak_live.mjs", (said) => assert.match(said, /^\d+ ms Your\n[^]*WEBVTT/))));
