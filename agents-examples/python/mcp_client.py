"""An agent's errand over MCP: search the catalogue, read a record, speak a summary.

Two servers, by the official Python SDK: the catalogue is public, speech needs a key.

    VAAK_URL    the server
    VAAK_KEY    a key

    python mcp_client.py [--language Hindi] [summary.mp3]
"""

import argparse
import asyncio
import base64
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import AudioContent, CallToolResult, TextContent


class Failed(Exception):
    """Failed is what a server refused, in its own words."""


@asynccontextmanager
async def connected(url: str, key: str = "") -> AsyncIterator[Client]:
    """connected opens a server. The SDK asks it which version of the protocol it speaks
    and takes the newest that both know."""
    words = ""  # of a refusal before MCP begins, which the SDK does not pass on

    async def listen(answer: httpx2.Response) -> None:
        nonlocal words
        if answer.status_code >= 400 and answer.status_code not in (400, 404, 405):  # those are the SDK's to read
            await answer.aread()
            words = sentence(answer)

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    hooks = {"response": [listen]}
    timeout = httpx2.Timeout(30, read=300)
    try:
        async with httpx2.AsyncClient(headers=headers, event_hooks=hooks, timeout=timeout) as http:
            async with Client(streamable_http_client(url, http_client=http)) as client:
                server = client.server_info
                print(f"connected {url} ({server.name if server else 'unnamed'}, MCP {client.protocol_version})")
                yield client
    except* (MCPError, httpx2.HTTPError) as errors:
        raise Failed(f"{url}: {words or first(errors)}") from None


def sentence(answer: httpx2.Response) -> str:
    """sentence is what a refusal says to people: speech has it in detail and error, the
    catalogue beside a code, and whatever stands before the server may send no JSON."""
    try:
        body = answer.json()
    except ValueError:
        body = None
    told = body if isinstance(body, dict) else {}
    for part in (told, told.get("detail"), told.get("error")):
        if isinstance(part, dict) and isinstance(part.get("message"), str):
            return part["message"]
    return f"HTTP {answer.status_code}"


def first(error: BaseException) -> BaseException:
    """first is what went wrong: whatever runs in tasks reports groups of groups."""
    return first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


async def call(client: Client, tool: str, **arguments: Any) -> CallToolResult:
    """call calls a tool. Its result has text for a model and structured content for a
    program; a failed one says in its text what to change."""

    async def progress(done: float, total: float | None, message: str | None) -> None:
        print(f"progress  {done:g} of {total or 0:g}  {message or ''}".rstrip(), flush=True)

    result = await client.call_tool(tool, arguments, progress_callback=progress)
    if result.is_error:
        raise Failed(f"{tool}: " + " ".join(part.text for part in result.content if isinstance(part, TextContent)))
    return result


def summary(record: dict[str, Any]) -> str:
    """summary says what is known of a dataset in a sentence; what is null is left out."""
    parts = [f"{record['title']}: {record['hours']} hours in {record['recordings']} recordings"]
    if record["speakers"]:
        parts.append(f"{record['speakers']} speakers")
    if record["channels"]:
        parts.append("a channel for each speaker" if record["channels"] == "dual" else "one channel for all speakers")
    if record["transcribed"]:
        parts.append("transcribed")
    return ", ".join(parts) + "."


async def look_up(language: str) -> dict[str, Any]:
    """look_up is the record of the first dataset of a language."""
    async with connected(f"{os.environ['VAAK_URL']}/api/catalogue/mcp") as catalogue:
        filters = {"language": language} if language else {}
        found = (await call(catalogue, "search_datasets", limit=5, **filters)).structured_content
        print(f"found     {found['count']} datasets, {found['totalHours']} hours")
        for brief in found["datasets"]:
            print(f"          {brief['slug']}: {brief['title']}")
        if not found["datasets"]:
            raise Failed(f"no dataset of {language}")
        record = (await call(catalogue, "get_dataset", slug=found["datasets"][0]["slug"])).structured_content
        print(f"unknown   {', '.join(record['gaps']) or 'nothing'}")
        return record


async def speak(text: str) -> bytes:
    """speak is a text as MP3: from the link in the result, else from the result itself."""
    async with connected(f"{os.environ['VAAK_URL']}/v1/mcp", os.environ["VAAK_KEY"]) as speech:
        result = await call(speech, "synthesize_speech", text=text, language="en", format="mp3")
        spoken = result.structured_content
        print(f"spoken    {spoken['duration_seconds']:.1f} s, {spoken['characters']} characters, {spoken['voice_id']}")
        if url := spoken.get("audio_url"):  # signed: it needs no key, for a quarter of an hour
            async with httpx2.AsyncClient() as http:
                return (await http.get(url)).raise_for_status().content
        return next(base64.b64decode(part.data) for part in result.content if isinstance(part, AudioContent))


async def errand(language: str, file: Path) -> None:
    text = summary(await look_up(language))
    print(f"summary   {text}")
    file.write_bytes(await speak(text))
    print(f"wrote     {file}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, default=Path("summary.mp3"))
    parser.add_argument("--language", default="", help="of the dataset: Hindi, hi, hi-IN")
    arguments = parser.parse_args()
    if missing := [name for name in ("VAAK_URL", "VAAK_KEY") if not os.environ.get(name)]:
        sys.exit(f"mcp_client: set {' and '.join(missing)}")
    try:
        asyncio.run(errand(arguments.language, arguments.file))
    except* Failed as failed:
        sys.exit(f"mcp_client: {first(failed)}")
