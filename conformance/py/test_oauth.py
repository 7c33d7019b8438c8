"""The official Python client of the Model Context Protocol signs in with OAuth: it finds out from
the refusal where tokens come from, registers, sends a person to the console, and calls with what
it gets. VAAK_CONSOLE_EMAIL and VAAK_CONSOLE_PASSWORD say who signs in there."""

import contextlib
import html
import os
import re
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from record import Suite

suite = Suite("mcp")
ORIGIN = os.environ["VAAK_BASE_URL"]
MODES = {"2026-07-28": "auto", "2025-11-25": "legacy"}  # what the client says to speak a version
REDIRECT = "http://127.0.0.1:3119/callback"


class Storage:
    """Storage keeps what the client must know, as a host would."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Person:
    """Person is asked in the console, without a browser: signs in, and sends its forms."""

    def __init__(self, keep, answer="allow"):
        self.keep, self.answer = keep, answer
        self.pages, self.asked = [], []

    async def open(self, address):
        """open is what the client calls to send the person to the console."""
        self.asked.append(address)
        async with httpx2.AsyncClient() as browser:
            page = await browser.get(address)
            if page.status_code == 303:
                signin = urljoin(address, page.headers["location"])
                form = {"email": os.environ["VAAK_CONSOLE_EMAIL"], "password": os.environ["VAAK_CONSOLE_PASSWORD"]}
                moved = await browser.post(signin, data={**form, "to": parse_qs(urlsplit(signin).query)["to"][0]})
                assert moved.status_code == 303, moved.text
                page = await browser.get(urljoin(address, moved.headers["location"]))
            assert page.status_code == 200, page.text
            self.pages.append(page.text)

            def value(pattern):
                return html.unescape(re.search(pattern, page.text)[1])

            scopes = re.findall(r'name="scope" value="([^"]+)"', page.text)
            answer = await browser.post(
                urljoin(address, "/oauth/authorize"),
                data={
                    "request": value(r'name="request" value="([^"]+)"'),
                    "once": value(r'name="once" value="([^"]+)"'),
                    "org": value(r'<option value="(org_[^"]+)"'),
                    "scope": [s for s in scopes if self.keep(s)],
                    "answer": self.answer,
                },
            )
            assert answer.status_code == 303, answer.text
            back = answer.headers["location"]
            assert back.startswith(REDIRECT + "?"), back
            self.back = {name: value[0] for name, value in parse_qs(urlsplit(back).query).items()}

    async def answered(self):
        """answered is what the client calls to learn the answer."""
        return AuthorizationCodeResult(code=self.back.get("code", ""), state=self.back.get("state"), iss=self.back.get("iss"))


@contextlib.asynccontextmanager
async def signed_in(version, person, storage, endpoint="/v1/mcp"):
    """signed_in opens an endpoint without a key."""
    provider = OAuthClientProvider(
        server_url=ORIGIN + endpoint,
        client_metadata=OAuthClientMetadata(client_name="Conformance in Python", redirect_uris=[REDIRECT]),
        storage=storage,
        redirect_handler=person.open,
        callback_handler=person.answered,
    )
    try:
        async with httpx2.AsyncClient(auth=provider, timeout=60) as http:
            async with Client(streamable_http_client(ORIGIN + endpoint, http_client=http), mode=MODES[version], cache=None) as client:
                assert client.protocol_version == version, client.protocol_version
                yield client
    except BaseExceptionGroup as group:
        error = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


def each_version(what):
    """each_version marks a test that runs in both versions of the protocol."""

    def mark(test):
        for version in MODES:

            async def body(version=version):
                await test(version)

            suite.shows("OAuthClientProvider", f"{what}, {version}")(body)
        return test

    return mark


@each_version("registers, a person allows it in the console, and it speaks; a new connection needs nobody")
async def speaks(version):
    person, storage = Person(lambda _: True), Storage()
    async with signed_in(version, person, storage) as client:
        spoken = await client.call_tool("synthesize_speech", {"text": "Signed in."})
        assert not spoken.is_error, spoken.content
    assert len(person.asked) == 1 and "Conformance in Python" in person.pages[0]
    assert person.back["iss"] == ORIGIN
    async with signed_in(version, person, storage) as client:
        assert not (await client.call_tool("get_usage", {})).is_error
    assert len(person.asked) == 1


@each_version("asks for more when it may do too little")
async def steps_up(version):
    person, storage = Person(lambda scope: scope == "voices:read"), Storage()
    async with signed_in(version, person, storage) as client:
        assert not (await client.call_tool("list_languages", {})).is_error
        person.keep = lambda _: True
        assert not (await client.call_tool("get_usage", {})).is_error
    assert len(person.asked) == 2, person.asked
    assert {"usage:read", "voices:read"} <= set(parse_qs(urlsplit(person.asked[1]).query)["scope"][0].split())


@each_version("a person who does not allow it: nothing is issued")
async def denied(version):
    person, storage = Person(lambda _: True, "deny"), Storage()
    try:
        async with signed_in(version, person, storage):
            raise AssertionError("it is connected")
    except AssertionError:
        raise
    except Exception:
        assert person.back["error"] == "access_denied" and "code" not in person.back
        assert storage.tokens is None


if __name__ == "__main__":
    suite.run()
