"""Programs that speak through the OpenAI or the ElevenLabs API, with the voices, models
and formats that they have when nobody chooses any: just the address and the key are
ours. VAAK_BASE_URL and VAAK_API_KEY say where the server is; `run` sets them."""

import io
import os

ORIGIN = os.environ["VAAK_BASE_URL"]
KEY = os.environ["VAAK_API_KEY"]
os.environ["ELEVENLABS_API_KEY"] = KEY  # the SDK reads it when it is imported
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else litellm asks for prices elsewhere

import aiohttp
import elevenlabs.client
import litellm
import openai
import soundfile
from agents.voice.model import TTSModelSettings
from agents.voice.models.openai_model_provider import OpenAIVoiceModelProvider
from langchain_community.tools.eleven_labs.text2speech import ElevenLabsText2SpeechTool
from record import Suite, refusal, run

TEXT = "The quick brown fox jumps over the lazy dog."
NOBODY = "sk_live_nobody"

litellm.suppress_debug_info = True


def check(audio, form):
    """check expects a file of a format with a sentence in it."""
    with soundfile.SoundFile(io.BytesIO(audio)) as file:
        assert file.format == form, f"{file.format}, want {form}"
        seconds = len(file.read()) / file.samplerate
    assert 1 < seconds < 6, f"{seconds} s of audio"


def check_pcm(audio, rate):
    seconds = len(audio) / 2 / rate
    assert 1 < seconds < 6 and len(audio) % 2 == 0, f"{seconds} s of audio"


lite = Suite("litellm")


@lite.shows("speech", "model openai/tts-1, voice alloy")
def _():
    check(litellm.speech(model="openai/tts-1", voice="alloy", input=TEXT, api_base=f"{ORIGIN}/v1", api_key=KEY).content, "WAV")


@lite.shows("speech", "openai: mp3 as it is asked for, asynchronously")
async def _():
    answer = await litellm.aspeech(
        model="openai/gpt-4o-mini-tts", voice="nova", input=TEXT, response_format="mp3", api_base=f"{ORIGIN}/v1", api_key=KEY
    )
    check(answer.content, "MP3")


@lite.shows("speech", "model elevenlabs/eleven_multilingual_v2: each voice that litellm knows by name")
def _():
    from litellm.llms.elevenlabs.text_to_speech.transformation import ElevenLabsTextToSpeechConfig

    for voice in ElevenLabsTextToSpeechConfig.VOICE_MAPPINGS:
        answer = litellm.speech(
            model="elevenlabs/eleven_multilingual_v2", voice=voice, input=TEXT, response_format="mp3", api_base=ORIGIN, api_key=KEY
        )
        check(answer.content, "MP3")


@lite.shows("speech", "a wrong key raises AuthenticationError")
def _():
    refusal(
        lambda: litellm.speech(model="openai/tts-1", voice="alloy", input=TEXT, api_base=f"{ORIGIN}/v1", api_key=NOBODY),
        openai.AuthenticationError,
    )


agents = Suite("openai-agents")


async def run_model(key, settings):
    client = openai.AsyncOpenAI(api_key=key, base_url=f"{ORIGIN}/v1", max_retries=0)
    model = OpenAIVoiceModelProvider(openai_client=client).get_tts_model(None)
    return b"".join([piece async for piece in model.run(TEXT, settings)])


@agents.shows("OpenAITTSModel", "model and voice by default, streamed PCM of 24 kHz")
async def _():
    check_pcm(await run_model(KEY, TTSModelSettings()), 24_000)


@agents.shows("OpenAITTSModel", "a wrong key raises AuthenticationError")
async def _():
    try:
        await run_model(NOBODY, TTSModelSettings())
    except openai.AuthenticationError:
        return
    raise AssertionError("a wrong key was taken")


chain = Suite("langchain-community")


def spoken_by_tool(key):
    """spoken_by_tool is the audio of LangChain's tool, which has no way to name an
    address: the SDK that it makes its client of is given one."""
    usual = elevenlabs.client.ElevenLabs
    elevenlabs.client.ElevenLabs = lambda: usual(base_url=ORIGIN, api_key=key)
    try:
        path = ElevenLabsText2SpeechTool().run(TEXT)
    finally:
        elevenlabs.client.ElevenLabs = usual
    with open(path, "rb") as file:
        audio = file.read()
    os.remove(path)
    return audio


@chain.shows("ElevenLabsText2SpeechTool", "model, voice and format by default")
def _():
    check(spoken_by_tool(KEY), "MP3")


@chain.shows("ElevenLabsText2SpeechTool", "a wrong key raises RuntimeError")
def _():
    assert "invalid_api_key" in str(refusal(lambda: spoken_by_tool(NOBODY), RuntimeError))


# Open WebUI is a program of 100 MB that asks for its whole world when it is imported.
# These are the requests of its open_webui/routers/audio in the version named here.
webui = Suite("open-webui", version="0.12.4, its requests")


async def fetched(path, body=None, key=KEY):
    """fetched asks as it does: lists without a key, speech with one."""
    async with aiohttp.ClientSession() as session:
        if body is None:
            async with session.get(f"{ORIGIN}/v1{path}") as answer:
                answer.raise_for_status()
                return await answer.json()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        async with session.post(f"{ORIGIN}/v1{path}", json=body, headers=headers) as answer:
            answer.raise_for_status()
            return await answer.read()


@webui.shows("GET /audio/models", "an id for each, which speaks")
async def _():
    for model in (await fetched("/audio/models")).get("models", []):
        await fetched("/audio/speech", {"input": "Hi.", "voice": "alloy", "model": model["id"]})


@webui.shows("GET /audio/voices", "names by their ids, one of which speaks")
async def _():
    voices = {v["id"]: v["name"] for v in (await fetched("/audio/voices")).get("voices", [])}
    assert len(voices) > 50, voices
    check(await fetched("/audio/speech", {"input": TEXT, "voice": [*voices][-1], "model": "tts-1"}), "WAV")


@webui.shows("POST /audio/speech", "model tts-1, voice alloy, as they are set at first")
async def _():
    check(await fetched("/audio/speech", {"input": TEXT, "voice": "alloy", "model": "tts-1"}), "WAV")


@webui.shows("POST /audio/speech", "a wrong key is 401")
async def _():
    try:
        await fetched("/audio/speech", {"input": TEXT, "voice": "alloy", "model": "tts-1"}, NOBODY)
    except aiohttp.ClientResponseError as error:
        assert error.status == 401, error.status
        return
    raise AssertionError("a wrong key was taken")


# wyoming-openai is in no registry of Python packages: it speaks through the OpenAI SDK,
# after it has tried whether the server is one of three others that it knows.
wyoming = Suite("wyoming-openai", version="its requests")


@wyoming.shows("autodetection", "Vaak is taken for none of LocalAI, Speaches, Kokoro-FastAPI")
async def _():
    async with openai.AsyncOpenAI(api_key=KEY, base_url=f"{ORIGIN}/v1") as client:
        localai = await client._client.get("/readyz")
        speaches = await client._client.get("../../health")
        kokoro = await client._client.get("/test")
    assert localai.status_code == 404 and speaches.text != "OK" and kokoro.status_code == 404


@wyoming.shows("synthesize", "each voice that it offers, streamed as WAV")
async def _():
    async with openai.AsyncOpenAI(api_key=KEY, base_url=f"{ORIGIN}/v1") as client:
        for voice in ["alloy", "ash", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer"]:
            audio = b""
            async with client.audio.speech.with_streaming_response.create(
                model="gpt-4o-mini-tts", voice=voice, input=TEXT, response_format="wav", speed=openai.omit, instructions=openai.omit
            ) as answer:
                async for piece in answer.iter_bytes(chunk_size=2048):
                    audio += piece
            check(audio, "WAV")


if __name__ == "__main__":
    run(lite, agents, chain, webui, wyoming)
