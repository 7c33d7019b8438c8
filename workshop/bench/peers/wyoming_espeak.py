"""A server of the Wyoming protocol that sends what espeak-ng writes as it comes."""

import argparse
import asyncio
from functools import partial

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.info import Attribution, Describe, Info, TtsProgram, TtsVoice
from wyoming.server import AsyncEventHandler, AsyncServer
from wyoming.tts import Synthesize

RATE, CHUNK, HEADER = 22050, 2048, 44
OWNER = Attribution(name="espeak-ng", url="https://github.com/espeak-ng/espeak-ng")


def info(voice):
    shared = {"attribution": OWNER, "installed": True, "version": None}
    spoken = TtsVoice(name=voice, description=voice, languages=["en"], **shared)
    return Info(tts=[TtsProgram(name="espeak-ng", description="espeak-ng", voices=[spoken], **shared)])


class Handler(AsyncEventHandler):
    def __init__(self, command, voice, *args):
        super().__init__(*args)
        self.command, self.voice = command, voice

    async def handle_event(self, event):
        if Describe.is_type(event.type):
            await self.write_event(info(self.voice).event())
        elif Synthesize.is_type(event.type):
            await self.speak(Synthesize.from_event(event).text)
        return True

    async def speak(self, text):
        pipe = asyncio.subprocess.PIPE
        espeak = await asyncio.create_subprocess_exec(*self.command, stdin=pipe, stdout=pipe)
        espeak.stdin.write(text.encode())
        espeak.stdin.close()
        await espeak.stdout.readexactly(HEADER)
        await self.write_event(AudioStart(rate=RATE, width=2, channels=1).event())
        while audio := await espeak.stdout.read(CHUNK):
            await self.write_event(AudioChunk(rate=RATE, width=2, channels=1, audio=audio).event())
        await self.write_event(AudioStop().event())
        await espeak.wait()


async def main():
    p = argparse.ArgumentParser()
    for name in ["port", "voice", "speed", "pitch", "volume"]:
        p.add_argument("--" + name, required=True)
    a = p.parse_args()
    command = ["espeak-ng", "--stdin", "--stdout", "-v", a.voice, "-s", a.speed, "-p", a.pitch, "-a", a.volume]
    await AsyncServer.from_uri(f"tcp://127.0.0.1:{a.port}").run(partial(Handler, command, a.voice))


asyncio.run(main())
