"""The client for programs with asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal, TypeVar, Unpack

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

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
    def __init__(self, server: Server, client: httpx.AsyncClient) -> None:
        self.server, self.client = server, client

    async def send(self, call: Call[T]) -> T:
        tries = 0
        while True:
            try:
                answer = await self.client.send(self.server.request(self.client, call))
            except httpx.TransportError as cause:
                raise unreachable(self.server, cause) from cause
            if answer.is_success:
                return self.server.read(answer, call)
            await asyncio.sleep(self.server.wait(answer, tries))
            tries += 1


class AsyncVaak:
    """A Vaak server. It may be used as a context manager.

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
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._own = http is None
        self._timeout = timeout
        self._transport = _Transport(Server(url, key, retries, max_wait), http or httpx.AsyncClient(timeout=timeout, follow_redirects=True))
        self.catalogue = AsyncCatalogue(self._transport)
        self.tokens = AsyncTokens(self._transport)

    async def __aenter__(self) -> AsyncVaak:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Gives the connections back, unless they are of the caller's own client."""
        if self._own:
            await self._transport.client.aclose()

    async def preview_text(self, **request: Unpack[SpeechRequest]) -> Reading:
        """Says how a text would be read, and what it would cost. Nothing is charged."""
        return await self._transport.send(calls.preview_text(request))

    @asynccontextmanager
    async def live(self, *, token: str | None = None, **query: Unpack[LiveQuery]) -> AsyncGenerator[AsyncLive]:
        """Opens a session in which text is spoken while it is written.

        With a single-use token it needs no key.
        """
        server = self._transport.server
        address, headers = server.socket(query, token)
        try:
            socket = await connect(address, additional_headers=headers, open_timeout=self._timeout, max_size=None, compression=None)
        except InvalidStatus as status:
            raise refused(status) from None
        except (OSError, InvalidHandshake, InvalidURI) as cause:
            raise unreachable(server, cause) from cause
        async with AsyncLive(socket) as session:
            yield session


class AsyncTokens:
    """Single-use tokens: a program that has a key makes one, and a page opens a session with it."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    async def create(self, **request: Unpack[TokenRequest]) -> NewToken:
        """Makes a token, whose ``token`` can never be read again."""
        return await self._transport.send(calls.new_token(request))

    async def list(self) -> Sequence[Token]:
        """Returns the tokens of the organisation that wait for their session."""
        return (await self._transport.send(calls.tokens()))["tokens"]

    async def revoke(self, token_id: str) -> None:
        """Ends a token that waits for its session."""
        await self._transport.send(calls.revocation(token_id))


class AsyncCatalogue:
    """The catalogue of datasets. It needs no key."""

    def __init__(self, transport: _Transport) -> None:
        self._transport = transport

    async def list(self, **query: Unpack[DatasetQuery]) -> DatasetList:
        """Returns a page of the datasets that match."""
        return await self._transport.send(calls.datasets(query))

    async def all(self, **query: Unpack[DatasetQuery]) -> AsyncIterator[DatasetBrief]:
        """Goes through all datasets that match, page by page."""
        while True:
            page = await self.list(**query)
            for dataset in page["datasets"]:
                yield dataset
            if "next" not in page:
                return
            query["cursor"] = page["next"]

    async def get(self, slug: str) -> Dataset:
        """Returns the record of a dataset, by its slug or id."""
        return await self._transport.send(calls.dataset(slug))

    async def similar(self, slug: str, **query: Unpack[DatasetQuery]) -> DatasetList:
        """Returns the other datasets, those first that are most like one."""
        query["similar"] = slug
        return await self.list(**query)

    async def facets(self, **query: Unpack[FacetQuery]) -> FacetCounts:
        """Counts the datasets of each value of a property."""
        return await self._transport.send(calls.facets(query))

    async def croissant(self, slug: str, version: Literal["1.0", "1.1"] | None = None) -> dict[str, Any]:
        """Returns a dataset in the format Croissant, in JSON-LD."""
        return await self._transport.send(calls.croissant(slug, version))

    async def enquire(self, **request: Unpack[EnquiryRequest]) -> EnquiryReceipt:
        """Sends a person's question to the people who license the datasets. The person has seen
        what is sent, and has agreed to it."""
        return await self._transport.send(calls.enquiry(request))


class AsyncLive:
    """Speech while it is written: one utterance. To go through it gives what happens, up to
    ``done`` or ``cancelled``. Another task may send, and cancel."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._progress = Progress()
        self._reading = asyncio.Lock()

    async def __aenter__(self) -> AsyncLive:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def words(self) -> list[LiveWord]:
        """The words that were told so far, where the session asks for ``words``."""
        return self._progress.words

    async def send(self, text: str, *, flush: bool = False) -> None:
        """Adds text, of any length: words may be cut anywhere. With flush it is spoken now."""
        if message := texts(text, flush):
            await self._write(message)

    async def flush(self) -> None:
        """Speaks what was sent, now."""
        await self._write({"flush": True})

    async def keep_alive(self) -> None:
        """Says that more will come."""
        await self._write({"keepalive": True})

    async def end(self) -> None:
        """Says that this was all the text: the rest is spoken."""
        await self._write({"text": ""})

    async def cancel(self, played_ms: float | None = None) -> LiveCancelled | LiveDone:
        """Stops at once, and returns how much of the text was heard.

        ``played_ms`` is how much of the audio was heard; without it, all that was sent. The
        session may have ended before: then it returns how.
        """
        if self._progress.final is None:
            with suppress(VaakError):  # it has ended meanwhile
                await self._write(cancelling(played_ms))
        return await self.result()

    async def result(self) -> LiveCancelled | LiveDone:
        """Waits for the end and returns how the session ended. What comes before is dropped."""
        while self._progress.final is None:
            await self._next()
        return self._progress.final

    async def __aiter__(self) -> AsyncIterator[LiveEvent]:
        while self._progress.final is None:
            event = await self._next()
            if event is not None:
                yield event

    async def close(self) -> None:
        """Ends the session without asking how far it came."""
        await self._socket.close()

    async def _next(self) -> LiveEvent | None:
        async with self._reading:
            if self._progress.final is not None:
                return None  # another task has read it
            try:
                return self._progress.take(await self._socket.recv())
            except ConnectionClosed as closed:
                raise lost(closed) from None

    async def _write(self, message: dict[str, Any]) -> None:
        if self._progress.final is not None:  # the server may not have closed the connection yet
            raise VaakError("closed", "the session is over")
        try:
            await self._socket.send(written(message))
        except ConnectionClosed:
            # The server closes after its last message, which says why and is still to be read.
            if self._progress.final is not None:
                raise VaakError("closed", "the session is over") from None
