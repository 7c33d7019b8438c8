// Pronunciation dictionaries in speech, by the official ElevenLabs JavaScript SDK: what
// is heard is what the respelled text sounds like, and times are told of the text that
// was sent.
import assert from "node:assert/strict";
import { before } from "node:test";
import { ElevenLabs } from "@elevenlabs/elevenlabs-js";
import { dictionary, nobody, respelled, written } from "./dictionaries.mjs";
import { aligned, aVoice, bytes, clientOf, joined, pcm, refusal, secondsOf } from "./elevenlabs.mjs";
import { testsOf } from "./record.mjs";

const { describe, test } = testsOf("@elevenlabs/elevenlabs-js");

const client = clientOf(process.env.VAAK_API_KEY);
const speech = client.textToSpeech;
const locators = "pronunciationDictionaryLocators";
const locatorOf = ({ pronunciation_dictionary_id: pronunciationDictionaryId, version_id: versionId }) => ({ pronunciationDictionaryId, versionId });

let voice; // an id
let products; // the locator of the dictionary that reads written as respelled
let wanted; // PCM of respelled

const say = async (text, of, more) => bytes(await speech.convert(voice, { text, outputFormat: pcm, languageCode: "en", [locators]: of, ...more }));

before(async () => {
  voice = await aVoice();
  products = locatorOf(await dictionary("Heard"));
  wanted = await say(respelled);
  assert.ok(!wanted.equals(await say(written)), "the two texts sound alike, so nothing can be told");
});

const same = (audio, want) => assert.ok(audio.equals(want), `${audio.length} bytes, which are not the ${want.length} of the respelled text`);

// timed checks the alignments of a text that was read otherwise: all of both, and that
// a term begins and ends when what was read in its place does. It ends when the word
// after it begins, in both.
function timed(alignment, normalized, seconds) {
  aligned(alignment, written, seconds);
  aligned(normalized, respelled, seconds);
  const start = ({ characters, characterStartTimesSeconds: starts }, part) => starts[characters.join("").indexOf(part)];
  for (const [word, read] of [["nginx", "engine x"], ["and", "and"], ["kubectl", "cube control"], ["here", "here"]]) {
    const [at, heard] = [start(alignment, word), start(normalized, read)];
    assert.ok(Math.abs(at - heard) < 0.002, `${word} begins at ${at} s, ${read} at ${heard} s`);
  }
}

describe("textToSpeech.convert, pronunciationDictionaryLocators", () => {
  test("is the audio of the respelled text", async () => same(await say(written, [products]), wanted));

  test("the latest version without a versionId, an older one with its own", async () => {
    const before = locatorOf(await dictionary("Versions"));
    const edited = await client.pronunciationDictionaries.rules.set(before.pronunciationDictionaryId, { rules: [{ type: "alias", stringToReplace: "nginx", alias: "web server" }] });
    const latest = { pronunciationDictionaryId: edited.id };
    const now = await say("We run web server and kubectl here.");
    same(await say(written, [latest]), now);
    same(await say(written, [{ ...latest, versionId: edited.versionId }]), now);
    same(await say(written, [before]), wanted);
  });

  test("several apply in their order", async () => {
    const other = locatorOf(await dictionary("Order", [{ string_to_replace: "nginx", alias: "web server" }, { string_to_replace: "run", alias: "serve" }]));
    same(await say(written, [products, other]), await say("We serve engine x and cube control here."));
    same(await say(written, [other, products]), await say("We serve web server and cube control here."));
  });

  test("a rule for Hindi is heard in Hindi, in another script, and not in English", async () => {
    const hindi = locatorOf(await dictionary("Hindi", [{ string_to_replace: "API", alias: "ए पी आई", only_languages: ["hi"] }]));
    const mixed = "हमारी API तैयार है।";
    const detected = { languageCode: undefined };
    same(await say(mixed, [hindi], detected), await say("हमारी ए पी आई तैयार है।", [], detected));
    same(await say("Our API is ready.", [hindi], detected), await say("Our API is ready.", [], detected));
  });

  test("an unknown one is not found, and so is an unknown version", async () => {
    for (const locator of [{ pronunciationDictionaryId: nobody }, { ...products, versionId: nobody }]) {
      const error = await refusal(speech.convert(voice, { text: written, [locators]: [locator] }));
      assert.equal(error.statusCode, 404);
      assert.equal(error.body.detail.status, "pronunciation_dictionary_not_found");
    }
  });

  test("four are an UnprocessableEntityError", async () => {
    const four = [products];
    while (four.length < 4) four.push(locatorOf(await dictionary("Four")));
    const error = await refusal(speech.convert(voice, { text: written, [locators]: four }), ElevenLabs.UnprocessableEntityError);
    assert.deepEqual(error.body.detail[0].loc, ["body", "pronunciation_dictionary_locators"]);
  });
});

describe("textToSpeech.stream, pronunciationDictionaryLocators", () => {
  test("is the audio of the respelled text", async () => {
    same(await bytes(await speech.stream(voice, { text: written, outputFormat: pcm, languageCode: "en", [locators]: [products] })), wanted);
  });
});

describe("textToSpeech.convertWithTimestamps, pronunciationDictionaryLocators", () => {
  test("alignment is of the text that was sent, normalizedAlignment of what was read", async () => {
    const answer = await speech.convertWithTimestamps(voice, { text: written, outputFormat: pcm, languageCode: "en", [locators]: [products] });
    const audio = Buffer.from(answer.audioBase64, "base64");
    same(audio, wanted);
    timed(answer.alignment, answer.normalizedAlignment, secondsOf(audio));
  });
});

describe("textToSpeech.streamWithTimestamps, pronunciationDictionaryLocators", () => {
  test("alignment is of the text that was sent, normalizedAlignment of what was read", async () => {
    const lines = [];
    for await (const line of await speech.streamWithTimestamps(voice, { text: written, outputFormat: pcm, languageCode: "en", [locators]: [products] })) lines.push(line);
    const audio = Buffer.concat(lines.map((line) => Buffer.from(line.audioBase64, "base64")));
    same(audio, wanted);
    timed(joined(lines, "alignment"), joined(lines, "normalizedAlignment"), secondsOf(audio));
  });
});
