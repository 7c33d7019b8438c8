"""The programs of agents-examples/python, run as a reader would run them: what they
print, the audio that they write, and how they fail. VAAK_BASE_URL and VAAK_API_KEY say
where the server is; it has the datasets of `vaak demo`. No model takes part."""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import soundfile
from record import PATIENCE, Suite, run

ORIGIN = os.environ["VAAK_BASE_URL"]
KEY = os.environ["VAAK_API_KEY"]
PROGRAMS = Path(__file__).parents[2] / "agents-examples" / "python"
sys.path.append(str(PROGRAMS))

from scripted_chat import ANSWERS  # noqa: E402

pipecat, croissant, mcp = suites = Suite("pipecat-ai"), Suite("mlcroissant"), Suite("mcp")
METHOD = "agents-examples"


@contextlib.contextmanager
def ran(name, *arguments, **variables):
    """ran runs a program in a directory of its own, and gives what became of it and
    the directory. A variable that is None is not set."""
    with tempfile.TemporaryDirectory() as directory:
        ours = {"VAAK_URL": ORIGIN, "VAAK_KEY": KEY, "LOGURU_LEVEL": "ERROR", "TQDM_DISABLE": "1", "CROISSANT_CACHE": f"{directory}/cache"}
        environment = {name: value for name, value in {**os.environ, **ours, **variables}.items() if value is not None}
        command = [sys.executable, PROGRAMS / name, *arguments]
        yield subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, timeout=PATIENCE), Path(directory)


def fine(process):
    """fine expects that a program succeeded, and returns the lines that it printed."""
    assert process.returncode == 0, f"status {process.returncode}\n{process.stdout}\n{process.stderr}"
    return process.stdout.splitlines()


def check_refused(name, *arguments, says, **variables):
    """check_refused expects a program to fail with one line that says why."""
    with ran(name, *arguments, **variables) as (process, _):
        assert process.returncode == 1, f"status {process.returncode}\n{process.stderr}"
        lines = process.stderr.splitlines()
        assert len(lines) == 1 and lines[0].startswith(f"{name[:-3]}: ") and says in lines[0], process.stderr


def heard(file):
    """heard is how many seconds of sound a file has, which must not be silence."""
    sound, rate = soundfile.read(file, always_2d=True)
    for channel in sound.T:
        assert abs(channel).max() > 0.05, f"{file} is silent"
    return len(sound) / rate


def get(path):
    with urlopen(ORIGIN + path, timeout=60) as answer:
        return json.load(answer)


@contextlib.contextmanager
def chat():
    """chat runs the scripted chat server and gives its base URL."""
    server = subprocess.Popen([sys.executable, PROGRAMS / "scripted_chat.py", "0"], stdout=subprocess.PIPE, text=True)
    try:
        yield server.stdout.readline().strip().removeprefix("OPENAI_BASE_URL=")
    finally:
        server.kill()
        server.communicate()


@contextlib.contextmanager
def refusing(status, body):
    """refusing runs a server that refuses all that it is asked, and gives its address."""

    class Refusal(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusal) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pipecat.shows(METHOD, "pipecat_pipeline.py: captions as they are heard, an interruption, the context of what was heard, a WAV file")
def _():
    with chat() as base_url, ran("pipecat_pipeline.py", "talk.wav", OPENAI_BASE_URL=base_url) as (process, directory):
        lines = fine(process)
        seconds = heard(directory / "talk.wav")
    times = [float(line.split()[0]) for line in lines if re.match(r" *\d+\.\d\d s  ", line)]
    assert times == sorted(times) and len(times) > 12, lines
    words = [line.split("  ")[-1] for line in lines if re.match(r" *\d+\.\d\d s  ", line)]
    before = " ".join(words[:6])
    assert ANSWERS[0].startswith(before) and lines.count("interrupted") == 1, lines
    assert " ".join(words).endswith(ANSWERS[1]), words
    first, second = [line.removeprefix("assistant").strip() for line in lines if line.startswith("assistant")]
    assert first.startswith(before) and ANSWERS[0].startswith(first) and len(first) < len(ANSWERS[0]) / 2, first
    assert second == ANSWERS[1], second
    assert 3 < seconds < 15, f"{seconds} s"


@pipecat.shows(METHOD, "pipecat_pipeline.py: a wrong key, no key, no server: one line and status 1")
def _():
    check_refused("pipecat_pipeline.py", VAAK_KEY="sk_live_nobody", says="401")
    check_refused("pipecat_pipeline.py", VAAK_KEY=None, says="VAAK_KEY")
    check_refused("pipecat_pipeline.py", VAAK_URL="http://127.0.0.1:9", says="127.0.0.1:9")


@croissant.shows(METHOD, "load_dataset.py: the recordings, what is measured, what is unknown, a WAV file for each channel")
def _():
    with ran("load_dataset.py", "--language", "Hindi", "--out", "audio") as (process, directory):
        lines = fine(process)
        found = next(line.split()[1] for line in lines if line.startswith("found"))
        record, document = get(f"/api/catalogue/datasets/{found}"), get(f"/catalogue/datasets/{found}/croissant.json")
        for stream in record["sample"]["streams"]:
            file = directory / "audio" / f"{found}-{stream['channel']}.wav"
            assert soundfile.info(file).channels == 1, soundfile.info(file)
            assert abs(heard(file) - record["sample"]["durationS"]) < 0.01, heard(file)
    assert record["language"]["name"] == "Hindi" and document["name"] in lines, lines
    table = lines[next(i for i, line in enumerate(lines) if line.startswith("recording_id")) + 1 :]
    rows = [line.split() for line in table[: table.index("")]]
    assert len(rows) == record["recordings"] and all(float(row[2]) > 0 for row in rows), rows
    assert len([line for line in lines if line.startswith("measured")]) == len(document["variableMeasured"]), lines
    assert [line.split()[1] for line in lines if line.startswith("unknown")] == record["gaps"], lines


@croissant.shows(METHOD, "load_dataset.py: the mono dataset by its slug is one file")
def _():
    slug = next(dataset["slug"] for dataset in get("/api/catalogue/datasets?sample=true&channels=mono")["datasets"])
    with ran("load_dataset.py", slug) as (process, directory):
        fine(process)
        assert [file.name for file in directory.glob("*.wav")] == [f"{slug}-1.wav"], list(directory.iterdir())


@croissant.shows(METHOD, "load_dataset.py: an unknown slug, a language without datasets, no server: one line and status 1")
def _():
    check_refused("load_dataset.py", "nobody", says="nobody")
    check_refused("load_dataset.py", "--language", "Xhosa", says="Xhosa")
    check_refused("load_dataset.py", VAAK_URL="http://127.0.0.1:9", says="127.0.0.1:9")


@mcp.shows(METHOD, "mcp_client.py: searches, reads a record, tells its progress and speaks a summary into a file")
def _():
    with ran("mcp_client.py", "--language", "Tamil", "said.mp3") as (process, directory):
        lines = fine(process)
        seconds = heard(directory / "said.mp3")
    slug = get("/api/catalogue/datasets?language=Tamil")["datasets"][0]["slug"]
    record = get(f"/api/catalogue/datasets/{slug}")
    assert any(slug in line for line in lines), lines
    (summary,) = [line for line in lines if line.startswith("summary")]
    assert record["title"] in summary and f"{record['hours']} hours" in summary, summary
    assert f"unknown   {', '.join(record['gaps'])}" in lines, lines
    assert any(line.startswith("progress") for line in lines), lines
    (spoken,) = [float(line.split()[1]) for line in lines if line.startswith("spoken")]
    assert seconds > 3 and abs(seconds - spoken) < 0.2, f"{seconds} s, told {spoken} s"


@mcp.shows(METHOD, "mcp_client.py: a wrong key, no key, no server, a refusal in any shape: one line and status 1")
def _():
    check_refused("mcp_client.py", VAAK_KEY="sk_live_nobody", says="key")
    check_refused("mcp_client.py", VAAK_KEY=None, says="VAAK_KEY")
    check_refused("mcp_client.py", VAAK_URL="http://127.0.0.1:9", says="127.0.0.1:9")
    for body in (
        {"error": "rate_limited", "code": "rate_limited", "message": "wait 7 s"},
        {"detail": {"status": "rate_limited", "message": "wait 7 s"}},
        {"error": {"message": "wait 7 s", "code": "rate_limited"}},
    ):
        with refusing(429, json.dumps(body)) as url:
            check_refused("mcp_client.py", VAAK_URL=url, says="wait 7 s")
    with refusing(503, "<html>") as url:
        check_refused("mcp_client.py", VAAK_URL=url, says="503")


if __name__ == "__main__":
    run(*suites)
