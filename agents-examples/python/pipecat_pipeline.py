"""A voice agent in Pipecat: a language model writes, Vaak speaks, a listener interrupts.

    person -> context -> language model -> Vaak -> loudspeaker -> captions -> context

The tokens of the model go to Vaak as they come. What comes back is audio and the time of
every word, so captions appear as the words are heard, and after an interruption the
context holds what was heard, not what was written.

    VAAK_URL, VAAK_KEY, VAAK_VOICE          the server, a key, a voice (any if unset)
    OPENAI_BASE_URL, OPENAI_API_KEY, MODEL  a chat server (a script if unset)

    python pipecat_pipeline.py [conversation.wav]

To hear it, put the output of Pipecat's LocalAudioTransport in the place of WavOutput.
"""

import asyncio
import os
import sys
import time
import wave

import aiohttp
from loguru import logger
from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    Frame,
    InterruptionWorkerFrame,
    LLMMessagesAppendFrame,
    OutputAudioRawFrame,
    StartFrame,
    TTSTextFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair, LLMUserAggregatorParams
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.elevenlabs.tts import ElevenLabsTTSService
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.services.tts_service import TextAggregationMode
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import TransportParams
from pipecat.turns.user_turn_strategies import ExternalUserTurnStrategies
from pipecat.workers.runner import WorkerRunner

import scripted_chat

logger.remove()  # Pipecat tells of every frame
RATE = 24_000  # Hz
INSTRUCTION = "You are a railway clerk. Answer in two sentences, in plain text to be read aloud."
QUESTIONS = ["When is there a train to Pune?", "Sorry, just the fast one please."]
PATIENCE = 6  # words of the first answer, after which the person speaks up


class WavOutput(BaseOutputTransport):
    """WavOutput is a loudspeaker whose sound is in a file. It takes audio no faster than
    it is heard, so that an interruption finds some of it unheard."""

    def __init__(self, file: wave.Wave_write) -> None:
        super().__init__(TransportParams(audio_out_enabled=True))
        self.file = file
        self.free_at = 0.0  # when what was written has been heard

    async def start(self, frame: StartFrame) -> None:
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        self.file.writeframes(frame.audio)
        self.free_at = max(self.free_at, time.monotonic()) + len(frame.audio) / 2 / RATE
        await asyncio.sleep(self.free_at - time.monotonic())
        return True


class Captions(FrameProcessor):
    """Captions prints words when they are heard, and interrupts for the person."""

    heard, began = 0, time.monotonic()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        if isinstance(frame, TTSTextFrame):
            self.heard += 1
            print(f"{time.monotonic() - self.began:7.2f} s  {frame.text.strip()}", flush=True)
            if self.heard == PATIENCE:  # with a microphone, its turn detection says so
                print("interrupted", flush=True)
                await self.push_frame(InterruptionWorkerFrame(), FrameDirection.UPSTREAM)


async def a_voice(url: str) -> str:
    async with aiohttp.ClientSession(raise_for_status=True) as session, session.get(f"{url}/v1/voices") as answer:
        return (await answer.json())["voices"][0]["voice_id"]


async def converse(url: str, key: str, model: str, file: wave.Wave_write) -> None:
    """converse has the conversation. It raises ConnectionError when it cannot go on."""
    tts = ElevenLabsTTSService(
        url=url.replace("http", "ws", 1),  # was: wss://api.elevenlabs.io
        api_key=key,
        settings=ElevenLabsTTSService.Settings(voice=os.environ.get("VAAK_VOICE") or await a_voice(url)),
        text_aggregation_mode=TextAggregationMode.TOKEN,  # Vaak decides where to cut
    )
    llm = OpenAILLMService(
        base_url=model,
        api_key=os.environ.get("OPENAI_API_KEY", "none"),
        settings=OpenAILLMService.Settings(model=os.environ.get("MODEL", "scripted"), system_instruction=INSTRUCTION),
    )
    context = LLMContext()
    # Nobody has to guess when the person is done: there is no microphone.
    turns = LLMUserAggregatorParams(user_turn_strategies=ExternalUserTurnStrategies())
    both = LLMContextAggregatorPair(context, user_params=turns)
    pipeline = Pipeline([both.user(), llm, tts, WavOutput(file), Captions(), both.assistant()])
    worker = PipelineWorker(pipeline, params=PipelineParams(audio_out_sample_rate=RATE), enable_rtvi=False)
    questions, wrong = iter(QUESTIONS), []

    async def ask(*_: object) -> None:
        """ask says the next thing, when an answer is over, and leaves after the last."""
        if question := next(questions, None):
            print(f"person     {question}", flush=True)
            await worker.queue_frame(LLMMessagesAppendFrame([{"role": "user", "content": question}], run_llm=True))
        else:
            await worker.queue_frame(EndFrame())

    async def give_up(_: object, frame: ErrorFrame) -> None:
        wrong.append(frame.error)
        await worker.cancel()

    worker.add_event_handler("on_pipeline_started", ask)
    both.assistant().add_event_handler("on_assistant_turn_stopped", ask)
    tts.add_event_handler("on_error", give_up)
    llm.add_event_handler("on_error", give_up)
    runner = WorkerRunner()
    await runner.add_workers(worker)
    await runner.run()
    if wrong:
        raise ConnectionError(wrong[0])
    print("\nThe context, for the next answer:")
    for message in context.get_messages():
        print(f"{message['role']:9}  {message['content']}")


def main() -> None:
    url, key, model = (os.environ.get(name) for name in ("VAAK_URL", "VAAK_KEY", "OPENAI_BASE_URL"))
    if not url or not key:
        sys.exit("pipecat_pipeline: set VAAK_URL and VAAK_KEY")
    try:
        with wave.open(sys.argv[1] if len(sys.argv) > 1 else "conversation.wav", "wb") as file, scripted_chat.serving() as script:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            asyncio.run(converse(url, key, model or script, file))
    except (ConnectionError, aiohttp.ClientError) as error:
        sys.exit(f"pipecat_pipeline: {error}")


if __name__ == "__main__":
    main()
