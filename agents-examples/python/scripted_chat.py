"""Stands in for a language model: a chat server that reads its lines from a script.

It speaks enough of the OpenAI chat API for any client that streams. The first message
of a person gets the first answer, the second the second, and so on; further ones the
last. Nothing is thought of, so a program can be tried without a model and tested.

    python scripted_chat.py 8090        prints the base URL and serves until ^C
"""

import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWERS: list[str] = [
    "Of course. The express to Pune leaves at 7:45 from platform 3, calls at Lonavala and Khandala, "
    "and gets in at 11:10. There is a slower one at 9:20, which stops at every station on the way.",
    "Then take the 7:45. It costs ₹450.",
]
PACE = 0.02  # seconds between two tokens, as of a quick model


def tokens(text: str) -> list[str]:
    """tokens cuts a text as models do: words with the space before them, some in two."""
    return re.findall(r"\s?\S{1,6}", text)


def answer_to(messages: list[dict]) -> str:
    """answer_to is the answer whose turn it is."""
    asked = sum(message.get("role") == "user" for message in messages)
    return ANSWERS[min(max(asked, 1), len(ANSWERS)) - 1]


class Chat(BaseHTTPRequestHandler):
    """Chat answers POST /v1/chat/completions, at once or as server-sent events."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.path.endswith("/chat/completions"):
            self.send_error(404)
            return
        request = json.loads(body)
        answer = answer_to(request["messages"])
        if request.get("stream"):
            self.start("text/event-stream")
            for token in [*tokens(answer), None]:
                self.event(request.get("model", ""), token)
                time.sleep(PACE)
            self.wfile.write(b"data: [DONE]\n\n")
        else:
            choice = {"index": 0, "message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}
            self.start("application/json")
            self.wfile.write(json.dumps(completion(request.get("model", ""), "chat.completion", choice)).encode())

    def start(self, content_type: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.end_headers()  # the end of the connection ends the answer

    def event(self, model: str, token: str | None) -> None:
        """event sends a token; None says that there are no more."""
        choice = {"index": 0, "delta": {}, "finish_reason": "stop"}
        if token is not None:
            choice = {"index": 0, "delta": {"role": "assistant", "content": token}, "finish_reason": None}
        self.wfile.write(f"data: {json.dumps(completion(model, 'chat.completion.chunk', choice))}\n\n".encode())

    def handle(self) -> None:
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            pass  # a client that was interrupted does not read to the end

    def log_message(self, *_: object) -> None:
        pass


def completion(model: str, kind: str, choice: dict) -> dict:
    return {"id": "chatcmpl-scripted", "object": kind, "created": int(time.time()), "model": model, "choices": [choice]}


@contextmanager
def serving(port: int = 0) -> Iterator[str]:
    """serving serves on a port of this machine, 0 for any free one, and gives the
    base URL for a client."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Chat)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


if __name__ == "__main__":
    with serving(int(sys.argv[1]) if len(sys.argv) > 1 else 8090) as base_url:
        print(f"OPENAI_BASE_URL={base_url}", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            pass
