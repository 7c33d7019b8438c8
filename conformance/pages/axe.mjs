// Looks at the public pages with a browser: axe-core finds no violation on any of
// them, light and dark, on a phone and on a desk; the sample plays, its transcript
// follows, the player obeys the keyboard; a form that is refused says why, first of
// all; nothing is said on the console.
//
//	VAAK_BASE_URL=http://127.0.0.1:8080 node pages/axe.mjs [PATH...]
//
// It runs in conformance/ after `npm install`. PATHs take the place of the pages
// below; the datasets are the first ones of the list. VAAK_CHROMIUM is the browser,
// CHROMIUM_FLAGS are flags for it. A server with the catalogue of the Go tests:
//
//	VAAK_SERVE_PAGES=127.0.0.1:8080 go test -run TestServeForBrowser -timeout 0 ../web
//
// which has two more pages to look at by PATH: /enquiry/confirm/tok-1 and
// /enquiry/sample/rel_1?expires=2&signature=s
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import puppeteer from "puppeteer-core";

const origin = process.env.VAAK_BASE_URL ?? "http://127.0.0.1:8080";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// The time that a step may take on a busy machine, in milliseconds.
const patience = 60_000;

// The renderer of /docs is not ours: what it shows inside, a main landmark of its
// own among it, is for its makers.
const outside = { "/docs": ["openapi-explorer"] };
const rulesOff = { "/docs": { "landmark-no-duplicate-main": { enabled: false } } };

const browser = await puppeteer.launch({
  executablePath: process.env.VAAK_CHROMIUM ?? ["chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`).find(existsSync),
  headless: true,
  args: ["--no-sandbox", "--mute-audio", "--autoplay-policy=no-user-gesture-required", ...(process.env.CHROMIUM_FLAGS ?? "").split(" ").filter(Boolean)],
});

const problems = [];

// visit opens a page as it looks at a width and in a colour scheme, and collects
// what it complains of.
async function visit(path, width, scheme, body) {
  const name = `${path} ${width} px ${scheme}`;
  const page = await browser.newPage();
  page.setDefaultTimeout(patience);
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && problems.push(`${name}: console: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`${name}: ${error.message}`));
  try {
    await page.setCacheEnabled(false); // a revisit is answered with 304
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.setViewport({ width, height: 800 });
    const answer = await page.goto(origin + path, { waitUntil: "load" });
    assert.ok(answer.ok(), `answered ${answer.status()}`);
    await body(page, path);
    console.log(`ok   ${name}`);
  } catch (error) {
    problems.push(`${name}: ${error.message}`);
    console.log(`FAIL ${name}`);
  } finally {
    await page.close();
  }
}

// inspect runs axe-core, which comes over the debugger, so the page's policy stays.
async function inspect(page, path) {
  await page.evaluate(axe);
  const exclude = (outside[path] ?? []).map((selector) => [selector]);
  const { violations } = await page.evaluate((context, rules) => window.axe.run(context, { rules }), { include: [["html"]], exclude }, rulesOff[path] ?? {});
  const found = violations.map(({ id, help, nodes }) => `${id} (${help}): ${nodes.map((n) => `${n.target} ${n.failureSummary}`).slice(0, 5).join("; ")}`);
  assert.deepEqual(found, [], `axe-core finds ${found.join("\n")}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `the page is ${wide} px wider than the window`);
}

const current = (page) => page.$$eval(".line[aria-current]", (lines) => lines.map((line) => line.dataset.start));
const now = (page) => page.$eval("#sample", (audio) => audio.currentTime);

// listen plays the sample as a person would, with mouse and keyboard.
async function listen(page) {
  await page.waitForFunction(() => document.getElementById("sample").readyState >= 1);
  assert.equal(await page.$eval("#sample", (audio) => audio.controls), false, "the browser's own controls are still there");
  assert.deepEqual(await current(page), [], "a line is current before anything was played");

  await page.click(".play");
  await page.waitForFunction(() => document.getElementById("sample").currentTime > 0.3);
  assert.equal(await page.$eval(".play", (button) => button.getAttribute("aria-label")), "Pause");
  await page.click(".play");
  await page.waitForFunction(() => document.getElementById("sample").paused);

  const starts = await page.$$eval(".line", (lines) => lines.map((line) => line.dataset.start));
  if (starts.length > 2) {
    for (const at of [starts[0], starts[2]]) {
      await page.$eval("#sample", (audio, t) => { audio.currentTime = t; }, Number(at) + 0.05);
      await page.waitForFunction((t) => document.querySelector(`.line[data-start="${t}"]`).getAttribute("aria-current") === "true", {}, at);
    }
    assert.ok(!(await current(page)).includes(starts[0]), "the first line is still current at the third");
    await page.click(`.line[data-start="${starts[1]}"]`);
    await page.waitForFunction((t) => Math.abs(document.getElementById("sample").currentTime - t) < 0.1, {}, Number(starts[1]));
  }

  await page.focus(".waves");
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.getElementById("sample").currentTime === 0);
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector(".waves").getAttribute("aria-valuenow") === "5");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => !document.getElementById("sample").paused);
  await page.keyboard.press("Space");
  const middle = await page.$eval(".waves", (waves) => {
    waves.scrollIntoView({ block: "center" });
    const { x, y, width, height } = waves.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  });
  await page.mouse.click(middle.x, middle.y);
  const half = await page.$eval("#sample", (audio) => audio.duration / 2);
  assert.ok(Math.abs((await now(page)) - half) < half / 20, `a click in the middle goes to ${await now(page)} s, want about ${half}`);

  if (await page.$("[data-mute]")) await mix(page);
}

// mix mutes a channel while the sample plays, which must not stop.
async function mix(page) {
  await page.$eval("#sample", (audio) => { audio.currentTime = 0; });
  await page.click(".play");
  await page.click('[data-mute="2"]');
  assert.equal(await page.$eval('[data-mute="2"]', (button) => button.getAttribute("aria-pressed")), "true");
  assert.equal(await page.$$eval(".wave.silent", (waves) => waves.length), 1);
  await page.click('[data-solo="2"]');
  await page.waitForFunction(() => document.getElementById("sample").currentTime > 0.5);
  await page.click(".play");
}

// refuse sends the form of a page with a field that is wrong and the box unticked, past
// the checks of the browser.
async function refuse(page) {
  const typed = "हमें बैंक की बातचीत चाहिए। ".repeat(30) + "x".repeat(200);
  await page.type("#ask-name", "प्रिया");
  await page.$eval("#ask-message", (field, text) => { field.value = text; }, typed);
  await page.$eval("form.ask", (form) => { form.noValidate = true; });
  page.removeAllListeners("console"); // a browser complains of any status of 400 and more
  const [answer] = await Promise.all([page.waitForNavigation({ waitUntil: "load" }), page.click("form.ask button")]);
  assert.equal(answer.status(), 400);
  // A browser moves the focus when it next draws the page, which may be after it loaded.
  const focused = () => document.activeElement.id === "ask-trouble";
  await page.waitForFunction(focused, { timeout: 20_000 }).catch(() => assert.fail("what is wrong has not the focus"));
  assert.equal(await page.$eval("#ask-message", (field) => field.value), typed, "what was typed is not there again");
  assert.equal(await page.$eval("#ask-consent", (box) => box.checked), false, "the box is ticked");
}

// check sends a document to the validator, and reads the report that its badge leads to.
async function check(page) {
  await page.type("#document", '{"@type": "sc:Dataset", "name": "</p>"}');
  const [answer] = await Promise.all([page.waitForNavigation({ waitUntil: "load" }), page.click("form.ask button")]);
  assert.equal(answer.status(), 200);
  const verdict = await page.$eval("h1", (heading) => heading.textContent);
  assert.match(verdict, /^Croissant: \d+ errors$/);
  assert.ok(await page.$eval("img[alt^=Croissant]", (picture) => picture.complete && picture.naturalWidth > 50), "the badge is not shown");
  const report = await page.$eval('a[href*="/croissant/reports/"]', (link) => new URL(link.href).pathname);
  assert.ok((await page.goto(origin + report, { waitUntil: "load" })).ok());
  assert.equal(await page.$eval("h1", (heading) => heading.textContent), verdict);
}

// asks tells whether somebody takes enquiries here.
async function asks() {
  const page = await browser.newPage();
  try {
    await page.goto(`${origin}/`, { waitUntil: "load" });
    return (await page.$('main a[href="/enquiry"]')) !== null;
  } finally {
    await page.close();
  }
}

// datasets are the addresses of up to three datasets, those with a player first.
async function datasets() {
  const page = await browser.newPage();
  try {
    await page.goto(`${origin}/catalogue?sample=true`, { waitUntil: "load" });
    const found = await page.$$eval(".card a", (links) => links.map((a) => a.getAttribute("href")));
    return found.slice(0, 3);
  } finally {
    await page.close();
  }
}

try {
  const sets = process.argv.length > 2 ? [] : await datasets();
  assert.ok(process.argv.length > 2 || sets.length > 0, "the catalogue has no dataset with a sample");
  const forms = process.argv.length > 2 || !(await asks()) ? [] : ["/enquiry"];
  const paths = process.argv.length > 2 ? process.argv.slice(2) : ["/", "/docs", "/demo", "/catalogue", "/catalogue?sample=true", "/croissant", "/croissant/rules", "/croissant/rules/E024", ...sets, ...forms];
  for (const path of paths) {
    for (const width of [360, 1280]) {
      for (const scheme of ["light", "dark"]) {
        await visit(path, width, scheme, inspect);
      }
    }
  }
  for (const path of sets) {
    await visit(path, 1280, "light", async (page) => {
      await listen(page);
      await inspect(page, path);
    });
  }
  for (const [width, scheme] of process.argv.length > 2 ? [] : [[360, "light"], [1280, "dark"]]) {
    await visit("/croissant", width, scheme, async (page) => {
      await check(page);
      await inspect(page, "/croissant");
    });
  }
  for (const [path, width, scheme] of forms.flatMap((path) => [[path, 360, "light"], [`${path}?dataset=${sets[0].split("/").at(-1)}`, 1280, "dark"]])) {
    await visit(path, width, scheme, async (page) => {
      await refuse(page);
      await inspect(page, path);
    });
  }
} finally {
  await browser.close();
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
