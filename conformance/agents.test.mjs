// Runs the programs of agents-examples/typescript as their README says, each in a
// directory of its own, with a scripted chat server in the model's place. `run` says
// in VAAK_NODE22 which Node.js runs TypeScript.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { kept, linkOf } from "./enquiries.mjs";
import { testsOf } from "./record.mjs";
import { mission, serveModel } from "./scripted-model.mjs";

const programs = fileURLToPath(new URL("../agents-examples/typescript/", import.meta.url));
const node = process.env.VAAK_NODE22;

let chat; // the scripted chat server
const env = {
  ...process.env,
  VAAK_URL: process.env.VAAK_BASE_URL,
  VAAK_KEY: process.env.VAAK_API_KEY,
  OPENAI_API_KEY: "not looked at",
};

before(async () => {
  chat = spawn(node, [path.join(programs, "scripted-chat.ts"), "--pace", "60"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(chat.stdout, "data");
  env.OPENAI_BASE_URL = String(line).trim();
});

after(() => chat.kill());

// start runs a program and gathers what it says; typed is what it reads.
function start(name, args, cwd, more = {}, typed = undefined) {
  const stdio = [typed === undefined ? "ignore" : "pipe", "pipe", "pipe"];
  const child = spawn(node, [path.join(programs, name), ...args], { cwd, env: { ...env, ...more }, stdio });
  child.stdin?.end(typed);
  const said = { child, stdout: "", stderr: "", closed: once(child, "close").then(([code]) => code) };
  for (const stream of ["stdout", "stderr"]) child[stream].setEncoding("utf8").on("data", (text) => (said[stream] += text));
  return said;
}

// inside runs body in a directory of its own.
async function inside(body) {
  const cwd = await mkdtemp(path.join(tmpdir(), "vaak-agents-"));
  try {
    await body(cwd);
  } finally {
    await rm(cwd, { recursive: true });
  }
}

// works runs a program that has to succeed, and checks what it said and left behind.
const works = (name, args, check) => () => inside(async (cwd) => {
  const said = start(name, args, cwd);
  assert.equal(await said.closed, 0, said.stderr);
  await check(said, (file) => readFile(path.join(cwd, file)));
});

// refuses runs a program with a key that does not exist.
const refuses = (name, line) => () => inside(async (cwd) => {
  const said = start(name, [], cwd, { VAAK_KEY: "sk_live_nobody" });
  assert.equal(await said.closed, 1, said.stdout);
  assert.equal(said.stdout, "");
  assert.equal(said.stderr.split("\n").length, 2, `one line: ${said.stderr}`);
  assert.match(said.stderr, line);
});

const badKey = /^(401 )?the API key is not valid: .+\n$/;

// loud says that 16-bit samples are not silence.
function loud(samples) {
  let peak = 0;
  for (let i = 0; i < samples.length; i += 2) peak = Math.max(peak, Math.abs(samples.readInt16LE(i)));
  assert.ok(peak > 2000, `peak ${peak}`);
}

// wav gives the seconds of a WAV file of mono speech.
function wav(file, rate) {
  assert.equal(file.toString("latin1", 0, 4) + file.toString("latin1", 8, 16), "RIFFWAVEfmt ");
  assert.equal(file.readUInt32LE(4), file.length - 8, "RIFF size");
  assert.deepEqual([file.readUInt16LE(20), file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt16LE(34)], [1, 1, rate, 16]);
  assert.equal(file.readUInt32LE(40), file.length - 44, "data size");
  loud(file.subarray(44));
  return (file.length - 44) / 2 / rate;
}

// mp3 gives the seconds of an MP3 file, every frame of which must follow the last.
// The frames of silence repeat a few bytes; those of speech use nearly all alike.
function mp3(file) {
  const kbps = [[0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160], [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]];
  let seconds = 0;
  for (let at = 0; at < file.length; ) {
    const header = file.readUInt32BE(at);
    assert.equal(header >>> 21, 0x7ff, `no frame at byte ${at} of ${file.length}`);
    const first = (header >>> 19) & 1; // MPEG-1, else MPEG-2
    const rate = [44_100, 48_000, 32_000][(header >>> 10) & 3] / (2 - first);
    const samples = 576 * (1 + first);
    at += Math.floor(((samples / 8) * kbps[first][(header >>> 12) & 15] * 1000) / rate) + ((header >>> 9) & 1);
    seconds += samples / rate;
  }
  const counts = new Array(256).fill(0);
  for (const byte of file) counts[byte] += 1;
  assert.ok(Math.max(...counts) < file.length / 5, "silence");
  return seconds;
}

function between(got, low, high) {
  assert.ok(got > low && got < high, `${got}, want ${low} to ${high}`);
}

// tests of one program belong to the client that it shows.
function program(client, name, shows) {
  const of = testsOf(client);
  of.describe(`agents-examples/typescript/${name}`, () => {
    for (const [what, body] of Object.entries(shows)) of.test(what, body);
  });
}

// interrupted presses Ctrl-C when the second sentence is being written.
const interrupted = (args) => () => inside(async (cwd) => {
  const said = start("speak-chat.ts", args, cwd);
  while (!said.stdout.includes("Blue comes")) await once(said.child.stdout, "data");
  said.child.kill("SIGINT");
  assert.equal(await said.closed, 130, said.stderr);
  const [, heard, rest] = said.stderr.match(/^heard: (.*)\nnot heard: (.+)$/m);
  assert.ok(said.stdout.startsWith(heard + rest), `${heard}|${rest}`);
  if (args.length) return;
  assert.match(heard, /^The sky/);
  between(wav(await readFile(path.join(cwd, "reply.wav")), 24_000), 0.2, 10);
});

program("ws", "speak-chat.ts", {
  "speaks while the model writes": works("speak-chat.ts", [], async ({ stdout, stderr }, file) => {
    const [, firstToken, firstAudio, lastToken] = stderr.match(/first token after (\d+) ms, first audio after (\d+) ms, last token after (\d+) ms/).map(Number);
    assert.ok(firstToken < firstAudio && firstAudio < lastToken, stderr);
    const [, characters, ms] = stderr.match(/^(\d+) characters, (\d+) ms of audio$/m).map(Number);
    assert.equal(characters, stdout.length);
    const seconds = wav(await file("reply.wav"), 24_000);
    between(seconds, 8, 20);
    between(seconds * 1000 - ms, -1, 1);
  }),
  "plays into a program": works("speak-chat.ts", ["--player", "tee played"], async (_, file) => {
    const samples = await file("played");
    between(samples.length / 48_000, 8, 20);
    loud(samples);
  }),
  "an interruption tells what was heard": interrupted([]),
  "an interruption of a player does": interrupted(["--player", "cat"]),
  "a player that leaves is one line": () => inside(async (cwd) => {
    const said = start("speak-chat.ts", ["--player", "false"], cwd);
    assert.equal(await said.closed, 1);
    assert.equal(said.stderr, "the player has stopped\n");
  }),
  "a wrong key is one line": refuses("speak-chat.ts", badKey),
});

program("openai", "openai-sdk.ts", {
  "a file, a stream, an error": works("openai-sdk.ts", [], async ({ stdout }, file) => {
    between(mp3(await file("whole.mp3")), 1, 5);
    between(mp3(await file("streamed.mp3")), 4, 12);
    assert.match(stdout, /first audio after \d+ ms\nrefused with invalid_parameter of speed: .+\n$/);
  }),
  "a wrong key is one line": refuses("openai-sdk.ts", badKey),
});

program("@elevenlabs/elevenlabs-js", "elevenlabs-sdk.ts", {
  "a file, a stream, an error": works("elevenlabs-sdk.ts", [], async ({ stdout }, file) => {
    between(mp3(await file("whole.mp3")), 1, 6);
    const seconds = mp3(await file("streamed.mp3"));
    between(seconds, 2, 12);
    const last = Number(stdout.match(/ends after ([\d.]+) s/)[1]);
    between(seconds - last, -0.001, 0.2);
    assert.match(stdout, /refused: 404 .+\n$/);
  }),
  "a wrong key is one line": refuses("elevenlabs-sdk.ts", badKey),
});

program("@livekit/agents-plugin-elevenlabs", "livekit-agent.ts", {
  "an AgentSession says a turn": works("livekit-agent.ts", [], async (_, file) => between(wav(await file("turn.wav"), 22_050), 2, 8)),
  "a wrong key is one line": refuses("livekit-agent.ts", /401\n$/),
});

program("@ai-sdk/openai", "vercel-ai.ts", {
  "generateSpeech": works("vercel-ai.ts", [], async (_, file) => between(mp3(await file("speech.mp3")), 2, 8)),
  "a wrong key is one line": refuses("vercel-ai.ts", badKey),
});

program("@modelcontextprotocol/client", "mcp-client.ts", {
  "search_voices and synthesize_speech": works("mcp-client.ts", [], async ({ stdout }, file) => {
    assert.match(stdout, /^MCP 2026-07-28: .*search_voices.*synthesize_speech/);
    const seconds = mp3(await file("spoken.mp3"));
    between(seconds, 2, 8);
    between(seconds - Number(stdout.match(/: ([\d.]+) s of audio\/mpeg/)[1]), -0.001, 0.2);
  }),
  "a wrong key is one line": refuses("mcp-client.ts", badKey),
});

const brief = "We need 150 hours of two-channel Hindi call-centre speech with transcripts by June.";

// enquires has the agent make an enquiry for a person, who types an answer, and checks
// what it says and how many enquiries are kept. It is alone with the model that it calls.
const enquires = (tag, args, typed, sent, check) => () => inside(async (cwd) => {
  const model = await serveModel();
  try {
    const email = `${tag}-${process.pid}@example.org`;
    const variables = { VAAK_URL: process.env.VAAK_ENQUIRY_URL, OPENAI_BASE_URL: model.url };
    const said = start("enquiry-agent.ts", ["--name", "Asha Rao", "--email", email, ...args, brief], cwd, variables, typed);
    assert.equal(await said.closed, 0, said.stderr + said.stdout);
    const { stdout } = said;
    assert.deepEqual([...stdout.matchAll(/^→ (\S+)/gm)].map(([, name]) => name), ["search_datasets", "compare_datasets", "get_dataset", "send_enquiry"]);
    const [system, user] = model.told;
    assert.match(system.content, /Consent/, "the model was told the terms");
    assert.equal(user.content, brief);
    const all = await kept(email);
    assert.equal(all.length, sent, stdout);
    await check(stdout, { email, id: all[0]?.id, told: model.told.at(-1).content });
  } finally {
    model.close();
  }
});

// shown has the question that a person was asked, which must show who asks, and not
// whom the model took for it.
function shown(stdout, email) {
  const [, question] = stdout.match(/\n\n(Send this enquiry[^]+)\n\nSend this enquiry\? yes, no, or Enter to leave it: /);
  for (const value of ["Asha Rao", email, "(quote)", "demo-hi-in-", "150 hours of two-channel Hindi", "Who wrote the transcripts?", "scripted"]) assert.ok(question.includes(value), `${value} is missing from ${question}`);
  assert.ok(!question.includes("Somebody") && !question.includes("else@"), question);
}

const saysYes = (version) => (stdout, { email, id, told }) => {
  assert.ok(stdout.startsWith(`MCP ${version}\n`), stdout);
  shown(stdout, email);
  assert.ok(told.includes(id), told);
  assert.match(stdout, new RegExp(`\n\nsent as ${id}\n.+ Contact: \\S+\n$`));
};

// formed has the form of a program that was not answered with a yes.
const formed = (status) => async (stdout, { email }) => {
  shown(stdout, email);
  const [, form] = stdout.match(new RegExp(`\nnot sent: ${status}\nYou can write it yourself: (http\\S+)\n$`)) ?? assert.fail(stdout);
  assert.equal((await fetch(form)).status, 200);
};

// linked has the link of a program that could not ask, which the person is mailed and the
// program is not told.
const linked = async (stdout, { email }) => {
  assert.match(stdout, /\nnot sent: confirmation required\nA mail with a link goes to the e-mail address of the enquiry\. /);
  const link = await linkOf(email);
  assert.ok(!stdout.includes(link.split("/").at(-1)), stdout);
  const page = await fetch(link);
  assert.equal(page.status, 200);
  assert.ok((await page.text()).includes(email), "the page shows the enquiry");
  assert.equal((await kept(email)).length, 0);
};

// Beside each other: each starts a program, which takes the longest.
const all = (...bodies) => () => Promise.all(bodies.map((body) => body()));

program("@modelcontextprotocol/client", "enquiry-agent.ts", {
  "from a brief to an enquiry that the person agrees to, in both versions of the protocol": all(
    enquires("yes", [], "yes\n", 1, saysYes("2026-07-28")),
    enquires("older", ["--legacy", "--company", "Example Bank"], "y\n", 1, saysYes("2025-11-25")),
  ),
  "a person who says no, leaves, or cannot be asked: nothing is sent, and there is the form, or a link in their mail": all(
    enquires("no", [], "no\n", 0, formed("declined")),
    enquires("left", ["--legacy"], "", 0, formed("cancelled")),
    enquires("away", ["--unattended"], undefined, 0, linked),
  ),
  "who it speaks for has to be said: one line": () => inside(async (cwd) => {
    const said = start("enquiry-agent.ts", [brief], cwd);
    assert.equal(await said.closed, 1, said.stdout);
    assert.equal(said.stderr, "say who you are, with --name and --email, and what you need\n");
  }),
});

// accomplishes has the agent go the whole way: the person types how much they need, and whether the
// enquiry is sent.
const accomplishes = (tag, args, answer, version, sent) => () => inside(async (cwd) => {
  const model = await serveModel(mission);
  try {
    const email = `${tag}-${process.pid}@example.org`;
    const said = start("mission.ts", ["--name", "Asha Rao", "--email", email, ...args, "बैंक की फ़ोन बातचीत का हिन्दी डेटा चाहिए।"], cwd,
      { OPENAI_BASE_URL: model.url }, `150 hours\n${answer}\n`);
    assert.equal(await said.closed, 0, said.stderr + said.stdout);
    const { stdout } = said;
    assert.ok(stdout.startsWith(`MCP ${version}\n`), stdout);
    assert.deepEqual([...stdout.matchAll(/^→ (\S+)/gm)].map(([, name]) => name),
      ["search_datasets", "compare_datasets", "get_dataset", "hear_sample", "ask_person", "send_enquiry"]);
    for (const value of ["Asha Rao", email, "We need 150 hours of Hindi banking calls"]) assert.ok(stdout.includes(value), `${value} is missing from ${stdout}`);
    assert.equal((await readFile(path.join(cwd, "sample.flac"))).toString("latin1", 0, 4), "fLaC");
    assert.match(stdout, sent ? /\nsent as enq_/ : /\nnot sent: declined\n/);
    assert.match(stdout, sent ? /भेज दिया गया है/ : /नहीं भेजा गया/);
    assert.match(stdout, /\nanswer\.mp3: [\d.]+ s in hi\n$/);
    between(mp3(await readFile(path.join(cwd, "answer.mp3"))), 2, 10);
  } finally {
    model.close();
  }
});

program("@modelcontextprotocol/client", "mission.ts", {
  "finds data, lets it be heard, asks, enquires with consent, and speaks the answer in Hindi, in both versions of the protocol": all(
    accomplishes("mission", [], "yes", "2026-07-28", true),
    accomplishes("mission-older", ["--legacy"], "yes", "2025-11-25", true),
  ),
  "a person who says no hears that nothing was sent": all(
    accomplishes("mission-no", ["--legacy", "--language", "hi"], "no", "2025-11-25", false),
  ),
});

test("tsc accepts every program", async () => {
  const tsc = spawn(node, [path.join(programs, "node_modules/typescript/bin/tsc"), "-p", programs], { stdio: ["ignore", "pipe", "inherit"] });
  assert.equal((await tsc.stdout.toArray()).join(""), "");
});
