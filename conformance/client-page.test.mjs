// Every method of @vaak/client in Chromium, in the page of the demonstration, whose policy
// lets it load the module that the server has; and that page as a person uses it.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before } from "node:test";
import puppeteer from "puppeteer-core";
import { checks, given, rig } from "./client/checks.mjs";
import { ours } from "./record.mjs";

const { describe, test } = ours("@vaak/client in Chromium");
const origin = process.env.VAAK_BASE_URL;
let browser;
let page;
const problems = [];

before(async () => {
  browser = await puppeteer.launch({
    executablePath: process.env.VAAK_CHROMIUM ?? ["chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`).find(existsSync),
    headless: true,
    args: ["--no-sandbox", "--mute-audio", ...(process.env.CHROMIUM_FLAGS ?? "").split(" ").filter(Boolean)],
  });
  page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(`${origin}/demo`);
  await page.waitForSelector("#questions button");
});
after(() => browser.close());

// inPage runs a function in the page, with the arguments of a check.
const inPage = (check, more = {}) => page.evaluate(`(async () => {
  const lib = await import(new URL("index.js", document.querySelector("script[type=module]").src).href);
  const args = (${rig})(lib, ${JSON.stringify({ key: process.env.VAAK_API_KEY })});
  return (${check})(args, ${JSON.stringify({ ...given("chromium"), ...more })});
})()`);

for (const [method, all] of Object.entries(checks)) {
  describe(method, () => {
    for (const [shows, check] of Object.entries(all)) test(shows, () => inPage(check));
  });
}

describe("Player", () => {
  test("plays a live session to its end, and says when its first sample is heard", async () => {
    await page.mouse.click(5, 5); // a browser sounds only after the reader has pressed something
    const { played, length, first, asked } = await inPage(async ({ lib, vaak }) => {
      const player = new lib.Player();
      const start = performance.now();
      const live = vaak.live({ lang: "en" });
      live.send("Hello there, this is a short sentence.");
      live.end();
      const heard = await player.play(live);
      const { audio_ms: ms } = await live.finished;
      const at = await player.heard;
      await player.close();
      return { played: heard, length: ms, first: at, asked: start };
    });
    assert.ok(Math.abs(played - length) <= 1, `${played} ms of ${length} were played`);
    assert.ok(first > asked, `first heard at ${first}, asked at ${asked}`);
  });
  test("plays a stream whose pieces split samples", async () => {
    const { played, bytes } = await inPage(async ({ lib, vaak }) => {
      const player = new lib.Player();
      const speech = await vaak.speak({ input: "Hello there.", response_format: "pcm" });
      async function* odd() {
        for (let i = 0; i < speech.audio.length; i += 333) yield speech.audio.subarray(i, i + 333);
      }
      const heard = await player.play(odd());
      await player.close();
      return { played: heard, bytes: speech.audio.length };
    });
    assert.ok(Math.abs(played - bytes / 48) <= 1, `${played} ms of ${bytes / 48} were played`);
  });
  test("stops at once, and says how much was heard", async () => {
    const { stopped, later, ended } = await inPage(async ({ lib, vaak }) => {
      const player = new lib.Player();
      const live = vaak.live({ lang: "en" });
      live.send("One two three four five six seven eight nine ten eleven twelve. ".repeat(3));
      live.end();
      const playing = player.play(live);
      await player.heard;
      while (player.played < 300) await new Promise((resolve) => requestAnimationFrame(resolve));
      const at = player.stop();
      const end = await playing;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const after = player.played;
      await player.close();
      return { stopped: at, later: after, ended: end };
    });
    assert.ok(stopped >= 300 && stopped === ended && stopped === later, `${stopped}, ${ended}, ${later}`);
  });
});

const press = async (nth) => (await page.$$("#questions button"))[nth].click();
const firstSound = () => page.waitForFunction(() => performance.getEntriesByName("vaak-first-sound").at(-1)?.duration).then((d) => d.jsonValue());

describe("the demonstration", () => {
  test("answers aloud in every language, and words light up", async (t) => {
    const languages = await page.$$eval("#language option", (options) => options.map((o) => o.value));
    assert.ok(languages.length >= 12, languages.join());
    for (const language of languages) {
      await page.evaluate(() => performance.clearMeasures());
      await page.select("#language", language);
      await press(0);
      const duration = await firstSound();
      await page.waitForSelector(".agent.speaking .heard");
      t.diagnostic(`${language}: the first sound ${duration.toFixed(0)} ms after the click`);
      await page.click("#stop");
      await page.waitForFunction(() => document.querySelectorAll(".agent.speaking").length === 0 && document.querySelector(".agent .cut"));
    }
  });
  test("an answer that is interrupted keeps what was heard", async () => {
    await page.select("#language", "en");
    for (const interrupt of [() => page.click("#stop"), () => page.type("#text", "x"), () => page.keyboard.press("Escape"), () => press(2)]) {
      await page.select("#language", "en");
      await press(0);
      await page.waitForSelector(".agent.speaking .heard");
      await interrupt();
      await page.waitForSelector(".agent .unheard");
      const [spoken, unheard, whole] = await page.$eval(".agent:has(.unheard)", (line) => [
        line.firstChild.textContent, line.querySelector(".unheard").textContent, [...line.childNodes].slice(0, -1).map((n) => n.textContent).join(""),
      ]);
      assert.ok(spoken.startsWith("We") && unheard.endsWith("the door.") && whole.startsWith("We are open from Monday"), whole);
      await page.$eval("#text", (input) => { input.value = ""; });
    }
  });
  test("a typed question is answered by what is most like it", async () => {
    await page.select("#language", "en");
    await page.type("#text", "what about kids and children?");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector(".agent.speaking")?.textContent.startsWith("Yes, plenty!"));
    await page.type("#text", "qqqq");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector(".agent.speaking")?.textContent.startsWith("I'm afraid"));
    await page.click("#stop");
  });
  test("nothing in it complains, and no key is in it", async () => {
    assert.deepEqual(problems, []);
    assert.doesNotMatch(await page.content(), /sk_live_/);
  });
});
