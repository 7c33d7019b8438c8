// What clients/js and clients/python ship: the files of their packages, their types as strict
// programs see them, and how large they are.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { ours } from "./record.mjs";

const { describe, test } = ours("@vaak/client");
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const bin = here("node_modules/.bin");
const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
const run = (program, args, cwd) => promisify(execFile)(program, args, { cwd, env }).catch((error) => {
  throw new Error(`${program} ${args.join(" ")}:\n${error.stdout}${error.stderr}`);
});

let work;
before(async () => { work = await mkdtemp(path.join(tmpdir(), "vaak-client-")); });
after(() => rm(work, { recursive: true }));

// A program that uses every method as its types say, and some as they forbid.
const consumer = `
import { captions, Player, Vaak, VaakError, type Dataset, type LiveEvent, type LiveWord, type SpeechAbout } from "@vaak/client";

const vaak = new Vaak({ url: "http://127.0.0.1:8080", key: "sk", retries: 1, maxWait: 5 });
export async function use(signal: AbortSignal): Promise<string> {
  const { audio, notices }: SpeechAbout & { audio: Uint8Array } = await vaak.speak({ input: "Hi", response_format: "mp3", sample_rate: 44100 }, { signal });
  for await (const piece of await vaak.stream({ input: "Hi" })) audio.set(piece);
  const live = vaak.live({ mode: "eager", words: true }, { signal, token: async () => "sutkn_" });
  live.send("Hi", { flush: true });
  for await (const event of live) sum(event);
  const how = await live.cancel(12);
  const said: string = how.type === "cancelled" ? how.text_spoken : how.request_id;
  const made = await vaak.tokens.create({ max_characters: 10, origins: ["https://example.org"] });
  await vaak.tokens.revoke(made.token_id);
  for (const { token_id } of await vaak.tokens.list()) said.concat(token_id);
  const { spoken_text } = await vaak.preview({ input: "5" });
  for await (const { slug } of vaak.catalogue.all({ language: ["hi"], sort: "hours" })) said.concat(slug);
  const record: Dataset = await vaak.catalogue.get("x");
  await vaak.catalogue.enquire({ name: "A", email: "a@example.org", intent: "quote", dataset: record.slug });
  const voices: string[] = (await vaak.voices()).map((voice) => voice.voice_id);
  const player = new Player({ sampleRate: 24000 });
  const played: number = await player.play(live);
  try { player.stop(); } catch (error) { if (error instanceof VaakError) return error.code; }
  return captions(live.words, { format: "srt" }) + spoken_text + voices.join() + played + notices.join();
}
function sum(event: LiveEvent): number {
  switch (event.type) {
    case "audio": return event.samples.length + event.at;
    case "words": return event.words.reduce((n: number, w: LiveWord) => n + w.start_ms, 0);
    case "left_out": return event.text.length;
    case "done": return event.audio_ms;
    case "cancelled": return event.char_offset;
  }
}
// @ts-expect-error a format that does not exist
vaak.speak({ input: "Hi", response_format: "ogg" });
// @ts-expect-error the text is missing
vaak.preview({});
// @ts-expect-error a mode that does not exist
vaak.live({ mode: "hasty" });
// @ts-expect-error an intent that does not exist
vaak.catalogue.enquire({ name: "A", email: "a@example.org", intent: "buy" });
`;

describe("npm pack", () => {
  test("ships the modules and their types, which a strict program compiles with", async (t) => {
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", work], here("../clients/js"));
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf("[")));
    const files = packed.files.map((file) => file.path).sort();
    const modules = ["captions", "error", "http", "index", "live", "player", "vaak"];
    assert.deepEqual(files, [
      "LICENSE", "README.md", "package.json", ...modules.map((name) => `src/${name}.js`), "src/worklet.js",
      ...[...modules, "types"].map((name) => `types/${name}.d.ts`),
    ].sort());
    t.diagnostic(`the package: ${packed.size} bytes packed, ${packed.unpackedSize} unpacked, ${files.length} files`);
    const at = path.join(work, "node_modules/@vaak/client");
    await mkdir(at, { recursive: true });
    await run("tar", ["-xzf", path.join(work, packed.filename), "--strip-components=1", "-C", at]);
    await writeFile(path.join(work, "consumer.ts"), consumer);
    await writeFile(path.join(work, "package.json"), '{"type":"module"}');
    const strict = ["--strict", "--noEmit", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom"];
    await run("tsc", [...strict, "--types", "", "consumer.ts"], work);
  });
  test("is small", async (t) => {
    for (const [what, code, most] of [
      ["everything", 'export * from "./index.js"', 6000],
      ["Vaak alone", 'export { Vaak } from "./index.js"', 4200],
      ["Player alone", 'export { Player } from "./index.js"', 2000],
      ["worklet.js", 'import "./worklet.js"', 1000],
    ]) {
      const { outputFiles } = await build({
        stdin: { contents: code, resolveDir: here("../clients/js/src") }, bundle: true, minify: true, format: "esm", write: false,
      });
      const zipped = gzipSync(outputFiles[0].contents, { level: 9 }).length;
      t.diagnostic(`${what}: ${outputFiles[0].contents.length} bytes minified, ${zipped} with gzip`);
      assert.ok(zipped <= most, `${what} has ${zipped} bytes with gzip, at most ${most} are wanted`);
    }
  });
});

const use = `
from vaak import AsyncVaak, LiveEvent, Reading, Vaak, VaakError, captions


def total(event: LiveEvent) -> float:
    if event["type"] == "audio":
        return len(event["pcm"]) + event["start_ms"]
    if event["type"] == "words":
        return sum(word["start_ms"] for word in event["words"])
    if event["type"] == "left_out":
        return len(event["text"])
    if event["type"] == "done":
        return event["audio_ms"]
    return event["char_offset"]


def use(vaak: Vaak) -> str:
    reading: Reading = vaak.preview_text(input="5", response_format="mp3")
    with vaak.live(mode="eager", words=True) as session:
        session.send("Hi", flush=True)
        sum(total(event) for event in session)
        how = session.cancel(12)
    said: str = how["text_spoken"] if how["type"] == "cancelled" else how["request_id"]
    token: str = vaak.tokens.create(max_characters=10)["token"]
    slugs: list[str] = [dataset["slug"] for dataset in vaak.catalogue.all(language=["hi"], sort="hours")]
    return captions(session.words, "srt") + reading["spoken_text"] + said + token + slugs[0]


async def use_async(vaak: AsyncVaak) -> int:
    try:
        async with vaak.live(lang="en") as session:
            await session.send("Hi")
            return len([event async for event in session])
    except VaakError as error:
        return error.status or 0


def misuse(vaak: Vaak) -> None:
    vaak.live(mode="hasty")  # pyright: ignore[reportArgumentType]
    vaak.preview_text()  # pyright: ignore[reportCallIssue]
    vaak.catalogue.list(sort="size")  # pyright: ignore[reportArgumentType]
`;

describe("the Python package", () => {
  const python = here(".venv/bin/python");
  test("is a wheel, whose types pyright finds no fault with in strict mode", async (t) => {
    const source = path.join(work, "python");
    await cp(here("../clients/python"), source, { recursive: true });
    await run(here(".venv/bin/uv"), ["build", "--quiet", "--offline", "--wheel", "--out-dir", work], source);
    const { stdout } = await run(python, ["-c", `
import glob, sys, zipfile
wheel, = glob.glob(sys.argv[1] + "/vaak-*.whl")
files = zipfile.ZipFile(wheel)
files.extractall(sys.argv[1] + "/site")
print(*sorted(name for name in files.namelist() if not name.endswith("/")))
print(len(open(wheel, "rb").read()))`, work]);
    const [files, size] = stdout.trim().split("\n");
    const names = files.split(" ").filter((name) => name.startsWith("vaak/"));
    assert.deepEqual(names, ["__init__", "_aio", "_calls", "_captions", "_error", "_events", "_sync", "_types"].map((name) => `vaak/${name}.py`).concat("vaak/py.typed"));
    t.diagnostic(`the wheel: ${size} bytes`);
    await writeFile(path.join(work, "use.py"), use);
    await writeFile(path.join(work, "pyrightconfig.json"), JSON.stringify({
      include: ["use.py", "site/vaak"], extraPaths: ["site"], typeCheckingMode: "strict", pythonVersion: "3.11",
    }));
    await run("pyright", ["--pythonpath", python, "-p", work, "--warnings"]);
  });
});
