// The official ElevenLabs JavaScript SDK makes pronunciation dictionaries, reads, lists
// and edits them. It refuses answers that lack a field. What they do to speech is in
// dictionaries-heard.test.mjs.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { ElevenLabs } from "@elevenlabs/elevenlabs-js";
import { nobody } from "./dictionaries.mjs";
import { bytes, clientOf, refusal } from "./elevenlabs.mjs";
import { testsOf } from "./record.mjs";

const { describe, test } = testsOf("@elevenlabs/elevenlabs-js");

const client = clientOf(process.env.VAAK_API_KEY);
const dictionaries = client.pronunciationDictionaries;
const alias = (stringToReplace, of, more) => ({ type: "alias", stringToReplace, alias: of, ...more });
const rules = [alias("nginx", "engine x"), alias("SQL", "sequel", { caseSensitive: true, wordBoundaries: false })];

// Others make dictionaries meanwhile: a name of our own tells ours.
const named = (name) => `${name} ${randomUUID().slice(0, 8)}`;
const make = (name = named("Made")) => dictionaries.createFromRules({ name, rules });

// spelled is what a dictionary writes for each term, in its order.
const spelled = ({ rules }) => rules.map((rule) => [rule.stringToReplace, rule.alias]);

// listed pages through the list, two at a time, and returns all of it.
async function listed(order) {
  const all = [];
  let cursor;
  do {
    const page = await dictionaries.list({ pageSize: 2, cursor, ...order });
    assert.equal(page.hasMore, Boolean(page.nextCursor));
    assert.ok(page.pronunciationDictionaries.length === 2 || !page.hasMore, "a page before the last is full");
    all.push(...page.pronunciationDictionaries);
    cursor = page.nextCursor;
  } while (cursor);
  return all;
}

describe("pronunciationDictionaries.createFromRules", () => {
  test("has every field that the SDK reads", async () => {
    const name = named("Products");
    const made = await dictionaries.createFromRules({ name, description: "How products are said.", rules, workspaceAccess: "viewer" });
    assert.equal(made.name, name);
    assert.equal(made.description, "How products are said.");
    assert.equal(made.versionRulesNum, 2);
    for (const id of [made.id, made.versionId]) assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.ok(made.createdBy);
    assert.ok(Math.abs(made.creationTimeUnix - Date.now() / 1000) < 300 && Number.isInteger(made.creationTimeUnix), `${made.creationTimeUnix}`);
  });

  test("languages travel as an additional parameter, since its types have none", async () => {
    const scoped = [
      { string_to_replace: "API", alias: "ए पी आई", only_languages: ["hi"] },
      { string_to_replace: "API", alias: "A P I", except_languages: ["hi"] },
    ];
    const { id } = await dictionaries.createFromRules({ name: named("Scoped"), rules: [] }, { additionalBodyParameters: { rules: scoped } });
    const got = await dictionaries.get(id);
    assert.deepEqual(spelled(got), [["API", "ए पी आई"], ["API", "A P I"]]);
    assert.deepEqual(got.rules[0].only_languages, ["hi"]);
    assert.deepEqual(got.rules[1].except_languages, ["hi"]);
  });

  const phonemes = {
    "a rule of type phoneme": { type: "phoneme", stringToReplace: "tomato", phoneme: "təˈmɑːtəʊ", alphabet: "ipa" },
    "IPA in an alias": alias("tomato", "təˈmɑːtəʊ"),
  };
  for (const [what, rule] of Object.entries(phonemes)) {
    test(`${what} is an UnprocessableEntityError that says which, and nothing is kept`, async () => {
      const name = named("Phonemes");
      const error = await refusal(dictionaries.createFromRules({ name, rules: [...rules, rule] }), ElevenLabs.UnprocessableEntityError);
      const { status, message, rule_index: index, term } = error.body.detail;
      assert.equal(status, "phonemes_not_supported");
      assert.equal(index, 2);
      assert.equal(term, "tomato");
      assert.match(message, /letters/i);
      assert.ok((await listed()).every((one) => one.name !== name));
    });
  }

  test("a term twice with the same scope is an UnprocessableEntityError", async () => {
    const error = await refusal(dictionaries.createFromRules({ name: named("Twice"), rules: [alias("API", "A P I"), alias("api", "a pee eye")] }), ElevenLabs.UnprocessableEntityError);
    assert.match(JSON.stringify(error.body.detail), /api/i);
  });

  test("no name is an UnprocessableEntityError", async () => {
    const error = await refusal(dictionaries.createFromRules({ name: "", rules }), ElevenLabs.UnprocessableEntityError);
    assert.deepEqual(error.body.detail[0].loc, ["body", "name"]);
  });
});

describe("pronunciationDictionaries.get", () => {
  test("has the record and its rules, in their order", async () => {
    const made = await make();
    const got = await dictionaries.get(made.id);
    assert.equal(got.id, made.id);
    assert.equal(got.name, made.name);
    assert.equal(got.createdBy, made.createdBy);
    assert.equal(got.creationTimeUnix, made.creationTimeUnix);
    assert.equal(got.latestVersionId, made.versionId);
    assert.equal(got.latestVersionRulesNum, 2);
    const options = got.rules.map(({ type, caseSensitive, wordBoundaries }) => ({ type, caseSensitive: caseSensitive ?? false, wordBoundaries: wordBoundaries ?? true }));
    assert.deepEqual(spelled(got), [["nginx", "engine x"], ["SQL", "sequel"]]);
    assert.deepEqual(options, [
      { type: "alias", caseSensitive: false, wordBoundaries: true },
      { type: "alias", caseSensitive: true, wordBoundaries: false },
    ]);
  });

  test("an unknown one, and one of another organisation, are not found", async () => {
    const { id } = await make();
    const other = clientOf(process.env.VAAK_STREAM_KEY).pronunciationDictionaries;
    for (const error of [await refusal(dictionaries.get(nobody)), await refusal(dictionaries.get("x")), await refusal(other.get(id))]) {
      assert.equal(error.statusCode, 404);
      assert.equal(error.body.detail.status, "pronunciation_dictionary_not_found");
    }
  });
});

describe("pronunciationDictionaries.list", () => {
  test("pages through all, each once, in every order", async () => {
    const mine = [];
    for (const name of ["Ceres", "Apollo", "Eos", "Bacchus", "Demeter"]) mine.push(await make(named(name)));
    const byAge = mine.map(({ id }) => id);
    const byName = [...mine].sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ id }) => id);
    const orders = [
      [{}, [...byAge].reverse()],
      [{ sort: "creation_time_unix", sortDirection: "DESCENDING" }, [...byAge].reverse()],
      [{ sort: "creation_time_unix", sortDirection: "ASCENDING" }, byAge],
      [{ sort: "name", sortDirection: "ascending" }, byName],
      [{ sort: "name", sortDirection: "descending" }, [...byName].reverse()],
    ];
    for (const [order, want] of orders) {
      const all = await listed(order);
      const ids = all.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length, "none is told twice");
      assert.deepEqual(ids.filter((id) => byAge.includes(id)), want, JSON.stringify(order));
      const { latestVersionId, latestVersionRulesNum, createdBy } = all.find(({ id }) => id === mine[0].id);
      assert.deepEqual({ latestVersionId, latestVersionRulesNum, createdBy }, { latestVersionId: mine[0].versionId, latestVersionRulesNum: 2, createdBy: mine[0].createdBy });
    }
  });

  test("a page of none or too many, an unknown order or cursor: an UnprocessableEntityError", async () => {
    for (const query of [{ pageSize: 0 }, { pageSize: 101 }, { cursor: "nowhere" }, { sortDirection: "sideways" }]) {
      await refusal(dictionaries.list(query), ElevenLabs.UnprocessableEntityError);
    }
  });
});

describe("pronunciationDictionaries.rules", () => {
  test("add, set and remove each make a version", async () => {
    const { id, versionId } = await make();
    const edits = [
      [() => dictionaries.rules.add(id, { rules: [alias("kubectl", "cube control"), alias("nginx", "engine ex")] }), [["nginx", "engine ex"], ["SQL", "sequel"], ["kubectl", "cube control"]]],
      [() => dictionaries.rules.remove(id, { ruleStrings: ["SQL"] }), [["nginx", "engine ex"], ["kubectl", "cube control"]]],
      [() => dictionaries.rules.set(id, { rules: [alias("Vaak", "vaahk")] }), [["Vaak", "vaahk"]]],
    ];
    const versions = [versionId];
    for (const [edit, want] of edits) {
      const edited = await edit();
      assert.equal(edited.id, id);
      assert.equal(edited.versionRulesNum, want.length);
      versions.push(edited.versionId);
      const got = await dictionaries.get(id);
      assert.deepEqual(spelled(got), want);
      assert.equal(got.latestVersionId, edited.versionId);
    }
    assert.equal(new Set(versions).size, 4, "four versions");
  });

  test("phonemes, and a term without a rule, are refused, and the rules stay", async () => {
    const { id, versionId } = await make();
    await refusal(dictionaries.rules.remove(id, { ruleStrings: ["SQL", "nobody"] }), ElevenLabs.UnprocessableEntityError);
    for (const edit of ["add", "set"]) {
      const error = await refusal(dictionaries.rules[edit](id, { rules: [alias("tomato", "/təˈmɑːtəʊ/")] }), ElevenLabs.UnprocessableEntityError);
      assert.equal(error.body.detail.status, "phonemes_not_supported");
      assert.equal(error.body.detail.rule_index, 0);
    }
    assert.equal((await dictionaries.get(id)).latestVersionId, versionId);
  });
});

describe("pronunciationDictionaries.update, createFromFile", () => {
  test("are refused, and say so", async () => {
    const { id } = await make();
    const calls = [() => dictionaries.update(id, { name: "Other" }), () => dictionaries.createFromFile({ name: "Lexicon", file: Buffer.from("<lexicon/>") })];
    for (const call of calls) {
      const error = await refusal(call());
      assert.equal(error.statusCode, 405);
      assert.ok(error.body.detail.message);
    }
  });
});

describe("pronunciationDictionaries.download", () => {
  test("has each version as PLS", async () => {
    const { id, versionId } = await make();
    const { versionId: later } = await dictionaries.rules.set(id, { rules: [alias("R&D", "research & development"), alias("<3", "love")] });
    const lexemes = async (version) => {
      const { data, rawResponse } = await dictionaries.download(id, version).withRawResponse();
      assert.match(rawResponse.headers.get("content-type"), /^application\/pls\+xml/);
      const document = (await bytes(data)).toString();
      assert.match(document, /<lexicon [^>]*xmlns="http:\/\/www\.w3\.org\/2005\/01\/pronunciation-lexicon"/);
      return [...document.matchAll(/<lexeme>\s*(?:<!--[^]*?-->\s*)?<grapheme>([^<]*)<\/grapheme>\s*<alias>([^<]*)<\/alias>/g)].map(([, term, read]) => [term, read]);
    };
    assert.deepEqual(await lexemes(versionId), [["nginx", "engine x"], ["SQL", "sequel"]]);
    assert.deepEqual(await lexemes(later), [["R&amp;D", "research &amp; development"], ["&lt;3", "love"]]);
  });

  test("an unknown version is not found", async () => {
    const { id } = await make();
    assert.equal((await refusal(dictionaries.download(id, nobody))).statusCode, 404);
  });
});
