"""Enquiries as the official Python client of the Model Context Protocol carries them,
in the newest version of the protocol and in the newest that begins with a handshake,
with hosts whose person says yes, says no, closes the question, or cannot be asked.

VAAK_ENQUIRY_URL says where a server is that trusts the proxy in front of it, so that
every host has an address of its own, VAAK_ENQUIRY_DIR where its data are, and
VAAK_PROGRAM what reads them."""

import asyncio
import contextlib
import itertools
import os
import re
import subprocess
from pathlib import Path

import httpx2
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitRequestFormParams, ElicitResult
from record import Suite

suite = Suite("mcp")
ORIGIN, DATA = os.environ["VAAK_ENQUIRY_URL"], Path(os.environ["VAAK_ENQUIRY_DIR"])
MODES = {"2026-07-28": "auto", "2025-11-25": "legacy"}  # what the client says to speak a version
YES, UNTICKED = (ElicitResult(action="accept", content={"send": send}) for send in (True, False))
NO, CLOSED = ElicitResult(action="decline"), ElicitResult(action="cancel")

numbers = itertools.count(1)


class Host:
    """Host is a host of agents. Its person, whom the server does not know, gives the
    answers in turn, and then the last again."""

    def __init__(self, client, number, asked, schema):
        self.client, self.asked, self.schema = client, asked, schema
        self.email = f"someone-{os.getpid()}-{number}@example.org"

    def enquiry(self, **changes):
        about = {
            "name": "Ravi Iyer", "email": self.email, "company": "Example Labs", "intent": "sample",
            "dataset": dataset()["slug"], "message": "We train a voice assistant.\nWe need 150 hours by June.", "agent": "a test",
        }  # fmt: skip
        return {name: value for name, value in {**about, **changes}.items() if value is not None}

    async def send(self, **changes):
        """send sends an enquiry and returns what the tool says of it, as its schema has it."""
        result = await self.client.call_tool("send_enquiry", self.enquiry(**changes))
        assert not result.is_error, result
        Draft202012Validator(self.schema).validate(result.structured_content)
        return {**result.structured_content, "text": result.content[0].text}

    def holds(self, asked, sent):
        """holds checks how often the person was asked and what is kept of them, with one
        mail each, and returns the ids."""
        assert len(self.asked) == asked, f"{len(self.asked)} questions, want {asked}"
        listed = subprocess.run(
            [os.environ["VAAK_PROGRAM"], "enquiry", "list", "--limit", "1000", "--data-dir", DATA],
            check=True, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        lines = [line.split("\t") for line in listed.stdout.splitlines() if self.email in line.split("\t")]
        assert len(lines) == sent and all(sum(map(int, line[4:7])) == 1 for line in lines), lines
        return [line[0] for line in lines]


@contextlib.asynccontextmanager
async def hosting(version, *answers):
    """hosting connects a host; without answers it cannot ask. An error inside comes out as
    it is, not as the groups that the client's tasks make of it."""
    asked, number = [], next(numbers)

    async def ask(_, params):
        asked.append(params)
        return answers[min(len(asked), len(answers)) - 1]

    try:
        async with httpx2.AsyncClient(headers={"X-Forwarded-For": f"198.51.100.{number}"}, timeout=60) as http:
            transport = streamable_http_client(f"{ORIGIN}/api/catalogue/mcp", http_client=http)
            async with Client(transport, mode=MODES[version], elicitation_callback=ask if answers else None) as client:
                assert client.protocol_version == version, client.protocol_version
                (schema,) = [tool.output_schema for tool in (await client.list_tools()).tools if tool.name == "send_enquiry"]
                yield Host(client, number, asked, schema)
    except BaseExceptionGroup as group:
        error = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


def dataset():
    return httpx2.get(f"{ORIGIN}/api/catalogue/datasets", timeout=60).json()["datasets"][0]


def hosted(what, *answers):
    """hosted marks a test of a host in each version."""

    def mark(test):
        @suite.shows("Client.elicitation_callback", f"send_enquiry, {' and '.join(MODES)}: {what}")
        async def _():
            for version in MODES:
                async with hosting(version, *answers) as host:
                    await test(host)

        return test

    return mark


def check_shown(params, enquiry):
    """check_shown expects a question with the whole enquiry, and a box without a tick."""
    assert isinstance(params, ElicitRequestFormParams), params
    for value in enquiry.values():
        assert all(line in params.message for line in value.split("\n")), f"{value} is missing from {params.message}"
    box = params.requested_schema["properties"]["send"]
    assert box["type"] == "boolean" and box["default"] is False and params.requested_schema["required"] == ["send"], params


def check_not_sent(told, status):
    """check_not_sent expects a result without a link that could send it: with the public
    form, unless a mail goes to the person."""
    assert told["status"] == status and told["received"] is False and "enquiry_id" not in told and "confirmation_token" not in told, told
    assert "/enquiry/confirm/" not in str(told), told
    if status == "confirmation_required":
        assert "form_url" not in told, told
    else:
        assert told["form_url"] == f"{ORIGIN}/enquiry?dataset={dataset()['slug']}&intent=sample" and told["form_url"] in told["text"], told


@hosted("the person sees all of it and says yes: it is sent, and mailed, once", YES)
async def _(host):
    told = await host.send()
    assert told["status"] == "sent" and told["received"] and told["dataset"]["slug"] == dataset()["slug"], told
    assert told["enquiry_id"] in told["text"] and told["next"] and told["contact"], told
    check_shown(host.asked[0], host.enquiry())
    assert host.holds(1, 1) == [told["enquiry_id"]]
    again = await host.send()
    assert again["status"] == "sent" and again["enquiry_id"] == told["enquiry_id"], again
    host.holds(1, 1)
    while not (mails := [text for file in (DATA / "mail").glob("*.eml") if host.email in (text := file.read_text())]):
        await asyncio.sleep(0.05)
    (mail,) = mails
    assert re.search(f"^Reply-To: <?{host.email}>?$", mail, re.M) and "150 hours" in mail, mail


@hosted("a form without the tick: nothing is sent, and the same text is not asked again", UNTICKED, YES)
async def _(host):
    await declined(host)


@hosted("a no: nothing is sent, the same text is not asked again, and the form is left to the person", NO, YES)
async def _(host):
    await declined(host)


async def declined(host):
    """declined sends what the person says no to, twice, and looks at the form that is left."""
    check_not_sent(await host.send(), "declined")
    check_shown(host.asked[0], host.enquiry())
    again = await host.send()
    check_not_sent(again, "declined")
    host.holds(1, 0)
    page = httpx2.get(again["form_url"], timeout=60).text
    assert f'name="dataset" value="{dataset()["slug"]}"' in page and host.email not in page, page


@hosted("the question is closed: nothing is sent, and the next call asks again", CLOSED, YES)
async def _(host):
    check_not_sent(await host.send(), "cancelled")
    host.holds(1, 0)
    told = await host.send()
    assert told["status"] == "sent" and host.holds(2, 1) == [told["enquiry_id"]], told


@hosted("the host cannot ask: a mail takes a link to the person, whose page shows it and sends nothing, until the person sends it there")
async def _(host):
    told = await host.send()
    check_not_sent(told, "confirmation_required")
    link = await link_of(host.email)
    assert link.rsplit("/", 1)[1] not in str(told), told
    id = await confirmed(host, link)
    again = await host.send()
    assert again["status"] == "sent" and again["enquiry_id"] == id and again["consent"] == "mailed_link" and host.holds(0, 1) == [id], again


async def link_of(email):
    """link_of waits for the mail with a link to a person and returns the link."""
    while True:
        for file in (DATA / "mail").glob("*.eml"):
            text = file.read_bytes().decode()
            mailed = re.search(r"http\S+/enquiry/confirm/[a-z2-7]{26}(?=\s)", text.replace("=\r\n", ""))
            if mailed and re.search(f"^To: <?{email}>?\r?$", text, re.M):
                return mailed[0]
        await asyncio.sleep(0.05)


async def confirmed(host, link):
    """confirmed follows the link as a scanner of links does, then as a program, then without
    the tick, and then as the person who sends it. It returns the id."""
    asked = len(host.asked)
    async with httpx2.AsyncClient(base_url=ORIGIN, timeout=60) as browser:
        page = await browser.get(link)
        assert page.status_code == 200 and all(value in page.text for value in ("Ravi Iyer", host.email, "150 hours")), page.text
        host.holds(asked, 0)
        (action,) = re.findall(r'<form [^>]*action="(/enquiry/confirm/[^"]+)" method="post"', page.text)
        assert (await browser.post(action, data={"consent": "yes"})).status_code == 403
        browser.headers["Origin"] = ORIGIN
        assert (await browser.post(action, data={"consent": "no"})).status_code == 400
        host.holds(asked, 0)
        sent = await browser.post(action, data={"consent": "yes"})
        assert sent.status_code == 303, sent.text
        (id,) = host.holds(asked, 1)
        receipt = await browser.get(sent.headers["location"])
        assert receipt.status_code == 200 and id in receipt.text, receipt.text
    return id


@hosted("what is wrong is said before anybody is asked", YES)
async def _(host):
    for says, changes in {
        "search_datasets": {"dataset": "no-such-dataset"},
        "message": {"intent": "question", "message": None},
        "quote, sample, collection, question": {"intent": "buy"},
        "email": {"email": "ravi@"},
        "name": {"name": ""},
        "5000": {"message": "x" * 5001},
        "confirmation_token": {"confirmation_token": "forged"},
    }.items():
        result = await host.client.call_tool("send_enquiry", host.enquiry(**changes))
        assert result.is_error and says in result.content[0].text, (changes, result)
    host.holds(0, 0)


if __name__ == "__main__":
    suite.run()
