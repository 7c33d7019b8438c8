// How many tokens of a model's context the tools take, as clients receive them: what
// is over budget fails. Counted as o200k_base counts, which is near enough to other
// vocabularies for a budget. VAAK_BASE_URL and VAAK_API_KEY say where the server is;
// `run` sets them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

// What a list of tools may take with all of its tools, and without those that a
// deployment may lack; then instructions, and what a call answers.
const budgets = {
  "/api/catalogue/mcp": { optional: "send_enquiry", all: 2300, fewer: 1850 },
  "/v1/mcp": { optional: "create_pronunciation_dictionary", all: 2500, fewer: 1900 },
};
const instructionsBudget = 250;
const resultBudget = 2000;
const largestResult = 8000;

// Calls whose answer may be read again and again, with their default arguments.
const frequent = [["/v1/mcp", "search_voices"], ["/v1/mcp", "list_languages"], ["/v1/mcp", "list_pronunciation_dictionaries"]];

// As many rules as a dictionary may have.
const rules = Array.from({ length: 1000 }, (_, i) => ({ string_to_replace: `nginx ${i}`, alias: `इंजन एक्स ${i}`, only_languages: ["hi"] }));

// Without a way to ask the person, the answer is the longest: it has the link.
const enquiry = { name: "Asha Rao", email: "asha@example.org", intent: "question", message: "Which of them have Hindi telephone calls? ".repeat(100) };

const fullPage = new URL("../mcp/testdata/results/search.golden", import.meta.url);

const tokens = (value) => encode(typeof value === "string" ? value : JSON.stringify(value)).length;

let last = 0;

// ask sends a request to an endpoint as it is and returns its result.
async function ask(path, method, params) {
  const response = await fetch(process.env.VAAK_BASE_URL + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json", Authorization: `Bearer ${process.env.VAAK_API_KEY}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++last, method, params }),
  });
  const { result, error } = await response.json();
  assert.ok(result, JSON.stringify(error));
  return result;
}

// sizeOf is what an answer takes for hosts that show the model both its forms.
async function sizeOf(path, name, args = {}) {
  const result = await ask(path, "tools/call", { name, arguments: args });
  assert.ok(!result.isError, result.content[0].text);
  return tokens(result.content.map((c) => c.text ?? JSON.stringify(c)).join("\n")) + tokens(result.structuredContent);
}

function within(t, what, size, budget) {
  t.diagnostic(`${what}: ${size} of ${budget} tokens`);
  assert.ok(size <= budget, `${what} takes ${size} tokens, at most ${budget} are allowed`);
}

describe("token budgets", () => {
  for (const [path, { optional, all, fewer }] of Object.entries(budgets)) {
    test(`tools/list of ${path}`, async (t) => {
      const { tools } = await ask(path, "tools/list");
      for (const tool of tools) t.diagnostic(`${tool.name}: ${tokens(tool)}`);
      within(t, `tools/list of ${path}`, tokens(tools), tools.some((tool) => tool.name === optional) ? all : fewer);
    });
    test(`instructions of ${path}`, async (t) => {
      const { instructions } = await ask(path, "initialize", {
        protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "vaak-conformance", version: "1.0.0" },
      });
      within(t, `instructions of ${path}`, tokens(instructions), instructionsBudget);
    });
  }
  test("answers about datasets in full", async (t) => {
    const path = "/api/catalogue/mcp";
    const { structuredContent } = await ask(path, "tools/call", { name: "search_datasets", arguments: { limit: 5 } });
    const slugs = structuredContent.datasets.map((d) => d.slug);
    for (const name of ["get_dataset", "get_croissant"]) {
      for (const slug of slugs) within(t, `${name} of ${slug}`, await sizeOf(path, name, { slug }), largestResult);
    }
    within(t, `compare_datasets of ${slugs.length}`, await sizeOf(path, "compare_datasets", { slugs }), largestResult);
  });
  test("an answer of send_enquiry", async (t) => {
    const path = "/api/catalogue/mcp";
    const { structuredContent } = await ask(path, "tools/call", { name: "search_datasets", arguments: { limit: 1 } });
    within(t, "send_enquiry", await sizeOf(path, "send_enquiry", { ...enquiry, dataset: structuredContent.datasets[0].slug }), resultBudget);
  });
  for (const [path, name] of frequent) {
    test(`an answer of ${name}`, async (t) => within(t, name, await sizeOf(path, name), resultBudget));
  }

  test("a page of a dictionary's rules", async (t) => {
    const path = "/v1/mcp";
    const made = await ask(path, "tools/call", { name: "create_pronunciation_dictionary", arguments: { name: "Long", rules } });
    assert.ok(!made.isError, made.content[0].text);
    const { id } = made.structuredContent;
    within(t, "a page of rules", await sizeOf(path, "list_pronunciation_dictionaries", { id }), resultBudget);
    within(t, "a long page of rules", await sizeOf(path, "list_pronunciation_dictionaries", { id, limit: 100 }), largestResult);
  });

  // The server has fewer datasets than fill a page; the tests of the tools have a
  // full one under review, with titles as catalogues have them.
  test("an answer of search_datasets", async (t) => {
    within(t, "search_datasets", await sizeOf("/api/catalogue/mcp", "search_datasets"), resultBudget);
    const [text, structured] = (await readFile(fullPage, "utf8")).split("\n\n");
    const found = JSON.parse(structured);
    assert.ok(found.nextCursor, "the page is not full");
    within(t, `a full page, ${found.datasets.length} datasets`, tokens(text) + tokens(found), resultBudget);
  });
});
