// Checks that the pages quote the examples that the tests run as they are, and all
// of them; with --write it quotes them anew. In a page a comment that names a file
// by its path in the repository stands before each block.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const pages = ["docs/clients.md", "docs/live.md", "docs/datasets.md", "docs/croissant.md", "docs/webhooks.md", "clients/js/README.md", "clients/python/README.md"]
  .map((name) => new URL(`../${name}`, import.meta.url));
const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const examples = [
  ...readdirSync(new URL("examples", import.meta.url)).map((name) => `conformance/examples/${name}`),
  "conformance/go/example/main.go",
  "docs/examples/dataset/card.yaml",
  "docs/examples/dataset/recordings.csv",
  "docs/examples/webhooks/receive.go",
  "docs/examples/webhooks/receive.mjs",
  "docs/examples/webhooks/receive.py",
];

const quoted = new Set();
let stale = false;
for (const page of pages) {
  const before = readFileSync(page, "utf8");
  const after = before.replace(/<!-- ((?:conformance|docs)\/\S+) -->\n(```\w+)\n(?:[^]*?\n)?```/g, (_, name, fence) => {
    quoted.add(name);
    return `<!-- ${name} -->\n${fence}\n${read(name).trimEnd()}\n\`\`\``;
  });
  if (after !== before && process.argv[2] === "--write") {
    writeFileSync(page, after);
  } else {
    stale ||= after !== before;
  }
}

const missing = examples.filter((name) => !quoted.has(name));
if (missing.length) {
  console.error(`no page quotes ${missing.join(", ")}`);
  process.exit(1);
}
if (stale) {
  console.error("a page does not quote the examples as they are: run `make conformance-docs`");
  process.exit(1);
}
