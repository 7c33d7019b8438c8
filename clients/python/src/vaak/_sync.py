"""The client that waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeVar, Unpack

import httpx
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.sync.client import ClientConnection, connect

from . import _calls as calls
from ._calls import Call, Server, unreachable
from ._error import VaakError
from ._events import LiveEvent, Progress, cancelling, lost, refused, texts, written
from ._types import (
    Dataset,
    DatasetBrief,
    DatasetList,
    DatasetQuery,
    EnquiryReceipt,
    EnquiryRequest,
    FacetCounts,
    FacetQuery,
    LiveCancelled,
    LiveDone,
    LiveQuery,
    LiveWord,
    NewToken,
    Reading,
    SpeechRequest,
    Token,
    TokenRequest,
)

T = TypeVar("T")


class _Transport:
    def __init__(self, server: Server, client: httpx.Client) -> None:
        self.server, self.client = server, client

    def send(self, call: Call[T]) -> T:
        tries = 0
        while True:
            try:
                answer = self.client.send(self.server.request(self.client, call))
            except httpx.TransportError as cause:
                raise unreachable(self.server, cause) from cause
            if answer.is_success:
                return self.server.read(answer, call)
            time.sleep(self.server.wait(answer, tries))
            tries += 1


class Vaak:
    """A Vaak server. It may be used by several threads, and as a context manager.

    Calls are made again after 429 and 503, ``retries`` times, unless the server asks to wait for
    longer than ``max_wait`` seconds.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        retries: int = 2,
        max_wait: float = 10,
        timeout: float = 60,
        http: httpx.Client | None = None,
    ) -> None:
        self._own = http is None
        self._timeout = timeout
        self._transport = _Transport(Server(url, key, retries, max_wait), http or httpx.Client(timeout=timeout, follow_redirects=True))
        self.catalogue = Catalogue(self._transport)
        self.tokens = Tokens(self._transport)

    def __enter__(self) -> Vaak:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the connections back, unless they are of the caller's own client."""
        if self._own:
            self._transport.client.close()

    def preview_text(self, **request: Unpack[SpeechRequest]) -> Reading:
        """Says how a text would be read, and what it would cost. Nothing is charged."""
        return self._transport.send(calls.preview_text(request))

    def live(self, *, token: str | None = None, **query: Unpack[LiveQuery]) -> Live:
        """Opens a session in which text is spoken while it is written.

        With a single-use token it needs no key.
        """
        server = self._transport.server
        address, headers = server.socket(query, token)
        try:
            socket = connect(address, additional_headers=headers, open_timeout=self._timeout, max_size=None, compression=None)
        except InvalidStatus as status:
            raise refused(status) from None
        except (OSError, InvalidHandshake, InvalidURI) as cause:
            raise unreachable(server, cause) from cause
        return Live(socket)


class Tokens:
    """Single-use tokens: a program that has a key makes one, and a page opens a session with it."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    def create(self, **request: Unpack[TokenRequest]) -> NewToken:
        """Makes a token, whose ``token`` can never be read again."""
        return self._transport.send(calls.new_token(request))

    def list(self) -> Sequence[Token]:
        """Returns the tokens of the organisation that wait for their session."""
        return (self._transport.send(calls.tokens()))["tokens"]

    def revoke(self, token_id: str) -> None:
        """Ends a token that waits for its session."""
        self._transport.send(calls.revocation(token_id))


class Catalogue:
    """The catalogue of datasets. It needs no key."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    def list(self, **query: Unpack[DatasetQuery]) -> DatasetList:
        """Returns a page of the datasets that match."""
        return self._transport.send(calls.datasets(query))

    def all(self, **query: Unpack[DatasetQuery]) -> Iterator[DatasetBrief]:
        """Goes through all datasets that match, page by page."""
        while True:
            page = self.list(**query)
            yield from page["datasets"]
            if "next" not in page:
                return
            query["cursor"] = page["next"]

    def get(self, slug: str) -> Dataset:
        """Returns the record of a dataset, by its slug or id."""
        return self._transport.send(calls.dataset(slug))

    def similar(self, slug: str, **query: Unpack[DatasetQuery]) -> DatasetList:
        """Returns the other datasets, those first that are most like one."""
        query["similar"] = slug
        return self.list(**query)

    def facets(self, **query: Unpack[FacetQuery]) -> FacetCounts:
        """Counts the datasets of each value of a property."""
        return self._transport.send(calls.facets(query))

    def croissant(self, slug: str, version: Literal["1.0", "1.1"] | None = None) -> dict[str, Any]:
        """Returns a dataset in the format Croissant, in JSON-LD."""
        return self._transport.send(calls.croissant(slug, version))

    def enquire(self, **request: Unpack[EnquiryRequest]) -> EnquiryReceipt:
        """Sends a person's question to the people who license the datasets. The person has seen
        what is sent, and has agreed to it."""
        return self._transport.send(calls.enquiry(request))


class Live:
    """Speech while it is written: one utterance. To go through it gives what happens, up to
    ``done`` or ``cancelled``. Another thread may send, and cancel."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._progress = Progress()
        self._reading = threading.Lock()

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def words(self) -> list[LiveWord]:
        """The words that were told so far, where the session asks for ``words``."""
        return self._progress.words

    def send(self, text: str, *, flush: bool = False) -> None:
        """Adds text, of any length: words may be cut anywhere. With flush it is spoken now."""
        if message := texts(text, flush):
            self._write(message)

    def flush(self) -> None:
        """Speaks what was sent, now."""
        self._write({"flush": True})

    def keep_alive(self) -> None:
        """Says that more will come."""
        self._write({"keepalive": True})

    def end(self) -> None:
        """Says that this was all the text: the rest is spoken."""
        self._write({"text": ""})

    def cancel(self, played_ms: float | None = None) -> LiveCancelled | LiveDone:
        """Stops at once, and returns how much of the text was heard.

        ``played_ms`` is how much of the audio was heard; without it, all that was sent. The
        session may have ended before: then it returns how.
        """
        if self._progress.final is None:
            with suppress(VaakError):  # it has ended meanwhile
                self._write(cancelling(played_ms))
        return self.result()

    def result(self) -> LiveCancelled | LiveDone:
        """Waits for the end and returns how the session ended. What comes before is dropped."""
        while self._progress.final is None:
            self._next()
        return self._progress.final

    def __iter__(self) -> Iterator[LiveEvent]:
        while self._progress.final is None:
            event = self._next()
            if event is not None:
                yield event

    def close(self) -> None:
        """Ends the session without asking how far it came."""
        self._socket.close()

    def _next(self) -> LiveEvent | None:
        with self._reading:
            if self._progress.final is not None:
                return None  # another thread has read it
            try:
                return self._progress.take(self._socket.recv())
            except ConnectionClosed as closed:
                raise lost(closed) from None

    def _write(self, message: dict[str, Any]) -> None:
        if self._progress.final is not None:  # the server may not have closed the connection yet
            raise VaakError("closed", "the session is over")
        try:
            self._socket.send(written(message))
        except ConnectionClosed:
            # The server closes after its last message, which says why and is still to be read.
            if self._progress.final is not None:
                raise VaakError("closed", "the session is over") from None
