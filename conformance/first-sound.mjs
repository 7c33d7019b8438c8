// Measures how long the page of the demonstration takes from a click to the first audible
// sample that leaves the output, in Chromium: a token of the server, the socket, the first
// sound. Prints the figures, and fails where the median is over 150 ms.
//
//	node first-sound.mjs [CLICKS]
//
// It starts ../bin/vaak, or VAAK_PROGRAM, with a data directory of its own. VAAK_CHROMIUM is
// the browser. The time of the output is that of the audio device: without one, Chromium
// plays into a clock.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

const most = 150; // milliseconds, of the median
const clicks = Number(process.argv[2] ?? 40);
const dir = await mkdtemp(path.join(tmpdir(), "vaak-first-sound-"));
const program = process.env.VAAK_PROGRAM ?? fileURLToPath(new URL("../bin/vaak", import.meta.url));
const server = spawn(program, [
  "serve", "--demo", "--services", "speech", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--console-listen", "127.0.0.1:0",
  "--public-rate", "0", "--render-previews=false", "--data-dir", dir,
], { stdio: ["ignore", "pipe", "ignore"] });
const [ready] = await once(createInterface(server.stdout), "line");
const origin = /public=(\S+)/.exec(ready)[1];
const browser = await puppeteer.launch({
  executablePath: process.env.VAAK_CHROMIUM ?? ["chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`).find(existsSync),
  headless: true,
  args: ["--no-sandbox", "--mute-audio"],
});
const figures = [];
try {
  const page = await browser.newPage();
  await page.goto(`${origin}/demo`);
  await page.waitForSelector("#questions button");
  await page.select("#language", "en");
  for (let i = 0; i < clicks; i += 1) {
    await page.evaluate(() => performance.clearMeasures());
    await (await page.$$("#questions button"))[i % 4].click();
    const measured = await page.waitForFunction(() => performance.getEntriesByName("vaak-first-sound").at(-1)?.duration);
    figures.push(await measured.jsonValue());
    await page.click("#stop");
    // The server speaks 60 answers a minute for an address.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
} finally {
  await browser.close();
  server.kill("SIGTERM");
  await once(server, "exit");
  await rm(dir, { recursive: true });
}
const [first] = figures;
figures.sort((a, b) => a - b);
const at = (share) => figures[Math.min(figures.length - 1, Math.floor(share * figures.length))].toFixed(0);
console.log(`click to first sound, ${clicks} times: median ${at(0.5)} ms, least ${at(0)}, 90 % ${at(0.9)}, most ${at(1)}; the first, which wakes the output, ${first.toFixed(0)}`);
if (at(0.5) > most) {
  console.error(`the median is over ${most} ms`);
  process.exitCode = 1;
}
