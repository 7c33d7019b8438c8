// Writes docs/conformance.md from the results of the tests to standard output:
//
//	node report.mjs RESULTS PAGE [LANGUAGE...]
//
// What the page says of clients in the languages, which were not run, stays.
import { readFileSync } from "node:fs";

const [results, page, ...skipped] = process.argv.slice(2);

const intro = `# Conformance

What official clients of the APIs that Vaak speaks, and frameworks built on them, can
do with it; what mlcroissant, the reference library of Croissant, reads of its
datasets; what validators of other formats say of what crawlers read; and which scenarios of the official suite of the Model Context Protocol pass,
with its own fixtures behind our transport and at our endpoints. \`make conformance\`
runs every check below against a server that it starts, and fails when this page says
something else. How to point a client at Vaak:
[Coming from OpenAI or ElevenLabs](clients.md).
`;
const head = "| client | language | version | checks passed |\n|---|---|---|---|\n";

// before reads what the page says now: the overview's line and the section of each client.
function before() {
  const clients = new Map();
  let text = "";
  try {
    text = readFileSync(page, "utf8");
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  for (const [, name, language, section] of text.matchAll(/^## (.+?) \((\w+)\)\n([^]*?)(?=\n## |$(?![^]))/gm)) {
    const line = text.split("\n").find((l) => l.startsWith(`| ${name} | ${language} |`));
    clients.set(`${name} (${language})`, { language, line, section: `## ${name} (${language})\n${section.trimEnd()}\n` });
  }
  return clients;
}

const cell = (text) => text.replaceAll("|", "\\|");

// section writes the part of one client from its results.
function section(title, lines) {
  const methods = Map.groupBy ? Map.groupBy(lines, (l) => l.method) : lines.reduce((m, l) => m.set(l.method, [...(m.get(l.method) ?? []), l]), new Map());
  const rows = [...methods].sort(([a], [b]) => (a < b ? -1 : 1)).map(([method, checks]) => {
    const failed = checks.filter((c) => !c.ok).map((c) => c.shows);
    return `| ${cell(method)} | ${cell(checks.map((c) => c.shows).join("; "))} | ${failed.length ? `**fails**: ${cell(failed.join("; "))}` : "yes"} |`;
  });
  return `## ${title}\n\n| method | what was checked | works |\n|---|---|---|\n${rows.join("\n")}\n`;
}

// after reads the results into the same form as before.
function after() {
  const clients = new Map();
  const by = new Map();
  for (const text of readFileSync(results, "utf8").split("\n").filter(Boolean)) {
    const line = JSON.parse(text);
    const title = `${line.client} (${line.language})`;
    by.set(title, [...(by.get(title) ?? []), line]);
  }
  for (const [title, lines] of by) {
    const [{ client, language, version }] = lines;
    const passed = lines.filter((l) => l.ok).length;
    clients.set(title, { language, line: `| ${client} | ${language} | ${version} | ${passed} of ${lines.length} |`, section: section(title, lines) });
  }
  return clients;
}

const clients = new Map([...[...before()].filter(([, { language }]) => skipped.includes(language)), ...after()]);
const sorted = [...clients].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, client]) => client);
process.stdout.write([intro, head + sorted.map(({ line }) => `${line}\n`).join(""), ...sorted.map((c) => c.section)].join("\n"));
