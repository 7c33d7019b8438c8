"""The official ElevenLabs Python SDK makes pronunciation dictionaries, reads, lists,
edits and uses them. VAAK_BASE_URL and the keys say where the server is and who calls;
`run` sets them."""

import base64
import os
import uuid
import xml.etree.ElementTree as xml

from dictionaries import NOBODY, RESPELLED, WRITTEN
from elevenlabs import PronunciationDictionaryVersionLocator as Locator
from elevenlabs.client import AsyncElevenLabs, ElevenLabs
from elevenlabs.core.api_error import ApiError
from elevenlabs.errors import UnprocessableEntityError
from elevenlabs.pronunciation_dictionaries import (
    BodyAddAPronunciationDictionaryV1PronunciationDictionariesAddFromRulesPostRulesItem_Alias as Alias,
)
from elevenlabs.pronunciation_dictionaries import (
    BodyAddAPronunciationDictionaryV1PronunciationDictionariesAddFromRulesPostRulesItem_Phoneme as Phoneme,
)
from elevenlabs.pronunciation_dictionaries.rules import PronunciationDictionaryRule_Alias as Rule
from record import Suite, refusal

suite = Suite("elevenlabs")
shows = suite.shows

ORIGIN = os.environ["VAAK_BASE_URL"]
KEY = os.environ["VAAK_API_KEY"]
PCM = "pcm_24000"
PLS = "{http://www.w3.org/2005/01/pronunciation-lexicon}"

client = ElevenLabs(api_key=KEY, base_url=ORIGIN)
dictionaries = client.pronunciation_dictionaries
speech = client.text_to_speech
VOICE = client.voices.get_all().voices[0].voice_id
RULES = [Alias(string_to_replace="nginx", alias="engine x"), Alias(string_to_replace="kubectl", alias="cube control")]


def named(name):
    """named is a name of our own: others make dictionaries meanwhile."""
    return f"{name} {uuid.uuid4().hex[:8]}"


def make(name="Made", rules=RULES):
    return dictionaries.create_from_rules(name=named(name), rules=rules)


def spelled(rules):
    return [(rule.string_to_replace, rule.alias) for rule in rules]


def listed(**order):
    """listed pages through the list, two at a time, and returns all of it."""
    found, cursor = [], None
    while True:
        page = dictionaries.list(page_size=2, cursor=cursor, **order)
        assert page.has_more == bool(page.next_cursor), page
        found += page.pronunciation_dictionaries
        cursor = page.next_cursor
        if not cursor:
            return found
        assert len(page.pronunciation_dictionaries) == 2, page


def at(made, version=None):
    return Locator(pronunciation_dictionary_id=made.id, version_id=version)


def convert(text, *locators, **more):
    settings = {"output_format": PCM, "language_code": "en", **more}
    return b"".join(speech.convert(VOICE, text=text, pronunciation_dictionary_locators=locators, **settings))


def check_same(audio, text=RESPELLED):
    """check_same expects the audio of a text as it is, which differs from that of WRITTEN."""
    want = convert(text)
    assert want != convert(WRITTEN), "the two texts sound alike, so nothing can be told"
    assert audio == want, f"{len(audio)} bytes, which are not the {len(want)} of the respelled text"


@shows("pronunciation_dictionaries.create_from_rules", "has every field that the SDK reads")
def _():
    name = named("Products")
    made = dictionaries.create_from_rules(name=name, rules=RULES, description="How products are said.", workspace_access="viewer")
    assert made.name == name and made.description == "How products are said." and made.created_by, made
    assert uuid.UUID(made.id) and uuid.UUID(made.version_id), made
    assert made.version_rules_num == 2 and made.creation_time_unix > 1.7e9, made


@shows("pronunciation_dictionaries.create_from_rules", "languages are fields beside those of its types")
def _():
    made = make("Scoped", [Alias(string_to_replace="API", alias="ए पी आई", only_languages=["hi"]), Alias(string_to_replace="API", alias="A P I", except_languages=["hi"])])
    here, elsewhere = dictionaries.get(made.id).rules
    assert here.only_languages == ["hi"] and elsewhere.except_languages == ["hi"], (here, elsewhere)
    mixed = "हमारी API तैयार है।"
    assert convert(mixed, at(made), language_code="hi") == convert("हमारी ए पी आई तैयार है।", language_code="hi")


@shows("pronunciation_dictionaries.create_from_rules", "phonemes are an UnprocessableEntityError that says which rule, and nothing is kept")
def _():
    for rule in (
        Phoneme(string_to_replace="tomato", phoneme="təˈmɑːtəʊ", alphabet="ipa"),
        Phoneme(string_to_replace="tomato", phoneme="T AH0 M EY1 T OW2", alphabet="cmu-arpabet"),
        Alias(string_to_replace="tomato", alias="təˈmɑːtəʊ"),
    ):
        name = named("Phonemes")
        error = refusal(lambda: dictionaries.create_from_rules(name=name, rules=[*RULES, rule]), UnprocessableEntityError)
        detail = error.body["detail"]
        assert detail["status"] == "phonemes_not_supported" and detail["rule_index"] == 2, detail
        assert detail["term"] == "tomato" and "letters" in detail["message"], detail
        assert all(one.name != name for one in listed()), "it was kept"


@shows("pronunciation_dictionaries.get", "has the record and its rules, in their order")
def _():
    made = make()
    got = dictionaries.get(made.id)
    assert (got.id, got.name, got.created_by, got.creation_time_unix) == (made.id, made.name, made.created_by, made.creation_time_unix)
    assert (got.latest_version_id, got.latest_version_rules_num) == (made.version_id, 2), got
    assert spelled(got.rules) == [("nginx", "engine x"), ("kubectl", "cube control")], got.rules
    assert all(rule.type == "alias" for rule in got.rules), got.rules


@shows("pronunciation_dictionaries.get", "an unknown one is not found")
def _():
    error = refusal(lambda: dictionaries.get(NOBODY), ApiError)
    assert error.status_code == 404 and error.body["detail"]["status"] == "pronunciation_dictionary_not_found", error


@shows("pronunciation_dictionaries.list", "pages through all, each once, in every order")
def _():
    by_age = [make(name) for name in ("Ceres", "Apollo", "Bacchus")]
    by_name = sorted(by_age, key=lambda made: made.name)
    for sort, want in (("creation_time_unix", by_age), ("name", by_name)):
        for direction, step in (("ASCENDING", 1), ("DESCENDING", -1)):
            ids = [one.id for one in listed(sort=sort, sort_direction=direction)]
            assert len(set(ids)) == len(ids), ids
            wanted = [made.id for made in want][::step]
            assert [id for id in ids if id in wanted] == wanted, (sort, direction, ids)


@shows("pronunciation_dictionaries.rules", "add, remove and set each make a version")
def _():
    made = make()
    edits = [
        (lambda: dictionaries.rules.add(made.id, rules=[Rule(string_to_replace="nginx", alias="engine ex"), Rule(string_to_replace="SQL", alias="sequel")]), [("nginx", "engine ex"), ("kubectl", "cube control"), ("SQL", "sequel")]),
        (lambda: dictionaries.rules.remove(made.id, rule_strings=["kubectl"]), [("nginx", "engine ex"), ("SQL", "sequel")]),
        (lambda: dictionaries.rules.set(made.id, rules=[Alias(string_to_replace="Vaak", alias="vaahk")]), [("Vaak", "vaahk")]),
    ]
    versions = {made.version_id}
    for edit, want in edits:
        edited = edit()
        assert edited.id == made.id and edited.version_rules_num == len(want), edited
        got = dictionaries.get(made.id)
        assert spelled(got.rules) == want and got.latest_version_id == edited.version_id, got
        versions.add(edited.version_id)
    assert len(versions) == 4, versions


@shows("pronunciation_dictionaries.rules", "phonemes are refused, and the rules stay")
def _():
    made = make()
    error = refusal(lambda: dictionaries.rules.add(made.id, rules=[Rule(string_to_replace="tomato", alias="/təˈmɑːtəʊ/")]), UnprocessableEntityError)
    assert error.body["detail"]["status"] == "phonemes_not_supported", error.body
    assert dictionaries.get(made.id).latest_version_id == made.version_id


@shows("pronunciation_dictionaries.update, create_from_file", "are refused, and say so")
def _():
    made = make()
    for call in (lambda: dictionaries.update(made.id, name="Other"), lambda: dictionaries.create_from_file(name="Lexicon", file=b"<lexicon/>")):
        error = refusal(call, ApiError)
        assert error.status_code == 405 and error.body["detail"]["message"], error


@shows("pronunciation_dictionaries.download", "is PLS, whatever is in a rule")
def _():
    made = make("PLS", [Alias(string_to_replace="R&D", alias='research & "development"'), Alias(string_to_replace="<3", alias="love"), Alias(string_to_replace="हिं", alias="हिंदी")])
    lexicon = xml.fromstring(b"".join(dictionaries.download(made.id, made.version_id)))
    assert lexicon.tag == f"{PLS}lexicon" and lexicon.get("version") == "1.0", lexicon.attrib
    rules = [(lexeme.findtext(f"{PLS}grapheme"), lexeme.findtext(f"{PLS}alias")) for lexeme in lexicon.iter(f"{PLS}lexeme")]
    assert rules == [("R&D", 'research & "development"'), ("<3", "love"), ("हिं", "हिंदी")], rules


@shows("text_to_speech.convert, pronunciation_dictionary_locators", "the latest version is the audio of the respelled text, an older one what it was")
def _():
    made = make()
    check_same(convert(WRITTEN, at(made)))
    edited = dictionaries.rules.set(made.id, rules=[Alias(string_to_replace="nginx", alias="web server")])
    check_same(convert(WRITTEN, at(made)), "We run web server and kubectl here.")
    check_same(convert(WRITTEN, at(made, edited.version_id)), "We run web server and kubectl here.")
    check_same(convert(WRITTEN, at(made, made.version_id)))


@shows("text_to_speech.convert, pronunciation_dictionary_locators", "an unknown one is not found, four are an UnprocessableEntityError")
def _():
    made = make()
    for locator in (Locator(pronunciation_dictionary_id=NOBODY), at(made, NOBODY)):
        error = refusal(lambda: convert(WRITTEN, locator), ApiError)
        assert error.status_code == 404 and error.body["detail"]["status"] == "pronunciation_dictionary_not_found", error
    four = [at(made), *(at(make("Four")) for _ in range(3))]
    error = refusal(lambda: convert(WRITTEN, *four), UnprocessableEntityError)
    assert error.body["detail"][0]["loc"] == ["body", "pronunciation_dictionary_locators"], error.body


@shows("text_to_speech.stream, pronunciation_dictionary_locators", "is the audio of the respelled text")
def _():
    check_same(b"".join(speech.stream(VOICE, text=WRITTEN, output_format=PCM, language_code="en", pronunciation_dictionary_locators=[at(make())])))


def check_times(answers):
    """check_times expects the audio of the respelled text, with all times of both texts."""
    audio = b"".join(base64.b64decode(answer.audio_base_64) for answer in answers)
    check_same(audio)
    for which, text in (("alignment", WRITTEN), ("normalized_alignment", RESPELLED)):
        told = [alignment for answer in answers if (alignment := getattr(answer, which))]
        characters = [one for alignment in told for one in alignment.characters]
        starts = [one for alignment in told for one in alignment.character_start_times_seconds]
        ends = [one for alignment in told for one in alignment.character_end_times_seconds]
        assert "".join(characters).strip() == text, (which, characters)
        assert len(starts) == len(ends) == len(characters) and starts == sorted(starts) and ends == sorted(ends), (which, starts, ends)
        assert abs(ends[-1] - len(audio) / 48_000) < 0.01, (which, ends[-1], len(audio))


@shows("text_to_speech.convert_with_timestamps, pronunciation_dictionary_locators", "alignment is of the text that was sent, normalized_alignment of what was read")
def _():
    settings = {"output_format": PCM, "language_code": "en", "pronunciation_dictionary_locators": [at(make())]}
    check_times([speech.convert_with_timestamps(VOICE, text=WRITTEN, **settings)])


@shows("text_to_speech.stream_with_timestamps, pronunciation_dictionary_locators", "alignment is of the text that was sent, normalized_alignment of what was read")
def _():
    settings = {"output_format": PCM, "language_code": "en", "pronunciation_dictionary_locators": [at(make())]}
    check_times(list(speech.stream_with_timestamps(VOICE, text=WRITTEN, **settings)))


@shows("AsyncElevenLabs pronunciation_dictionaries", "create, get, list, edit, download and speak, all the same")
async def _():
    other = AsyncElevenLabs(api_key=KEY, base_url=ORIGIN)
    theirs = other.pronunciation_dictionaries
    made = await theirs.create_from_rules(name=named("Async"), rules=RULES[:1])
    edited = await theirs.rules.add(made.id, rules=[Rule(string_to_replace="kubectl", alias="cube control")])
    got = await theirs.get(made.id)
    assert got.latest_version_id == edited.version_id and got.rules == dictionaries.get(made.id).rules, got
    assert made.id in [one.id for one in (await theirs.list(page_size=100)).pronunciation_dictionaries]
    assert b"".join([part async for part in theirs.download(made.id, edited.version_id)]) == b"".join(dictionaries.download(made.id, edited.version_id))
    parts = other.text_to_speech.convert(VOICE, text=WRITTEN, output_format=PCM, language_code="en", pronunciation_dictionary_locators=[at(made)])
    check_same(b"".join([part async for part in parts]))


if __name__ == "__main__":
    suite.run()
