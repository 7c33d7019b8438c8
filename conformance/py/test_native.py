"""The native socket, with the websockets package."""

import asyncio
import json
import os

import websockets
from record import Suite, run_example

ORIGIN = os.environ["VAAK_BASE_URL"]
KEY = os.environ["VAAK_API_KEY"]
suite = Suite("websockets")
shows = suite.shows
METHOD = "/v1/audio/speech/stream-input"


def connect(query="", key=KEY):
    address = ORIGIN.replace("http", "ws", 1) + METHOD + query
    return websockets.connect(address, additional_headers={"xi-api-key": key})


@shows(METHOD, "tokens in, whole samples out, then done and a normal close")
async def _():
    async with connect("?mode=eager") as socket:
        for token in ("Hel", "lo ", "the", "re, ", "how ", "are ", "you ", "to", "day? "):
            await socket.send(json.dumps({"text": token}))
        await socket.send(json.dumps({"text": ""}))
        frames = [frame async for frame in socket]
    audio, done = frames[:-1], json.loads(frames[-1])
    assert all(isinstance(f, bytes) and len(f) % 2 == 0 for f in audio), frames
    assert done["type"] == "done" and done["characters"] == 32 and done["request_id"], done
    assert abs(sum(map(len, audio)) / 48 - done["audio_ms"]) <= 1, done
    assert socket.close_code == 1000, socket.close_code


@shows(METHOD, "cancel says what was heard")
async def _():
    async with connect() as socket:
        await socket.send(json.dumps({"text": "The next train to Pune leaves at nine. It is late again.", "flush": True}))
        assert isinstance(await socket.recv(), bytes)
        await socket.send(json.dumps({"cancel": True, "played_ms": 700}))
        *_, last = [frame async for frame in socket]
    answer = json.loads(last)
    assert answer["type"] == "cancelled" and answer["audio_ms"] <= 700, answer
    assert answer["text_spoken"] + answer["text_remaining"] == "The next train to Pune leaves at nine. It is late again.", answer
    assert 0 < answer["char_offset"] == len(answer["text_spoken"]) < 38, answer


@shows(METHOD, "a wrong key is refused before the upgrade")
async def _():
    try:
        async with connect(key="sk_live_wrong"):
            raise AssertionError("it opened")
    except websockets.InvalidStatus as refused:
        assert refused.response.status_code == 401, refused.response
        assert refused.response.headers["x-trace-id"], refused.response.headers


@shows("examples", "the one of docs/live.md runs")
def _():
    audio = run_example("native_live.py", VAAK_URL=ORIGIN, VAAK_KEY=KEY)
    assert audio[:4] == b"RIFF" and len(audio) > 100_000, f"{len(audio)} bytes"


if __name__ == "__main__":
    suite.run()
