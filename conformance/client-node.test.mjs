// Every method of @vaak/client in Node.js, against the server that VAAK_BASE_URL names with
// the key VAAK_API_KEY; with the package ws, and with the WebSocket that newer ones have.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import vm from "node:vm";
import WebSocket from "ws";
import * as lib from "../clients/js/src/index.js";
import { checks, given, rig } from "./client/checks.mjs";
import { ours } from "./record.mjs";

const { describe, test } = ours("@vaak/client");
const args = rig(lib, { url: process.env.VAAK_BASE_URL, key: process.env.VAAK_API_KEY, WebSocket });

for (const [method, all] of Object.entries(checks)) {
  describe(method, () => {
    for (const [shows, check] of Object.entries(all)) test(shows, () => check(args, given("node")));
  });
}

describe("live", () => {
  test("works with the WebSocket of Node.js 22", async () => {
    const source = `import { Vaak } from ${JSON.stringify(new URL("../clients/js/src/index.js", import.meta.url).href)};
      const live = new Vaak({ url: process.env.VAAK_BASE_URL, key: process.env.VAAK_API_KEY }).live({ lang: "en" });
      live.send("Hello there."); live.end();
      console.log((await live.finished).characters);`;
    const { stdout } = await promisify(execFile)(process.env.VAAK_NODE22 ?? process.execPath, ["--input-type=module", "-e", source]);
    assert.equal(stdout, "12\n");
  });
});

// The worklet with a clock of the test: what comes out is what went in, without a gap.
describe("Player", () => {
  test("plays pieces of any size without a gap between them, and stops at once", async () => {
    const told = [];
    let Speech;
    const port = { postMessage: (m) => told.push(JSON.parse(JSON.stringify(m))) };
    const world = vm.createContext({
      sampleRate: 24_000, currentTime: 0,
      AudioWorkletProcessor: class { port = port; },
      registerProcessor: (_, made) => { Speech = made; },
    });
    vm.runInContext(await readFile(new URL("../clients/js/src/worklet.js", import.meta.url), "utf8"), world);
    const speech = new Speech();
    const tell = (data) => port.onmessage({ data });
    const quantum = () => {
      const out = new Float32Array(128);
      assert.equal(speech.process([], [[out]]), true);
      world.currentTime += 128 / 24_000;
      return [...out];
    };
    tell({ lead: 200 });
    tell({ clear: true, sound: 1 });
    const sound = Array.from({ length: 1000 }, (_, i) => (i + 1) / 1024);
    tell({ samples: Float32Array.from(sound.slice(0, 150)) });
    assert.ok(quantum().every((s) => s === 0), "it starts before the lead is there");
    for (let i = 150; i < 1000; i += 37) tell({ samples: Float32Array.from(sound.slice(i, Math.min(i + 37, 1000))) });
    tell({ end: true });
    const heard = [];
    for (let i = 0; i < 9; i += 1) heard.push(...quantum());
    assert.deepEqual(heard.slice(0, 1000), sound);
    assert.ok(heard.slice(1000).every((s) => s === 0));
    assert.deepEqual(told.map(({ start, stop, ended }) => [start, stop, ended]), [[0, undefined, undefined], [undefined, 1000, true]]);
    assert.ok(Math.abs(told[1].time - told[0].time - 1000 / 24_000) < 1e-9, "the times are not those of the samples");
    // What is cleared fades within 5 ms, so that it does not click.
    tell({ clear: true, sound: 2 });
    tell({ samples: new Float32Array(5000).fill(0.5) });
    quantum();
    tell({ clear: true, sound: 3 });
    const tail = quantum();
    assert.ok(tail[0] > 0.45 && tail[119] < 0.01 && tail[127] === 0 && tail.every((s, i) => i === 0 || s <= tail[i - 1]), String(tail));
    assert.ok(quantum().every((s) => s === 0));
  });
});
