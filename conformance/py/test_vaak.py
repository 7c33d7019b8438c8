"""Every method of the package vaak, in both of its clients, from clients/python."""

import asyncio
import os
import sys
import threading
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent / "clients" / "python"
sys.path.insert(0, str(ROOT / "src"))

import httpx  # noqa: E402
from record import Suite, refusal, run_example  # noqa: E402

import vaak as package  # noqa: E402
from vaak import AsyncVaak, Vaak, VaakError, captions  # noqa: E402

ORIGIN = os.environ["VAAK_BASE_URL"]
KEY = os.environ["VAAK_API_KEY"]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
SENTENCE = "The next train to Pune leaves at nine. It is late again, and nobody knows why."

suite = Suite("vaak", VERSION)
shows = suite.shows
vaak = Vaak(ORIGIN, KEY)


def speak(session, text):
    session.send(text)
    session.end()
    return list(session)


def check_events(events, words):
    audio = [e for e in events if e["type"] == "audio"]
    done = events[-1]
    assert done["type"] == "done" and done["characters"] == 31 and done["request_id"], done
    assert abs(sum(len(e["pcm"]) for e in audio) / 48 - done["audio_ms"]) <= 1, done
    assert [e["start_ms"] for e in audio] == sorted(e["start_ms"] for e in audio) and audio[0]["start_ms"] == 0
    assert " ".join(w["text"] for w in words) == "Hello there, how are you today?", words
    assert all(w["start_ms"] < w["end_ms"] for w in words), words


@shows("live", "tokens in, sound and timed words out, then done")
def _():
    with vaak.live(lang="en", mode="eager", words=True) as session:
        for token in ("Hel", "lo ", "the", "re, ", "how ", "are ", "you ", "to", "day?"):
            session.send(token)
        session.end()
        check_events(list(session), session.words)
        refused = refusal(lambda: session.send("more"), VaakError)
        assert refused.code == "closed", refused


@shows("live", "cancel says what was heard, also from another thread")
def _():
    with vaak.live(lang="en") as session:
        session.send(SENTENCE, flush=True)
        for event in session:
            if event["type"] == "audio":
                break
        how = session.cancel(700)
        assert how["type"] == "cancelled" and how["audio_ms"] <= 700, how
        assert how["text_spoken"] + how["text_remaining"] == SENTENCE, how
    with vaak.live(lang="en") as session:
        session.send(SENTENCE, flush=True)
        heard = threading.Event()
        ended = []

        def listen():
            for _ in session:
                heard.set()
            ended.append(True)

        listener = threading.Thread(target=listen)
        listener.start()
        heard.wait()
        how = session.cancel(0)
        listener.join()
        assert how["type"] == "cancelled" and how["text_spoken"] == "" and ended, how


@shows("live", "flush, keep_alive, an error of the server, and refusals with their codes")
def _():
    with vaak.live(lang="en") as session:
        session.keep_alive()
        session.send("Good morning")
        session.flush()
        assert next(iter(session))["type"] == "audio"
    with vaak.live() as session:
        session.send("a" * 5001)
        assert refusal(session.result, VaakError).code == "max_character_limit_exceeded"
    nobody = refusal(lambda: vaak.live(voice="nobody"), VaakError)
    assert nobody.code == "voice_not_found" and nobody.status == 404 and nobody.request_id, nobody
    assert refusal(lambda: Vaak(ORIGIN, "sk_live_nobody").live(), VaakError).code == "invalid_api_key"
    assert refusal(lambda: Vaak(ORIGIN).live(), VaakError).code == "missing_api_key"
    assert refusal(lambda: Vaak("http://127.0.0.1:9", KEY).live(), VaakError).code == "network_error"


@shows("live", "a single-use token opens one session, without a key")
def _():
    made = vaak.tokens.create(lang="en", max_characters=100, expires_in_seconds=60)
    assert any(t["token_id"] == made["token_id"] for t in vaak.tokens.list())
    page = Vaak(ORIGIN)
    with page.live(token=made["token"], lang="en") as session:
        assert speak(session, "Hello there.")[-1]["type"] == "done"
    assert refusal(lambda: page.live(token=made["token"]), VaakError).code == "token_used"
    other = vaak.tokens.create()
    vaak.tokens.revoke(other["token_id"])
    assert refusal(lambda: page.live(token=other["token"]), VaakError).status == 401
    assert refusal(lambda: vaak.tokens.revoke(other["token_id"]), VaakError).status == 404


@shows("preview_text", "says how a text is read, and what it costs")
def _():
    reading = vaak.preview_text(input="It costs ₹250.", lang="en")
    assert reading["characters"] == 14 and "two hundred" in reading["spoken_text"], reading
    wrong = refusal(lambda: vaak.preview_text(input="Hello.", speed=9), VaakError)
    assert wrong.code == "invalid_parameter" and wrong.field == "speed" and "0.7 to 1.5" in str(wrong), wrong


@shows("catalogue", "list, all, facets, similar, get, croissant")
def _():
    catalogue = Vaak(ORIGIN).catalogue
    page = catalogue.list(limit=2, facets=True, sample=True)
    assert len(page["datasets"]) == 2 and page["facets"]["language"], page
    slugs = [d["slug"] for d in catalogue.all(limit=2)]
    assert len(slugs) == len(set(slugs)) == catalogue.facets()["count"] > 2, slugs
    assert slugs[0] not in [d["slug"] for d in catalogue.similar(slugs[0], limit=3)["datasets"]]
    assert catalogue.get(slugs[0])["slug"] == slugs[0]
    assert "croissant/1.0" in str(catalogue.croissant(slugs[0])["conformsTo"])
    assert "croissant/1.1" in str(catalogue.croissant(slugs[0], "1.1")["conformsTo"])
    assert refusal(lambda: catalogue.get("no such one"), VaakError).code == "not_found"


@shows("catalogue", "enquire")
def _():
    email = f"asha.{os.getpid()}@example.org"
    receipt = vaak.catalogue.enquire(name="Asha Rao", email=email, intent="question", message="Is there more?")
    assert receipt["received"] is True, receipt
    wrong = refusal(lambda: vaak.catalogue.enquire(name="Asha Rao", email="nobody", intent="question", message="More?"), VaakError)
    assert wrong.field == "email", wrong


@shows("captions", "writes WebVTT and SubRip of the words of a session")
def _():
    with vaak.live(lang="en", words=True) as session:
        speak(session, SENTENCE)
        head, first, second = captions(session.words).split("\n\n")
    assert head == "WEBVTT" and first.endswith("The next train to Pune leaves at nine.") and "It is late again," in second
    assert captions(session.words, "srt").startswith("1\n00:00:0")
    words = [{"text": t, "char_offset": i, "start_ms": 100 * i, "end_ms": 100 * i + 90} for t, i in (("你", 0), ("好", 1), ("<i>", 3))]
    assert captions(words) == "WEBVTT\n\n00:00:00.000 --> 00:00:00.390\n你好 &lt;i&gt;\n"


def busy(*statuses, wait="1"):
    """busy answers with statuses before it asks the server, and counts the calls."""
    left, calls = list(statuses), []

    def answer(request):
        calls.append(request)
        if left:
            return httpx.Response(left.pop(0), headers={"retry-after-ms": wait}, json={"detail": {"status": "overloaded", "message": "busy"}})
        return httpx.Response(200, json={"characters": 6})

    return calls, answer


@shows("preview_text", "waits as long as 503 and 429 ask, twice, and no longer than allowed")
def _():
    for statuses, wait, tries, code in (((503, 429), "1", 3, None), ((503,) * 4, "1", 3, "overloaded"), ((429,), "3600000", 1, "overloaded")):
        calls, answer = busy(*statuses, wait=wait)
        with Vaak(ORIGIN, KEY, http=httpx.Client(transport=httpx.MockTransport(answer))) as client:
            if code is None:
                assert client.preview_text(input="Hello.")["characters"] == 6
            else:
                assert refusal(lambda: client.preview_text(input="Hello."), VaakError).code == code
        assert len(calls) == tries, calls


async def refused(call):
    try:
        await call
    except VaakError as error:
        return error
    raise AssertionError("the call was not refused")


async def opened(session):
    async with session:
        pass


@shows("async live", "the same: words, cancel from another task, tokens, refusals")
async def _():
    async with AsyncVaak(ORIGIN, KEY) as client:
        async with client.live(lang="en", mode="eager", words=True) as session:
            for token in ("Hel", "lo ", "the", "re, ", "how ", "are ", "you ", "to", "day?"):
                await session.send(token)
            await session.end()
            check_events([event async for event in session], session.words)
        async with client.live(lang="en") as session:
            await session.keep_alive()
            await session.send(SENTENCE)
            await session.flush()
            heard = asyncio.Event()

            async def listen():
                async for _ in session:
                    heard.set()

            listener = asyncio.create_task(listen())
            await heard.wait()
            how = await session.cancel(0)
            await listener
            assert how["type"] == "cancelled" and how["text_remaining"] == SENTENCE, how
        made = await client.tokens.create(lang="en")
        assert any(t["token_id"] == made["token_id"] for t in await client.tokens.list())
        async with AsyncVaak(ORIGIN).live(token=made["token"], lang="en") as session:
            await session.send("Hello there.")
            await session.end()
            assert (await session.result())["type"] == "done"
        other = await client.tokens.create()
        await client.tokens.revoke(other["token_id"])
        assert (await refused(client.tokens.revoke(other["token_id"]))).status == 404
        assert (await refused(opened(client.live(voice="nobody")))).code == "voice_not_found"
        assert (await refused(opened(AsyncVaak(ORIGIN).live()))).code == "missing_api_key"
        assert (await refused(opened(AsyncVaak("http://127.0.0.1:9", KEY).live()))).code == "network_error"


@shows("async preview_text and catalogue", "the same, and again after 503")
async def _():
    async with AsyncVaak(ORIGIN, KEY) as client:
        assert (await client.preview_text(input="It costs ₹250.", lang="en"))["characters"] == 14
        catalogue = client.catalogue
        slugs = [d["slug"] async for d in catalogue.all(limit=2)]
        assert len(slugs) == (await catalogue.facets())["count"] == (await catalogue.list())["count"]
        assert slugs[0] not in [d["slug"] for d in (await catalogue.similar(slugs[0]))["datasets"]]
        assert (await catalogue.get(slugs[0]))["slug"] == slugs[0]
        assert "croissant/1.1" in str((await catalogue.croissant(slugs[0], "1.1"))["conformsTo"])
        email = f"asha.async.{os.getpid()}@example.org"
        receipt = await catalogue.enquire(name="Asha Rao", email=email, intent="question", message="Is there more?")
        assert receipt["received"] is True
        assert (await refused(catalogue.get("no such one"))).code == "not_found"
    calls, answer = busy(503, 429)
    async with AsyncVaak(ORIGIN, KEY, http=httpx.AsyncClient(transport=httpx.MockTransport(answer))) as client:
        assert (await client.preview_text(input="Hello."))["characters"] == 6
    assert len(calls) == 3, calls


@shows("examples", "the one of clients/python/README.md runs")
def _():
    audio = run_example("vaak_live.py", VAAK_URL=ORIGIN, VAAK_KEY=KEY, PYTHONPATH=str(ROOT / "src"))
    assert audio[:4] == b"RIFF" and len(audio) > 48_000, len(audio)


assert set(package.__all__) <= set(dir(package))
suite.run()
