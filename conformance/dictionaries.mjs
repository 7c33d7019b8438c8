// What the tests of pronunciation dictionaries share: a text, how it is to be read, and
// dictionaries that say so. They are made over plain HTTP, for clients that cannot make
// any; VAAK_BASE_URL and VAAK_API_KEY say where and for whom.
import assert from "node:assert/strict";

export const written = "We run nginx and kubectl here.";
export const respelled = "We run engine x and cube control here.";
export const rules = [
  { type: "alias", string_to_replace: "nginx", alias: "engine x" },
  { type: "alias", string_to_replace: "kubectl", alias: "cube control" },
];

// dictionary makes one from rules, as HTTP has them, and returns its locator.
export async function dictionary(name, of = rules) {
  const response = await fetch(`${process.env.VAAK_BASE_URL}/v1/pronunciation-dictionaries/add-from-rules`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "xi-api-key": process.env.VAAK_API_KEY },
    body: JSON.stringify({ name, rules: of }),
  });
  const made = await response.json();
  assert.equal(response.status, 200, JSON.stringify(made));
  return { pronunciation_dictionary_id: made.id, version_id: made.version_id };
}

// nobody is an id that no dictionary has.
export const nobody = "00000000-0000-4000-8000-000000000000";
