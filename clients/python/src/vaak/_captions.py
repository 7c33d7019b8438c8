"""Captions of what was spoken."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

from ._types import LiveWord

_COLUMNS = 42  # of a line
_LINES = 2  # of a caption
_LONGEST = 6000  # milliseconds that a caption lasts
_PAUSE = 800  # milliseconds of silence that end a caption

_SENTENCE = re.compile("[.!?…。！？।॥։؟۔][\"'”’»)\\]]*$")


def captions(words: Iterable[LiveWord], format: Literal["vtt", "srt"] = "vtt") -> str:
    """Writes words with their times as WebVTT or SubRip.

    A caption has at most two lines of 42 columns, lasts at most six seconds, and ends with a
    sentence where it can.
    """
    cues: list[tuple[int, int, list[str]]] = []
    last: LiveWord | None = None
    for word in words:
        text, start, end = word["text"], word["start_ms"], word["end_ms"]
        # Words of scripts without spaces follow each other at once.
        gap = " " if last and word["char_offset"] > last["char_offset"] + len(last["text"]) else ""
        since, until, lines = cues[-1] if cues else (0, 0, [""])
        line = lines[-1] + gap + text
        fits = _width(line) <= _COLUMNS
        if (
            last is None
            or end - since > _LONGEST
            or start - until > _PAUSE
            or _SENTENCE.search(last["text"])
            or (not fits and len(lines) == _LINES)
        ):
            cues.append((start, end, [text]))
        else:
            cues[-1] = (since, end, [*lines[:-1], line] if fits else [*lines, text])
        last = word
    mark = "." if format == "vtt" else ","
    out = ["WEBVTT\n"] if format == "vtt" else []
    for number, (start, end, lines) in enumerate(cues, 1):
        head = "" if format == "vtt" else f"{number}\n"
        text = "\n".join(html.escape(line, quote=False) if format == "vtt" else line for line in lines)
        out.append(f"{head}{_time(start, mark)} --> {_time(end, mark)}\n{text}\n")
    return "\n".join(out)


def _width(text: str) -> int:
    """A character of Chinese, Japanese or Korean has two columns, a mark none."""
    return sum(
        0 if unicodedata.category(c).startswith("M") else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def _time(ms: int, mark: str) -> str:
    seconds, ms = divmod(ms, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{mark}{ms:03}"
