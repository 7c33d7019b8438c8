"""The official ElevenLabs Python SDK. VAAK_BASE_URL and the keys say where the
server is and who calls. convert_realtime insists on TLS: VAAK_TLS_URL is a server
with a certificate, which SSL_CERT_FILE lets this process trust. `run` sets them."""

import base64
import os

import httpx
from elevenlabs import VoiceSettings
from elevenlabs.client import AsyncElevenLabs, ElevenLabs
from elevenlabs.core.api_error import ApiError
from elevenlabs.errors import UnprocessableEntityError
from record import Suite, refusal, run_example
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

suite = Suite("elevenlabs")
shows = suite.shows

ORIGIN = os.environ["VAAK_BASE_URL"]
KEY = os.environ["VAAK_API_KEY"]
TEXT = "The quick brown fox jumps over the lazy dog. It does so twice."
PCM = "pcm_24000"

client = ElevenLabs(api_key=KEY, base_url=ORIGIN)
speech = client.text_to_speech
VOICE = client.voices.get_all().voices[0].voice_id


def convert(**more):
    return b"".join(speech.convert(VOICE, **{"text": TEXT, **more}))


def check_alignment(alignment, seconds):
    """check_alignment compares an alignment of the HTTP routes with its text and audio."""
    starts, ends = alignment.character_start_times_seconds, alignment.character_end_times_seconds
    assert "".join(alignment.characters).strip() == TEXT
    assert len(starts) == len(ends) == len(alignment.characters)
    assert starts == sorted(starts)
    assert abs(ends[-1] - seconds) < 0.01, f"the last character ends at {ends[-1]} s of {seconds} s"


@shows("text_to_speech.convert", "mp3 at 44,100 Hz is the default")
def _():
    audio = convert()
    assert audio[0] == 0xFF and audio[1] >= 0xE2 and len(audio) > 20_000


@shows("text_to_speech.convert", "every field of the request is accepted")
def _():
    settings = VoiceSettings(stability=0.4, similarity_boost=0.8, style=0.1, use_speaker_boost=True, speed=1.1)
    audio = convert(
        model_id="eleven_multilingual_v2",
        language_code="en",
        voice_settings=settings,
        seed=7,
        previous_text="Before it.",
        next_text="After it.",
        apply_text_normalization="auto",
        optimize_streaming_latency=2,
        enable_logging=False,
        output_format=PCM,
    )
    assert len(audio) > 48_000


@shows("text_to_speech.convert", "telephony: ulaw_8000 is 8,000 bytes a second")
def _():
    seconds = len(convert(output_format="ulaw_8000")) / 8000
    assert abs(seconds - len(convert(output_format=PCM)) / 48_000) < 0.05


@shows("text_to_speech.stream", "comes in parts, the same audio as convert")
def _():
    long = " ".join([TEXT] * 50)
    parts = list(speech.stream(VOICE, text=long, output_format=PCM))
    assert len(parts) > 5, f"{len(parts)} parts"
    assert b"".join(parts) == convert(text=long, output_format=PCM)


@shows("text_to_speech.convert_with_timestamps", "times every character once, to the end of the audio")
def _():
    answer = speech.convert_with_timestamps(VOICE, text=TEXT, output_format=PCM)
    check_alignment(answer.alignment, len(base64.b64decode(answer.audio_base_64)) / 48_000)
    assert answer.normalized_alignment.characters


@shows("text_to_speech.stream_with_timestamps", "is the same audio, every character timed once")
def _():
    audio, joined = b"", None
    for line in speech.stream_with_timestamps(VOICE, text=TEXT, output_format=PCM):
        audio += base64.b64decode(line.audio_base_64)
        if line.alignment and joined:
            joined.characters.extend(line.alignment.characters)
            joined.character_start_times_seconds.extend(line.alignment.character_start_times_seconds)
            joined.character_end_times_seconds.extend(line.alignment.character_end_times_seconds)
        joined = joined or line.alignment
    assert audio == convert(output_format=PCM)
    check_alignment(joined, len(audio) / 48_000)


def realtime(text, **more):
    """realtime speaks over the socket of convert_realtime, and returns the audio's
    parts. The method itself fails unless voice_settings are given, None included."""
    secure = ElevenLabs(api_key=os.environ["VAAK_TLS_API_KEY"], base_url=os.environ["VAAK_TLS_URL"])
    voice = secure.voices.get_all().voices[0].voice_id
    return list(secure.text_to_speech.convert_realtime(voice, text=iter(text), **{"voice_settings": None, **more}))


@shows("text_to_speech.convert_realtime", "a text in pieces over TLS")
def _():
    parts = realtime(["The quick brown ", "fox jumps over ", "the lazy dog. It ", "does so twice."], output_format=PCM)
    seconds = len(b"".join(parts)) / 48_000
    assert 2 < seconds < 12, f"{seconds} s"


@shows("text_to_speech.convert_realtime", "mp3, voice_settings and model_id")
def _():
    audio = b"".join(realtime([TEXT], model_id="eleven_turbo_v2_5", voice_settings=VoiceSettings(speed=1.2)))
    assert audio[0] == 0xFF and len(audio) > 20_000


@shows("text_to_speech.convert_realtime", "words as a language model writes them, 40 sentences")
def _():
    words = [f"{word} " for word in (TEXT + " ").split(" ") * 20 if word]
    seconds = len(b"".join(realtime(words, output_format="pcm_8000"))) / 16_000
    assert seconds > 40, f"{seconds} s"


@shows("AsyncElevenLabs text_to_speech.stream", "the same audio")
async def _():
    other = AsyncElevenLabs(api_key=KEY, base_url=ORIGIN)
    audio = b"".join([part async for part in other.text_to_speech.stream(VOICE, text=TEXT, output_format=PCM)])
    assert audio == convert(output_format=PCM)


@shows("voices", "get_all has the roster")
def _():
    assert len(client.voices.get_all().voices) == 320


@shows("voices", "search pages through it, each voice once")
def _():
    seen, token = set(), None
    while True:
        page = client.voices.search(page_size=100, next_page_token=token)
        assert page.total_count == 320
        seen.update(voice.voice_id for voice in page.voices)
        token = page.next_page_token
        assert page.has_more == bool(token)
        if not token:
            break
    assert len(seen) == 320


@shows("voices", "get")
def _():
    voice = client.voices.get(VOICE)
    assert voice.voice_id == VOICE and voice.category == "premade" and voice.name


@shows("voices", "settings.get and settings.get_default")
def _():
    for settings in (client.voices.settings.get(VOICE), client.voices.settings.get_default()):
        assert settings.speed == 1 and settings.stability == 0.5


@shows("models.list", "has the one model and its 80 languages")
def _():
    (model,) = client.models.list()
    assert model.model_id == "speech-tts-turbo" and len(model.languages) == 80


@shows("user", "get and subscription.get")
def _():
    assert client.user.get().subscription.tier == "unlimited"
    subscription = client.user.subscription.get()
    assert subscription.status == "active" and subscription.character_limit == 10**12


@shows("errors", "a wrong key")
def _():
    stranger = ElevenLabs(api_key="sk_live_nobody", base_url=ORIGIN)
    error = refusal(stranger.user.get, ApiError)
    assert error.status_code == 401 and error.body["detail"]["status"] == "invalid_api_key"


@shows("errors", "an unknown voice")
def _():
    error = refusal(lambda: b"".join(speech.convert("sv_nobody", text=TEXT)), ApiError)
    assert error.status_code == 404 and error.body["detail"]["status"] == "voice_not_found"


@shows("errors", "no text is an UnprocessableEntityError")
def _():
    error = refusal(lambda: convert(text=""), UnprocessableEntityError)
    assert error.body["detail"][0]["loc"] == ["body", "text"], error.body


@shows("errors", "spent characters are not asked for again")
def _():
    made = []
    with httpx.Client(event_hooks={"request": [made.append]}) as transport:
        poor = ElevenLabs(api_key=os.environ["VAAK_SPENT_KEY"], base_url=ORIGIN, httpx_client=transport)
        error = refusal(lambda: b"".join(poor.text_to_speech.convert(VOICE, text=TEXT)), ApiError)
    assert error.status_code == 402 and error.body["detail"]["status"] == "insufficient_quota"
    assert len(made) == 1, f"{len(made)} requests"


def opens(token):
    """opens opens the native socket with a single-use token and returns how the handshake was answered."""
    try:
        with connect(f"{ORIGIN.replace('http', 'ws', 1)}/v1/audio/speech/stream-input?single_use_token={token}"):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


@shows("tokens", "single_use.create: the token opens one socket")
def _():
    token = client.tokens.single_use.create("tts_websocket").token
    assert token.startswith("sutkn_")
    assert opens(token) == 101
    assert opens(token) == 401


@shows("tokens", "single_use.create: another type is an UnprocessableEntityError")
def _():
    error = refusal(lambda: client.tokens.single_use.create("realtime_scribe"), UnprocessableEntityError)
    assert error.status_code == 422


@shows("base_url", "one with the version works too")
def _():
    twice = ElevenLabs(api_key=KEY, base_url=f"{ORIGIN}/v1")
    assert len(twice.voices.search(page_size=3).voices) == 3
    assert b"".join(twice.text_to_speech.convert(VOICE, text=TEXT))


@shows("examples", "the one of docs/clients.md runs")
def _():
    audio = run_example("elevenlabs_speech.py", VAAK_URL=ORIGIN, VAAK_KEY=KEY)
    assert audio[0] == 0xFF and len(audio) > 10_000, f"{len(audio)} bytes"


@shows("examples", "the one of convert_realtime in docs/clients.md runs")
def _():
    audio = run_example("elevenlabs_realtime.py", VAAK_TLS_KEY=os.environ["VAAK_TLS_API_KEY"], VAAK_VOICE=VOICE)
    assert audio[0] == 0xFF and len(audio) > 10_000, f"{len(audio)} bytes"


if __name__ == "__main__":
    suite.run()
