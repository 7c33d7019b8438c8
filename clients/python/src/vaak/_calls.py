"""The calls of the server, for both clients: what is asked, and when it is asked again."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote, urlencode

import httpx

from ._error import VaakError, refusal
from ._types import Dataset, DatasetList, EnquiryReceipt, FacetCounts, NewToken, Reading, TokenList

T = TypeVar("T")


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request, and in its type what a success answers."""

    method: str
    path: str
    query: Mapping[str, Any] | None = None
    body: Mapping[str, Any] | None = None


def preview_text(request: Mapping[str, Any]) -> Call[Reading]:
    return Call("POST", "/v1/audio/speech/preview-text", body=request)


def new_token(request: Mapping[str, Any]) -> Call[NewToken]:
    return Call("POST", "/v1/audio/speech/tokens", body=request)


def tokens() -> Call[TokenList]:
    return Call("GET", "/v1/audio/speech/tokens")


def revocation(token_id: str) -> Call[Any]:
    return Call("DELETE", f"/v1/audio/speech/tokens/{quote(token_id, safe='')}")


def datasets(query: Mapping[str, Any]) -> Call[DatasetList]:
    return Call("GET", "/api/catalogue/datasets", query=query)


def dataset(slug: str) -> Call[Dataset]:
    return Call("GET", f"/api/catalogue/datasets/{quote(slug, safe='')}")


def facets(query: Mapping[str, Any]) -> Call[FacetCounts]:
    return Call("GET", "/api/catalogue/facets", query=query)


def croissant(slug: str, version: str | None) -> Call[dict[str, Any]]:
    return Call("GET", f"/catalogue/datasets/{quote(slug, safe='')}/croissant.json", query={"version": version})


def enquiry(request: Mapping[str, Any]) -> Call[EnquiryReceipt]:
    return Call("POST", "/api/catalogue/enquiry", body=request)


LIVE = "/v1/audio/speech/stream-input"


@dataclass(frozen=True)
class Server:
    """Where the server is, and how patient its clients are."""

    url: str
    key: str | None
    retries: int
    max_wait: float

    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.key}"} if self.key else {}

    def request(self, client: httpx.Client | httpx.AsyncClient, call: Call[Any]) -> httpx.Request:
        return client.build_request(call.method, self.address(call.path, call.query), json=call.body, headers=self.headers())

    def address(self, path: str, query: Mapping[str, Any] | None = None) -> str:
        tail = urlencode([(name, _text(one)) for name, value in (query or {}).items() for one in _each(value)])
        return self.url.rstrip("/") + path + ("?" + tail if tail else "")

    def socket(self, query: Mapping[str, Any], token: str | None) -> tuple[str, dict[str, str]]:
        """Where a live session is opened, and with which headers."""
        if token is None and self.key is None:
            raise VaakError("missing_api_key", "a session needs a key or a single-use token")
        more = {} if token is None else {"single_use_token": token}
        address = self.address(LIVE, {**query, **more}).replace("http", "ws", 1)
        return address, self.headers() if token is None else {}

    def read(self, answer: httpx.Response, call: Call[T]) -> T:
        try:
            return cast(T, answer.json() if answer.content else None)
        except ValueError:
            raise VaakError(
                "invalid_answer", "the answer of the server is no JSON",
                status=answer.status_code, request_id=answer.headers.get("x-request-id"),
            ) from None

    def wait(self, answer: httpx.Response, tries: int) -> float:
        """How long to wait before the call is made again, in seconds. Raises what is wrong if it
        is not: 429 and 503 are answered before anything is done or charged, all else is final."""
        error = refusal(answer.status_code, answer.headers, answer.content)
        wait = 0.25 * 2**tries if error.retry_after is None else error.retry_after
        if answer.status_code not in (429, 503) or tries >= self.retries or wait > self.max_wait:
            raise error
        # A little more for some than for others, so that they do not come back together.
        return wait * (1 + random.random() / 10)


def unreachable(server: Server, cause: Exception) -> VaakError:
    return VaakError("network_error", f"{server.url} could not be reached: {cause}")


def _each(value: Any) -> list[Any]:
    if value is None:
        return []
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
