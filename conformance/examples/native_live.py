import asyncio
import json
import os
import wave

import websockets


# As a model writes them, one after another.
TOKENS = ["Your", " par", "cel", " left", " the", " de", "pot", " this", " morning", ",", " and", " will be", " with", " you", " by", " noon", "."]


async def speak():
    address = os.environ["VAAK_URL"].replace("http", "ws", 1) + "/v1/audio/speech/stream-input?mode=eager"
    key = {"Authorization": f"Bearer {os.environ['VAAK_KEY']}"}
    async with websockets.connect(address, additional_headers=key) as socket:

        async def write():
            for token in TOKENS:
                await socket.send(json.dumps({"text": token}))
            await socket.send(json.dumps({"text": ""}))

        writing = asyncio.create_task(write())
        with wave.open("speech.wav", "wb") as file:
            file.setparams((1, 2, 24000, 0, "NONE", ""))
            async for frame in socket:
                if isinstance(frame, bytes):
                    file.writeframes(frame)  # play it: more follows
                else:
                    print(frame)  # {"type":"done", ...}, or what was wrong
        await writing


asyncio.run(speak())
