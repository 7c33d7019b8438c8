"""Pipecat's ElevenLabs services in a pipeline, over multi-stream-input and over
HTTP, and its OpenAI service with all of its defaults. VAAK_BASE_URL and VAAK_API_KEY say where the server is, and
VAAK_NEURAL_URL where one is to which voices were added; `run` sets them."""

import asyncio
import os
from array import array
from contextlib import asynccontextmanager

import aiohttp
from dictionaries import RESPELLED, WRITTEN, dictionary
from loguru import logger
from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
    TTSStoppedFrame,
    TTSTextFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.elevenlabs.tts import ElevenLabsHttpTTSService, ElevenLabsTTSService, PronunciationDictionaryLocator
from pipecat.services.openai.tts import OpenAITTSService
from pipecat.services.tts_service import TextAggregationMode
from pipecat.workers.runner import WorkerRunner
from record import Suite, run_example

logger.remove()
suite = Suite("pipecat-ai")
shows = suite.shows

ORIGIN = os.environ["VAAK_BASE_URL"]
NEURAL = os.environ["VAAK_NEURAL_URL"]
KEY = os.environ["VAAK_API_KEY"]
RATE = 24_000
TEXT = "The quick brown fox jumps over the lazy dog. It does so twice, and then it rests."


class Sink(FrameProcessor):
    """Sink keeps the frames of a service and wakes those who wait for one."""

    def __init__(self):
        super().__init__()
        self.frames = []
        self.changed = asyncio.Condition()

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        async with self.changed:
            self.frames.append(frame)
            self.changed.notify_all()
        await self.push_frame(frame, direction)

    def of(self, kind, since=0):
        return [frame for frame in self.frames[since:] if isinstance(frame, kind)]

    async def wait(self, kind, since=0):
        """wait returns when a frame of the kind has come since that many frames."""
        async with self.changed:
            await asyncio.wait_for(self.changed.wait_for(lambda: self.of(kind, since)), 60)


async def a_voice():
    async with aiohttp.ClientSession() as session, session.get(f"{ORIGIN}/v1/voices") as answer:
        return (await answer.json())["voices"][0]["voice_id"]


@asynccontextmanager
async def running(service):
    """running runs a pipeline of the service and gives its worker, its sink and the
    errors that the service reports."""
    errors = []

    @service.event_handler("on_error")
    async def _(_, error):
        errors.append(error)

    sink = Sink()
    worker = PipelineWorker(
        Pipeline([service, sink]),
        params=PipelineParams(audio_out_sample_rate=RATE),
        cancel_on_idle_timeout=False,
        enable_rtvi=False,
    )
    started = asyncio.Event()

    @worker.event_handler("on_pipeline_started")
    async def _(*_):
        started.set()

    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    run = asyncio.create_task(runner.run())
    try:
        await asyncio.wait_for(started.wait(), 60)
        yield worker, sink, errors
        await worker.queue_frame(EndFrame())
        await asyncio.wait_for(run, 60)
    finally:
        run.cancel()


async def live(key=KEY, voice=None, origin=ORIGIN, **more):
    settings = ElevenLabsTTSService.Settings(voice=voice or await a_voice())
    return ElevenLabsTTSService(api_key=key, url=origin.replace("http", "ws", 1), settings=settings, **more)


async def answer(worker, text=TEXT):
    """answer queues what a language model writes, token by token."""
    await worker.queue_frame(LLMFullResponseStartFrame())
    for token in text.split(" "):
        await worker.queue_frame(LLMTextFrame(f"{token} "))
    await worker.queue_frame(LLMFullResponseEndFrame())


def check_turn(sink, errors, since=0):
    """check_turn expects the whole text since that many frames, as audio and in timed words."""
    seconds = sum(len(frame.audio) for frame in sink.of(TTSAudioRawFrame, since)) / 2 / RATE
    assert 2 < seconds < 15, f"{seconds} s of audio"
    words = sink.of(TTSTextFrame, since)
    assert " ".join(word.text.strip() for word in words) == TEXT, [word.text for word in words]
    times = [word.pts for word in words]
    assert all(times) and times == sorted(times), times
    # A word is timed when the next begins or a space follows, so each but the last
    # has a time of its own, though no space is sent between two sentences.
    assert len(set(times[:-1])) == len(times) - 1, list(zip([word.text for word in words], times))
    assert not errors, errors


@shows("ElevenLabsTTSService", "a turn: audio, every word timed, stopped at its end")
async def _():
    async with running(await live()) as (worker, sink, errors):
        await answer(worker)
        await sink.wait(TTSStoppedFrame)
    check_turn(sink, errors)


@shows("ElevenLabsTTSService", "two turns")
async def _():
    async with running(await live()) as (worker, sink, errors):
        await answer(worker)
        await sink.wait(TTSStoppedFrame)
        first = len(sink.frames)
        await answer(worker)
        await sink.wait(TTSStoppedFrame, first)
    check_turn(sink, errors, first)


@shows("ElevenLabsTTSService", "token by token, chunked by the server")
async def _():
    service = await live(text_aggregation_mode=TextAggregationMode.TOKEN)
    async with running(service) as (worker, sink, errors):
        await answer(worker)
        await sink.wait(TTSStoppedFrame)
    check_turn(sink, errors)


@shows("ElevenLabsTTSService", "interruptions, and the next turn is spoken")
async def _():
    async with running(await live()) as (worker, sink, errors):
        for _ in range(6):
            since = len(sink.frames)
            await answer(worker, " ".join([TEXT] * 5))
            await sink.wait(TTSAudioRawFrame, since)
            await worker.queue_frame(InterruptionFrame())
            await sink.wait(InterruptionFrame, since)
        since = len(sink.frames)
        await answer(worker)
        await sink.wait(TTSStoppedFrame, since)
    check_turn(sink, errors, since)


@shows("ElevenLabsTTSService", "a wrong key is reported")
async def _():
    async with running(await live(key="sk_live_nobody")) as (worker, sink, errors):
        await worker.queue_frame(TTSSpeakFrame(TEXT))
    assert errors and all(isinstance(error, ErrorFrame) for error in errors), errors


@asynccontextmanager
async def over_http(key=KEY, voice=None, origin=ORIGIN, **more):
    async with aiohttp.ClientSession() as session:
        settings = ElevenLabsHttpTTSService.Settings(voice=voice or await a_voice())
        service = ElevenLabsHttpTTSService(api_key=key, aiohttp_session=session, base_url=origin, settings=settings, **more)
        async with running(service) as running_service:
            yield running_service


@shows("ElevenLabsHttpTTSService", "a turn: audio, every word timed")
async def _():
    async with over_http() as (worker, sink, errors):
        await answer(worker)
        await sink.wait(TTSStoppedFrame)
    check_turn(sink, errors)


@shows("ElevenLabsHttpTTSService", "an unknown voice is reported")
async def _():
    async with over_http(voice="sv_nobody") as (worker, sink, errors):
        await worker.queue_frame(TTSSpeakFrame(TEXT))
    assert any("voice_not_found" in error.error for error in errors), errors


def openai_service(key=KEY, origin=ORIGIN, **more):
    return OpenAITTSService(api_key=key, base_url=f"{origin}/v1", **more)


@shows("OpenAITTSService", "a turn with the model and the voice that it has by default")
async def _():
    async with running(openai_service()) as (worker, sink, errors):
        await answer(worker)
        await sink.wait(TTSStoppedFrame)
    seconds = sum(len(frame.audio) for frame in sink.of(TTSAudioRawFrame)) / 2 / RATE
    assert 2 < seconds < 15, f"{seconds} s of audio"
    assert not errors, errors


@shows("OpenAITTSService", "a wrong key is reported")
async def _():
    async with running(openai_service("sk_live_nobody")) as (worker, sink, errors):
        await worker.queue_frame(TTSSpeakFrame(TEXT))
    assert errors and all(isinstance(error, ErrorFrame) for error in errors), errors


def locators():
    id, version = dictionary("Pipecat")
    return [PronunciationDictionaryLocator(pronunciation_dictionary_id=id, version_id=version)]


async def said(running_service, text):
    """said is the audio of a turn and the words of which it told."""
    async with running_service as (worker, sink, errors):
        await answer(worker, text)
        await sink.wait(TTSStoppedFrame)
    assert not errors, errors
    words = sink.of(TTSTextFrame)
    times = [word.pts for word in words]
    assert all(times) and times == sorted(times), times
    return b"".join(frame.audio for frame in sink.of(TTSAudioRawFrame)), " ".join(word.text.strip() for word in words)


def same_but_for_pause(a, b):
    """same_but_for_pause compares audio of a socket: whether the pause behind a sentence
    is sent depends on when the end of the turn is heard of. The last 4 ms of the shorter
    one were resampled with silence behind them."""
    short, long = sorted((a, b), key=len)
    edge = len(short) - 2 * 4 * RATE // 1000
    pause = array("h", long[len(short) :])
    return short[:edge] == long[:edge] and len(pause) < RATE // 2 and all(abs(sample) <= 500 for sample in pause)


@shows("ElevenLabsTTSService", "pronunciation_dictionary_locators: the audio of the respelled text, words of the text that was sent")
async def _():
    want, _ = await said(running(await live()), RESPELLED)
    plain, _ = await said(running(await live()), WRITTEN)
    audio, words = await said(running(await live(pronunciation_dictionary_locators=locators())), WRITTEN)
    assert not same_but_for_pause(plain, want), "the two texts sound alike, so nothing can be told"
    assert same_but_for_pause(audio, want), f"{len(audio)} bytes, which are not the {len(want)} of the respelled text"
    assert words == WRITTEN, words


@shows("ElevenLabsHttpTTSService", "pronunciation_dictionary_locators: the audio of the respelled text, words of the text that was sent")
async def _():
    want, _ = await said(over_http(), RESPELLED)
    audio, words = await said(over_http(pronunciation_dictionary_locators=locators()), WRITTEN)
    assert audio == want, f"{len(audio)} bytes, which are not the {len(want)} of the respelled text"
    assert words == WRITTEN, words


# Voices that an operator has added, one of each kind, by the names that `run` gives them: the
# OpenAI service refuses others than those of OpenAI.
ADDED = {"Piper's kind": "nova", "Piper's kind with several speakers": "shimmer", "Kokoro's kind": "echo"}


async def added(name):
    """added is the id of the added voice with a name."""
    headers = {"Authorization": f"Bearer {KEY}"}
    async with aiohttp.ClientSession() as session, session.get(f"{NEURAL}/v1/voices/{name}", headers=headers) as answer:
        voice = await answer.json()
    assert voice["category"] == "custom", voice
    return voice["voice_id"]


def neural(kind, name):
    """neural adds the tests of a kind of added voices."""

    @shows("ElevenLabsTTSService", f"a turn by an added voice of {kind}")
    async def _():
        async with running(await live(voice=await added(name), origin=NEURAL)) as (worker, sink, errors):
            await answer(worker)
            await sink.wait(TTSStoppedFrame)
        check_turn(sink, errors)

    @shows("ElevenLabsHttpTTSService", f"a turn by an added voice of {kind}")
    async def _():
        async with over_http(voice=await added(name), origin=NEURAL) as (worker, sink, errors):
            await answer(worker)
            await sink.wait(TTSStoppedFrame)
        check_turn(sink, errors)

    @shows("OpenAITTSService", f"a turn by an added voice of {kind}, under a name of OpenAI's")
    async def _():
        assert await added(name)
        settings = OpenAITTSService.Settings(voice=name)
        async with running(openai_service(origin=NEURAL, settings=settings)) as (worker, sink, errors):
            await answer(worker)
            await sink.wait(TTSStoppedFrame)
        seconds = sum(len(frame.audio) for frame in sink.of(TTSAudioRawFrame)) / 2 / RATE
        assert 2 < seconds < 15, f"{seconds} s of audio"
        assert not errors, errors


for kind, name in ADDED.items():
    neural(kind, name)


@shows("examples", "the one of docs/clients.md runs")
def _():
    run_example("pipecat_service.py", VAAK_URL=ORIGIN, VAAK_KEY=KEY, VAAK_VOICE="sv_any")


if __name__ == "__main__":
    suite.run()
