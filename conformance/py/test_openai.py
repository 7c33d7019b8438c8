"""The official OpenAI Python SDK. VAAK_BASE_URL and the keys say where the server
is and who calls; `run` sets them."""

import base64
import json
import os

import openai
from dictionaries import NOBODY, RESPELLED, WRITTEN, dictionary
from record import Suite, refusal, run_example

suite = Suite("openai")
shows = suite.shows

ORIGIN = os.environ["VAAK_BASE_URL"]
MODEL = "speech-tts-turbo"
SENTENCE = "The quick brown fox jumps over the lazy dog."
PARAGRAPH = " ".join([SENTENCE] * 100)


def client_of(key, **more):
    return openai.OpenAI(api_key=key, base_url=f"{ORIGIN}/v1", **{"max_retries": 0, "timeout": 60, **more})


client = client_of(os.environ["VAAK_API_KEY"])
speech = client.audio.speech
VOICE = client.get("/voices", cast_to=object)["voices"][0]["voice_id"]


def create(**more):
    return speech.create(**{"model": MODEL, "voice": VOICE, "input": SENTENCE, **more})


@shows("audio.speech.create", "wav has exact sizes")
def _():
    audio = create(response_format="wav").content
    assert audio[:4] == b"RIFF" and audio[36:40] == b"data"
    assert int.from_bytes(audio[4:8], "little") == len(audio) - 8
    assert int.from_bytes(audio[40:44], "little") == len(audio) - 44


@shows("audio.speech.create", "every response_format of the SDK")
def _():
    begins = {"mp3": b"\xff", "opus": b"OggS", "aac": b"\xff", "flac": b"fLaC", "wav": b"RIFF", "pcm": b""}
    for name, head in begins.items():
        audio = create(response_format=name).content
        assert audio.startswith(head) and len(audio) > 5000, name


@shows("audio.speech.create", "extra_body carries lang and sample_rate")
def _():
    audio = create(input="नमस्ते, आप कैसे हैं?", response_format="wav", extra_body={"lang": "Hindi", "sample_rate": 8000}).content
    assert int.from_bytes(audio[24:28], "little") == 8000


@shows("audio.speech.create", "instructions are accepted")
def _():
    assert create(instructions="Speak cheerfully.", response_format="pcm").content == create(response_format="pcm").content


@shows("audio.speech.create", "extra_body carries pronunciation_dictionary_id: the audio of the respelled text, NotFoundError on an unknown one")
def _():
    id, _ = dictionary("OpenAI")
    lang = {"lang": "en"}
    want = create(input=RESPELLED, response_format="pcm", extra_body=lang).content
    assert want != create(input=WRITTEN, response_format="pcm", extra_body=lang).content, "the two texts sound alike"
    assert create(input=WRITTEN, response_format="pcm", extra_body={**lang, "pronunciation_dictionary_id": id}).content == want
    error = refusal(lambda: create(extra_body={"pronunciation_dictionary_id": NOBODY}), openai.NotFoundError)
    assert error.code == "pronunciation_dictionary_not_found", error


@shows("audio.speech.with_streaming_response.create", "comes in parts, the same audio as create")
def _():
    whole = create(input=PARAGRAPH, response_format="pcm").content
    with speech.with_streaming_response.create(
        model=MODEL, voice=VOICE, input=PARAGRAPH, response_format="pcm", extra_body={"stream": True}
    ) as response:
        assert "content-length" not in response.headers
        parts = list(response.iter_bytes())
    assert len(parts) > 10, f"{len(parts)} parts"
    assert b"".join(parts) == whole


@shows("audio.speech.with_streaming_response.create", "a reader that leaves costs the others nothing")
def _():
    for _ in range(5):
        with speech.with_streaming_response.create(
            model=MODEL, voice=VOICE, input=PARAGRAPH, response_format="pcm", extra_body={"stream": True}
        ) as response:
            assert next(response.iter_bytes())
    assert create().content


@shows("audio.speech.with_streaming_response.create", "stream_format sse: the deltas rebuild the audio")
def _():
    audio, last = b"", None
    with speech.with_streaming_response.create(
        model=MODEL, voice=VOICE, input=SENTENCE, response_format="pcm", stream_format="sse"
    ) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        for line in response.iter_lines():
            if not line:
                continue
            assert line.startswith("data: "), line[:40]
            last = json.loads(line[6:])
            if last["type"] == "speech.audio.delta":
                audio += base64.b64decode(last["audio"])
    assert last["type"] == "speech.audio.done" and last["usage"]["total_tokens"] >= len(SENTENCE)
    assert audio == create(response_format="pcm").content


@shows("AsyncOpenAI audio.speech.create", "the same audio")
async def _():
    async with openai.AsyncOpenAI(api_key=os.environ["VAAK_API_KEY"], base_url=f"{ORIGIN}/v1") as other:
        answer = await other.audio.speech.create(model=MODEL, voice=VOICE, input=SENTENCE, response_format="pcm")
    assert answer.content == create(response_format="pcm").content


@shows("errors", "AuthenticationError on a wrong key")
def _():
    stranger = client_of("sk_live_nobody")
    error = refusal(lambda: stranger.audio.speech.create(model=MODEL, voice=VOICE, input=SENTENCE), openai.AuthenticationError)
    assert (error.code, error.type) == ("invalid_api_key", "authentication_error")
    assert error.request_id


@shows("errors", "NotFoundError on an unknown voice")
def _():
    error = refusal(lambda: create(voice="nobody"), openai.NotFoundError)
    assert (error.code, error.param) == ("voice_not_found", "voice")


@shows("errors", "BadRequestError on speed 1.9")
def _():
    error = refusal(lambda: create(speed=1.9), openai.BadRequestError)
    assert (error.code, error.param) == ("invalid_parameter", "speed")


@shows("errors", "BadRequestError on too much text")
def _():
    error = refusal(lambda: create(input="a" * 5001), openai.BadRequestError)
    assert error.code == "max_character_limit_exceeded"


@shows("errors", "402 is asked once: spent characters are not asked for again")
def _():
    made = []
    hook = {"request": [made.append]}
    with openai.DefaultHttpxClient(event_hooks=hook) as transport:
        poor = client_of(os.environ["VAAK_SPENT_KEY"], max_retries=2, http_client=transport)
        error = refusal(lambda: poor.audio.speech.create(model=MODEL, voice=VOICE, input=SENTENCE), openai.APIStatusError)
    assert (error.status_code, error.code) == (402, "insufficient_quota")
    assert not isinstance(error, openai.RateLimitError)
    assert len(made) == 1, f"{len(made)} requests"


@shows("models.list", "has the one model")
def _():
    assert MODEL in [model.id for model in client.models.list()]


@shows("models.retrieve", "finds it under any name")
def _():
    assert client.models.retrieve("gpt-4o-mini-tts").id == MODEL


@shows("examples", "the one of docs/clients.md runs")
def _():
    audio = run_example("openai_speech.py", VAAK_URL=ORIGIN, VAAK_KEY=os.environ["VAAK_API_KEY"], VAAK_VOICE=VOICE)
    assert audio[0] == 0xFF and len(audio) > 10_000, f"{len(audio)} bytes"


if __name__ == "__main__":
    suite.run()
