// The sockets of the ElevenLabs dialect with pronunciation dictionaries, with the ws
// package: the SDKs open none that could name a dictionary. VAAK_BASE_URL and
// VAAK_API_KEY say where the server is; `run` sets them.
import assert from "node:assert/strict";
import { once } from "node:events";
import { before } from "node:test";
import WebSocket from "ws";
import { dictionary, nobody, respelled, written } from "./dictionaries.mjs";
import { aVoice } from "./elevenlabs.mjs";
import { testsOf } from "./record.mjs";

const { describe, test } = testsOf("ws");

let voice; // an id
let products; // the locator of the dictionary that reads written as respelled

before(async () => {
  voice = await aVoice();
  products = await dictionary("Live");
});

// open dials a socket and says how it refuses.
async function open(path, query = {}) {
  const address = new URL(`/v1/text-to-speech/${voice}/${path}`, process.env.VAAK_BASE_URL.replace("http", "ws"));
  address.search = new URLSearchParams({ output_format: "pcm_24000", language_code: "en", ...query });
  const socket = new WebSocket(address, { headers: { "xi-api-key": process.env.VAAK_API_KEY } });
  const opened = once(socket, "open").then(() => null);
  const refused = once(socket, "unexpected-response").then(async ([, response]) => {
    const connection = response.socket; // which would be kept for another request
    const body = JSON.parse((await response.toArray()).join(""));
    connection.destroy();
    return { status: response.statusCode, body };
  });
  opened.catch(() => {});
  refused.catch(() => {});
  return { socket, refused: await Promise.race([opened, refused]) };
}

// converse sends messages and returns all frames until the socket closes, with its code.
async function converse(path, query, messages) {
  const { socket, refused } = await open(path, query);
  assert.equal(refused, null);
  const frames = [];
  socket.on("message", (data) => frames.push(JSON.parse(data)));
  const closed = once(socket, "close");
  for (const message of messages) socket.send(JSON.stringify(message));
  return { frames, code: (await closed)[0] };
}

// whole puts frames together: the audio, and what the alignments tell. The times of each
// frame begin at 0, and each character lasts until the next.
function whole(frames) {
  const got = { audio: [], alignment: "", normalizedAlignment: "", alignmentMs: 0, normalizedAlignmentMs: 0 };
  for (const frame of frames) {
    if (frame.audio) got.audio.push(Buffer.from(frame.audio, "base64"));
    for (const which of ["alignment", "normalizedAlignment"]) {
      const { chars = [], charStartTimesMs: starts = [], charDurationsMs: durations = [] } = frame[which] ?? {};
      assert.ok(chars.length === starts.length && chars.length === durations.length, JSON.stringify(frame[which]));
      for (let i = 0, at = 0; i < chars.length; at += durations[i], i += 1) assert.equal(starts[i], at, `${which}: start of ${i}`);
      got[which] += chars.join("");
      got[`${which}Ms`] += chars.length ? starts.at(-1) + durations.at(-1) : 0;
    }
  }
  got.audio = Buffer.concat(got.audio);
  return got;
}

// told checks that alignments are of the two texts and as long as the audio.
function told(got, alignment, normalized) {
  const ms = got.audio.length / 48;
  assert.equal(got.alignment.trim(), alignment);
  assert.equal(got.normalizedAlignment.trim(), normalized);
  for (const which of ["alignmentMs", "normalizedAlignmentMs"]) assert.ok(Math.abs(got[which] - ms) <= 5, `${which}: ${got[which]} of ${ms} ms`);
}

const single = (text, first = {}) => [{ text: " ", ...first }, { text: `${text} ` }, { text: "" }];

describe("/v1/text-to-speech/{voice_id}/stream-input", () => {
  const ways = {
    "pronunciation_dictionary_locators of the first message": () => [{}, { pronunciation_dictionary_locators: [products] }],
    "pronunciation_dictionary_id of the query": () => [{ pronunciation_dictionary_id: products.pronunciation_dictionary_id }, {}],
  };
  for (const [way, parts] of Object.entries(ways)) {
    test(`${way}: the audio of the respelled text, times of the text that was sent`, async () => {
      const [query, first] = parts();
      const { frames, code } = await converse("stream-input", query, single(written, first));
      const want = whole((await converse("stream-input", {}, single(respelled))).frames);
      const got = whole(frames);
      assert.equal(code, 1000);
      assert.ok(got.audio.equals(want.audio), `${got.audio.length} bytes, which are not the ${want.audio.length} of the respelled text`);
      told(got, written, respelled);
    });
  }

  test("terms that come in pieces are found", async () => {
    const pieces = ["We run ngi", "nx an", "d kube", "ctl he", "re. "];
    const messages = [{ text: " ", pronunciation_dictionary_locators: [products], generation_config: { chunk_length_schedule: [50] } }, ...pieces.map((text) => ({ text, try_trigger_generation: true })), { text: "" }];
    const { frames, code } = await converse("stream-input", {}, messages);
    assert.equal(code, 1000);
    told(whole(frames), written, respelled);
  });

  test("an unknown one: 404 before the upgrade, an error and 1008 after it", async () => {
    const { refused } = await open("stream-input", { pronunciation_dictionary_id: nobody });
    assert.equal(refused?.status, 404);
    assert.equal(refused.body.detail.status, "pronunciation_dictionary_not_found");
    const { frames, code } = await converse("stream-input", {}, single(written, { pronunciation_dictionary_locators: [{ pronunciation_dictionary_id: nobody }] }));
    assert.equal(frames.at(-1).error, "pronunciation_dictionary_not_found");
    assert.equal(code, 1008);
  });
});

describe("/v1/text-to-speech/{voice_id}/multi-stream-input", () => {
  test("each context has dictionaries of its own", async () => {
    const other = await dictionary("Contexts", [{ string_to_replace: "nginx", alias: "web server" }]);
    const said = { a: [products], b: [other], c: undefined };
    const messages = Object.entries(said).flatMap(([context_id, pronunciation_dictionary_locators]) => [
      { text: " ", context_id, pronunciation_dictionary_locators },
      { text: `${written} `, context_id, flush: true },
      { context_id, close_context: true },
    ]);
    const { frames, code } = await converse("multi-stream-input", {}, [...messages, { close_socket: true }]);
    assert.equal(code, 1000);
    const wanted = { a: respelled, b: "We run web server and kubectl here.", c: written };
    for (const [context, normalized] of Object.entries(wanted)) {
      told(whole(frames.filter(({ contextId }) => contextId === context)), written, normalized);
    }
  });
});
