"""Answers telephone calls: the agent of `vaak telephony`, with any OpenAI-compatible model.

    telephone -> provider -> vaak telephony -> this program -> model -> vaak telephony -> telephone

The bridge dials this program for each call. It sends what the caller says, and this program
sends what is to be said, token by token. When the caller interrupts, the bridge stops at
once and says how much was heard, and only that goes into the conversation.

    OPENAI_BASE_URL, OPENAI_API_KEY, MODEL  a chat server (a script if unset)
    TRANSCRIBE_MODEL                        a model of the same server that writes down speech;
                                            if unset, the model learns only that the caller spoke

    python phone_agent.py 8099
    vaak telephony --key $VAAK_KEY --agent ws://127.0.0.1:8099 ...
"""

import asyncio
import base64
import contextlib
import json
import os
import sys
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web

import scripted_chat

MODEL = os.environ.get("MODEL", "gpt-4o-mini")
TRANSCRIBE_MODEL = os.environ.get("TRANSCRIBE_MODEL", "")
KEY = {"Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"}
SYSTEM = (
    "You answer the telephone. What you write is spoken, so write one or two short sentences, without lists or "
    "markup. Say goodbye when the caller wants to end, and end that answer with the word [hangup]."
)
BEFORE = 16_000  # bytes of audio, 2 s, that are kept while nobody speaks: the beginning of a word is among them


@dataclass
class Call:
    """Call is one telephone call."""

    bridge: web.WebSocketResponse
    model: aiohttp.ClientSession
    messages: list[dict] = field(default_factory=lambda: [{"role": "system", "content": SYSTEM}])
    audio: bytearray = field(default_factory=bytearray)  # μ-law at 8 kHz
    speaking: bool = False  # the caller
    answer: asyncio.Task | None = None

    async def obey(self, event: dict) -> None:
        """obey does what an event of the bridge asks for."""
        match event["type"]:
            case "start":
                self.begin("(The caller has just been connected. Greet them.)")
            case "audio":
                self.audio += base64.b64decode(event["audio"])
                if not self.speaking:
                    del self.audio[:-BEFORE]
            case "speech_started":
                self.speaking = True
                await self.stop()
            case "speech_stopped":
                self.speaking = False
                said, self.audio = bytes(self.audio), bytearray()
                self.begin(None, said)
            case "dtmf":
                await self.stop()
                await self.bridge.send_json({"type": "clear"})
                self.begin(f"(The caller has pressed the key {event['digit']}.)")
            case "spoken":
                # What was not heard was not said.
                if text := event["spoken"]["text"].strip():
                    self.messages.append({"role": "assistant", "content": text})
            case "error":
                print("the bridge:", event.get("message"), file=sys.stderr)

    def begin(self, said: str | None, audio: bytes = b"") -> None:
        """begin has the model answer to a text, or to speech."""
        if self.answer and not self.answer.done():
            self.answer.cancel()
        self.answer = asyncio.create_task(self.reply(said, audio))

    async def stop(self) -> None:
        """stop stops the answer that is written. The bridge drops text until the turn ends."""
        if self.answer and not self.answer.done():
            self.answer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.answer
            await self.bridge.send_json({"type": "end"})

    async def reply(self, said: str | None, audio: bytes) -> None:
        said = said or await self.transcribe(audio)
        if not said:
            return
        self.messages.append({"role": "user", "content": said})
        try:
            if await self.write():
                await self.bridge.send_json({"type": "hangup"})
        except aiohttp.ClientError as error:
            print(f"the model: {error}", file=sys.stderr)
            await self.bridge.send_json({"type": "text", "text": "I am sorry, something went wrong."})
        await self.bridge.send_json({"type": "end"})

    async def write(self) -> bool:
        """write sends the tokens of an answer on as they come. It reports whether the call is over."""
        request = {"model": MODEL, "messages": self.messages, "stream": True}
        written = ""
        async with self.model.post("chat/completions", json=request) as response:
            response.raise_for_status()
            async for raw in response.content:
                line = raw.decode().strip()
                if not line.startswith("data:") or line == "data: [DONE]":
                    continue
                choices = json.loads(line[5:])["choices"]
                token = choices[0]["delta"].get("content") if choices else None
                if not token:
                    continue
                written += token
                if "[" in written:  # the sign is not to be spoken
                    continue
                await self.bridge.send_json({"type": "text", "text": token})
        return "[hangup]" in written

    async def transcribe(self, ulaw: bytes) -> str:
        """transcribe writes down what the caller has said."""
        if not TRANSCRIBE_MODEL:
            return "(The caller has said something that was not written down.)"
        form = aiohttp.FormData()
        form.add_field("model", TRANSCRIBE_MODEL)
        form.add_field("file", wav(ulaw), filename="caller.wav", content_type="audio/wav")
        async with self.model.post("audio/transcriptions", data=form) as response:
            response.raise_for_status()
            return (await response.json())["text"].strip()


def wav(ulaw: bytes) -> bytes:
    """wav puts the header of WAVE before μ-law at 8 kHz."""
    number = lambda *values: b"".join(v.to_bytes(n, "little") for v, n in values)
    form = number((7, 2), (1, 2), (8000, 4), (8000, 4), (1, 2), (8, 2), (0, 2))  # WAVE_FORMAT_MULAW, one channel
    body = b"WAVEfmt " + number((len(form), 4)) + form + b"data" + number((len(ulaw), 4)) + ulaw
    return b"RIFF" + number((len(body), 4)) + body


async def answer(request: web.Request) -> web.WebSocketResponse:
    """answer serves one call."""
    bridge = web.WebSocketResponse(heartbeat=20)
    await bridge.prepare(request)
    async with aiohttp.ClientSession(request.app["model"], headers=KEY) as model:
        call = Call(bridge, model)
        async for message in bridge:
            if message.type == aiohttp.WSMsgType.TEXT:
                await call.obey(json.loads(message.data))
        if call.answer:
            call.answer.cancel()
    return bridge


def main(port: int) -> None:
    with contextlib.ExitStack() as stack:
        base = os.environ.get("OPENAI_BASE_URL") or stack.enter_context(scripted_chat.serving())
        app = web.Application()
        app["model"] = base.rstrip("/") + "/"
        app.router.add_get("/", answer)
        # aiohttp calls print when it listens.
        web.run_app(app, host="127.0.0.1", port=port, print=lambda _: print(f"agent=ws://127.0.0.1:{port}", flush=True))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8099)
