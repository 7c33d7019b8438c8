"""What goes wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast


class VaakError(Exception):
    """What went wrong, of every call.

    ``code`` is for programs: one of the server, such as ``voice_not_found``, or one of this
    client: ``network_error``, ``connection_lost``, ``invalid_answer``, ``missing_api_key``,
    ``closed``. ``request_id`` is the id that the log of the server has too, ``field`` the
    parameter at fault, ``retry_after`` the seconds to wait before another try.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        field: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.field = field
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> VaakError:
    """Reads an answer that is no success. Names of the headers are in lower case."""
    # A proxy in front of the server answers in its own words.
    try:
        parsed: Any = json.loads(body)
    except ValueError:
        parsed = {}
    top = _object(parsed)
    detail, error = _object(top.get("detail")), _object(top.get("error"))

    def first(*values: Any) -> str | None:
        return next((v for v in values if isinstance(v, str) and v), None)

    return VaakError(
        first(detail.get("status"), top.get("code"), error.get("code")) or "http_error",
        first(detail.get("message"), top.get("message"), error.get("message")) or f"the server answered with status {status}",
        status=status,
        request_id=headers.get("x-request-id"),
        field=first(error.get("param"), top.get("parameter"), top.get("field")),
        retry_after=_wait(headers),
    )


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _wait(headers: Mapping[str, str]) -> float | None:
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            return max(0.0, float(headers[name]) / unit)
        except (KeyError, ValueError):
            continue
    return None
