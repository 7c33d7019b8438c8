// Runs the official conformance suite of the Model Context Protocol, for both
// versions that it scores: against its fixtures behind our transport (the program
// mcp/conformance), and, where a scenario needs no fixtures, against the endpoints of
// the product. Prints how much passed.
//
// mcp-expected.json names each check that fails and why. A check that fails without
// being named there fails the run, and so does one that is named and passes.
//
//	VAAK_NODE22        Node.js 22 or newer, which the suite needs
//	VAAK_MCP_FIXTURES  the program that serves the fixtures
//	VAAK_BASE_URL, VAAK_API_KEY  the product and a key for it
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { withKey } from "./forward.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const client = "@modelcontextprotocol/conformance";
const program = here(`node_modules/${client}/dist/index.js`);
const { version } = JSON.parse(readFileSync(here(`node_modules/${client}/package.json`), "utf8"));
const expected = JSON.parse(readFileSync(here("mcp-expected.json"), "utf8"));
const node = process.env.VAAK_NODE22 ?? process.execPath;

// The time that a scenario may take on a busy machine, in milliseconds.
const patience = 30_000;

// Of the scenarios that the suite does not score, those that a server like ours has
// to pass all the same.
const unscored = {
  "2025-11-25": ["server-session-lifecycle", "json-schema-2020-12", "server-sse-polling"],
  "2026-07-28": ["json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"],
};

// Scenarios that need no fixtures.
const plain = {
  "2025-11-25": [
    "server-initialize", "ping", "completion-complete", "tools-list", "resources-list", "prompts-list",
    "dns-rebinding-protection", "server-sse-multiple-streams", "server-sse-polling", "server-session-lifecycle",
  ],
  "2026-07-28": [
    "server-stateless", "completion-complete", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection",
    "server-sse-multiple-streams", "sep-2164-resource-not-found", "caching", "http-header-validation",
    "input-required-result-unsupported-methods",
  ],
};

// scored reads which scenarios a version of the protocol asks of servers.
function scored(revision) {
  const text = readFileSync(here(`node_modules/${client}/requirements/${revision}.yaml`), "utf8");
  const [, list] = /^server:\n((?: {2}- \S+\n)+)/m.exec(text);
  return [...list.matchAll(/- (\S+)/g)].map(([, name]) => name);
}

// suite runs every scenario of a version against an address and returns the checks by
// scenario. What it prints is shown only when it ran none.
async function suite(url, revision) {
  const results = mkdtempSync(path.join(tmpdir(), "vaak-mcp-"));
  try {
    const child = spawn(node, [program, "server", "--url", url, "--requirements", revision, "--timeout", String(patience), "-o", results], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
    await once(child, "close");
    const checks = new Map();
    for (const directory of readdirSync(results)) {
      const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(directory);
      checks.set(scenario, JSON.parse(readFileSync(path.join(results, directory, "checks.json"), "utf8")));
    }
    if (checks.size === 0) throw new Error(`the suite ran no scenario against ${url}: ${said.slice(-2000)}`);
    return checks;
  } finally {
    rmSync(results, { recursive: true });
  }
}

// judge compares the checks of a scenario with what is expected to fail.
function judge(scenario, checks, known = {}) {
  if (!checks) return { scenario, passed: 0, failed: 1, warned: 0, wrong: [`${scenario} did not run`] };
  const failed = checks.filter((c) => c.status === "FAILURE");
  const passed = checks.filter((c) => c.status === "SUCCESS");
  const wrong = failed.filter((c) => !known[c.id]).map((c) => `${scenario}: ${c.id}: ${c.errorMessage ?? c.description}`);
  for (const id of Object.keys(known)) {
    if (!failed.some((c) => c.id === id)) wrong.push(`${scenario}: ${id} is expected to fail and does not: take it out of mcp-expected.json`);
  }
  return { scenario, passed: passed.length, failed: failed.length, warned: checks.filter((c) => c.status === "WARNING").length, wrong };
}

// record leaves a line for docs/conformance.md.
function record(method, shows, ok) {
  if (!process.env.VAAK_RESULTS) return;
  appendFileSync(process.env.VAAK_RESULTS, `${JSON.stringify({ client, language: "JavaScript", version, method, shows, ok })}\n`);
}

const sum = (list, key) => list.reduce((n, one) => n + one[key], 0);

// row prints a line of the table.
function row(target, revision, kind, judged) {
  const passed = sum(judged, "passed");
  const cells = [
    target, revision, kind, `${judged.filter((j) => j.failed === 0).length} of ${judged.length}`,
    `${passed} of ${passed + sum(judged, "failed")}`, sum(judged, "warned"),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

// run runs a version against a target, and returns what is not as expected of groups
// of scenarios.
async function run(target, known, url, revision, groups) {
  const checks = await suite(url, revision);
  const wrong = [];
  for (const [kind, scenarios] of Object.entries(groups)) {
    const judged = scenarios.map((s) => judge(s, checks.get(s), known[s]));
    row(target, revision, kind, judged);
    for (const j of judged) {
      const failing = Object.keys(known[j.scenario] ?? {});
      record(`${target}, ${revision}`, failing.length ? `${j.scenario} (its ${failing.join(", ")})` : j.scenario, j.failed === 0 && j.wrong.length === 0);
      wrong.push(...j.wrong);
    }
  }
  const all = Object.values(groups).flat();
  wrong.push(...Object.keys(known).filter((s) => !all.includes(s)).map((s) => `${s} is named in mcp-expected.json and not run`));
  return wrong.map((w) => `${target}, ${revision}: ${w}`);
}

// fixtures starts the program that serves them and returns its address.
async function fixtures() {
  const child = spawn(process.env.VAAK_MCP_FIXTURES, ["--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await Promise.race([once(child.stdout, "data"), once(child, "close").then(([code]) => [`it left with status ${code}`])]);
  const [, url] = /^ready (\S+)\n$/.exec(String(line)) ?? [];
  if (!url) throw new Error(`the server of the fixtures says ${JSON.stringify(String(line))}, not its address`);
  return {
    url,
    async close() {
      child.kill("SIGTERM");
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`the server of the fixtures left with status ${code}`);
    },
  };
}

// during does something with what has an address, and closes it whatever happens.
async function during(opened, body) {
  try {
    return await body(opened.url);
  } finally {
    await opened.close();
  }
}

// versions runs each version of the protocol against a target.
async function versions(target, kind, url, groups) {
  const wrong = [];
  for (const revision of Object.keys(plain)) {
    wrong.push(...await run(target, expected[kind]?.[revision] ?? {}, url, revision, groups(revision)));
  }
  return wrong;
}

const withFixtures = (revision) => ({ scored: scored(revision), "not scored": unscored[revision] });
const withoutFixtures = (revision) => ({ "need no fixtures": plain[revision] });

console.log(`${client} ${version}\n\n| target | version | which scenarios | scenarios passed | checks passed | warnings |\n|---|---|---|---|---|---|`);
const base = process.env.VAAK_BASE_URL;
const wrong = [
  ...await during(await fixtures(), (url) => versions("fixtures", "fixtures", url, withFixtures)),
  ...await versions("/api/catalogue/mcp", "product", `${base}/api/catalogue/mcp`, withoutFixtures),
  ...await during(await withKey(`${base}/v1/mcp`, process.env.VAAK_API_KEY), (url) => versions("/v1/mcp", "product", url, withoutFixtures)),
];
for (const line of wrong) console.error(line);
process.exitCode = wrong.length ? 1 : 0;
