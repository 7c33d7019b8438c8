"""Tests as functions marked with shows, which leave a line each in the file that
VAAK_RESULTS names, for docs/conformance.md."""

import asyncio
import inspect
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from importlib.metadata import version
from pathlib import Path

PATIENCE = 120  # seconds that a test may take on a busy machine


class Suite:
    """Suite is the tests of one client, named as its registry names it. A client that is
    not installed says what version it stands for."""

    def __init__(self, client, version=None):
        self.client = client
        self.version = version
        self.tests = []

    def shows(self, method, what):
        """shows marks a test of a method of the client. It may be a coroutine."""

        def mark(test):
            self.tests.append((method, what, test))
            return test

        return mark

    def run(self):
        """run runs the tests in order and leaves with status 1 if one fails."""
        run(self)

    def run_one(self, method, what, test):
        ok = False
        signal.alarm(PATIENCE)
        try:
            if inspect.iscoroutinefunction(test):
                asyncio.run(test())
            else:
                test()
            ok = True
        except Exception:
            traceback.print_exc()
        finally:
            signal.alarm(0)
        print("ok" if ok else "FAILED", f"{self.client} {method}: {what}", flush=True)
        self.note(method, what, ok)
        return ok

    def note(self, method, what, ok):
        path = os.environ.get("VAAK_RESULTS")
        if not path:
            return
        line = {
            "client": self.client,
            "language": "Python",
            "version": self.version or version(self.client),
            "method": method,
            "shows": what,
            "ok": ok,
        }
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def run(*suites):
    """run runs the tests of suites in order and leaves with status 1 if one fails."""
    signal.signal(signal.SIGALRM, expire)
    passed = [suite.run_one(*one) for suite in suites for one in suite.tests]
    print(f"{passed.count(True)} passed, {passed.count(False)} failed", flush=True)
    sys.exit(0 if all(passed) else 1)


def expire(signum, frame):
    """expire ends a test that takes longer than PATIENCE."""
    raise TimeoutError(f"the test took more than {PATIENCE} s")


def refusal(call, kind):
    """refusal makes a call that the server must refuse and returns the error."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"the call was not refused, want {kind.__name__}")


def run_example(name, **variables):
    """run_example runs a file of examples/ in a directory of its own, and returns
    the audio that it wrote, if any."""
    file = Path(__file__).parent.parent / "examples" / name
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([sys.executable, file], cwd=directory, env={**os.environ, **variables}, check=True, timeout=PATIENCE)
        for audio in Path(directory).glob("speech.*"):
            return audio.read_bytes()
        return b""
