"""What happens in a live session, for both clients."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, TypedDict, cast

from websockets.exceptions import ConnectionClosed, InvalidStatus

from ._error import VaakError, refusal
from ._types import LiveCancelled, LiveDone, LiveLeftOut, LiveWord, LiveWords

RATE = 24_000  # samples in a second, always


class LiveAudio(TypedDict):
    """A piece of the sound: mono samples at 24,000 Hz, 16 bits each, little-endian."""

    type: Literal["audio"]
    pcm: bytes
    start_ms: float
    """Where it begins in the sound of the session."""


LiveEvent = LiveAudio | LiveWords | LiveLeftOut | LiveDone | LiveCancelled


class Progress:
    """How far a session has come."""

    def __init__(self) -> None:
        self.words: list[LiveWord] = []
        self.final: LiveDone | LiveCancelled | None = None
        self.bytes = 0

    def take(self, frame: str | bytes) -> LiveEvent | None:
        """Reads a frame; None if it is of a later version."""
        if isinstance(frame, bytes):
            start = self.bytes / 2 / RATE * 1000
            self.bytes += len(frame)
            return {"type": "audio", "pcm": frame, "start_ms": start}
        message = cast("dict[str, Any]", json.loads(frame))
        kind = message.get("type")
        if kind == "words":
            words = cast(LiveWords, message)
            self.words.extend(words["words"])
            return words
        if kind in ("done", "cancelled"):
            self.final = cast("LiveDone | LiveCancelled", message)
            return self.final
        if kind == "left_out":
            return cast(LiveLeftOut, message)
        if kind == "error":
            raise VaakError(message["code"], message["message"])
        return None


def written(message: Mapping[str, Any]) -> str:
    return json.dumps(message, ensure_ascii=False)


def cancelling(played_ms: float | None) -> dict[str, Any]:
    return {"cancel": True} if played_ms is None else {"cancel": True, "played_ms": max(0.0, played_ms)}


def texts(text: str, flush: bool) -> dict[str, Any] | None:
    """The message for a piece of text. The empty text would end the session."""
    if not text:
        return {"flush": True} if flush else None
    return {"text": text, "flush": True} if flush else {"text": text}


def lost(closed: ConnectionClosed) -> VaakError:
    return VaakError("connection_lost", f"the connection was closed before the end of the speech ({closed})")


def refused(status: InvalidStatus) -> VaakError:
    answer = status.response
    headers = {name.lower(): value for name, value in answer.headers.raw_items()}
    return refusal(answer.status_code, headers, bytes(answer.body or b""))
