"""The telephone agent of agents-examples/python behind vaak telephony, called as Twilio calls.
VAAK_BASE_URL and VAAK_API_KEY say where the server is. A script stands in for the model."""

import base64
import contextlib
import json
import os
import random
import socket
import subprocess
import sys
from pathlib import Path

import aiohttp
from record import Suite

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "agents-examples" / "python" / "phone_agent.py"
sys.path.append(str(PROGRAM.parent))

from scripted_chat import ANSWERS  # noqa: E402

suite = Suite("aiohttp")
LOUD, QUIET = (base64.b64encode(frame).decode() for frame in ((b"\x80" * 10 + b"\x00" * 10) * 8, b"\xff" * 160))


@contextlib.contextmanager
def started(*command, **variables):
    """started runs a program and gives the first line that it prints."""
    process = subprocess.Popen(command, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline()
    finally:
        process.kill()
        process.communicate()


def free_port():
    """free_port returns a port that is free and stays so: the system gives connections those from 32768 on."""
    while True:
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", random.randrange(10_000, 30_000))) as server:
            return server.getsockname()[1]


@suite.shows("agents-examples", "phone_agent.py: answers a call, is interrupted, answers again")
async def _():
    port = str(free_port())
    environment = {name: "" for name in ("OPENAI_BASE_URL", "TRANSCRIBE_MODEL")}
    command = (ROOT / "bin" / "vaak", "telephony", "--server", os.environ["VAAK_BASE_URL"], "--lang", "en",
               "--agent", f"ws://127.0.0.1:{port}", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
    with (
        started(sys.executable, PROGRAM, port, **environment) as ready,
        started(*command, VAAK_KEY=os.environ["VAAK_API_KEY"]) as line,
    ):
        assert ready.startswith("agent=ws://"), ready
        calls = line.split()[1].removeprefix("calls=").replace("ws://", "http://")
        async with aiohttp.ClientSession() as session, session.ws_connect(f"{calls}/twilio") as phone:
            before, after = await call(phone)
    # The answers in the script are 13 s and 3 s long; the first was interrupted after 2 s, or as much
    # later as this program was slow.
    assert 100 <= before < 500 and 100 < after < 400, (before, after, ANSWERS)


async def call(phone):
    """call interrupts the first answer, hears the second, and returns how many frames there were
    before and after the clear."""
    say = lambda payload: phone.send_json({"event": "media", "media": {"track": "inbound", "payload": payload}})
    await phone.send_json({"event": "start", "start": {"streamSid": "MZ1", "callSid": "CA1"}, "streamSid": "MZ1"})
    frames, before = 0, None
    # A frame of the caller for each that is heard, and more behind the interruption, as a line has it.
    while before is None:
        message = json.loads((await phone.receive(timeout=60)).data)
        if message["event"] == "clear":
            before = frames
        elif message["event"] == "media":
            frames += 1
            await say(LOUD if frames > 100 else QUIET)
    for _ in range(40):
        await say(QUIET)
    after = 0
    while True:
        message = json.loads((await phone.receive(timeout=60)).data)
        if message["event"] == "media":
            after += 1
            await say(QUIET)
        elif message["event"] == "mark":
            await phone.send_json({"event": "mark", "streamSid": "MZ1", "mark": message["mark"]})
            return before, after


suite.run()
