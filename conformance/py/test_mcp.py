"""The official Python client of the Model Context Protocol against both endpoints, in
the newest version of the protocol and in the newest that begins with a handshake.

VAAK_BASE_URL and VAAK_API_KEY say where the server is; it has the datasets of `vaak
demo`. What an endpoint does not offer is not tested, and then docs/conformance.md
differs from what was found, which `run` reports."""

import asyncio
import base64
import contextlib
import functools
import io
import json
import os
import re
from urllib.parse import urlsplit

import httpx2
import soundfile
from jsonschema import Draft202012Validator
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import AudioContent, PromptReference, ResourceLink, ResourceTemplateReference, TextContent
from record import Suite

suite = Suite("mcp")
ORIGIN = os.environ["VAAK_BASE_URL"]
KEY = os.environ["VAAK_API_KEY"]
SPEECH, CATALOGUE = "/v1/mcp", "/api/catalogue/mcp"
MODES = {"2026-07-28": "auto", "2025-11-25": "legacy"}  # what the client says to speak a version
TEXT = "Your parcel left the depot this morning. It will be with you by noon. Thank you for waiting."


@contextlib.asynccontextmanager
async def connected(endpoint, version, key=KEY, heard=None):
    """connected opens an endpoint. An error inside comes out as it is, not as the groups
    that the client's tasks make of it. heard, a list, gets the status and the body of each
    refusal, which the client does not pass on."""
    headers = {"Authorization": f"Bearer {key}"} if endpoint == SPEECH else {}

    async def listen(answer):
        if heard is not None and answer.status_code >= 400:
            heard.append((answer.status_code, json.loads(await answer.aread())))

    try:
        async with httpx2.AsyncClient(headers=headers, timeout=60, event_hooks={"response": [listen]}) as http:
            transport = streamable_http_client(ORIGIN + endpoint, http_client=http)
            async with Client(transport, mode=MODES[version], cache=None) as client:
                assert client.protocol_version == version, client.protocol_version
                yield client
    except BaseExceptionGroup as group:
        error = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


@functools.cache
def rest(path):
    answer = httpx2.get(path if path.startswith("http") else ORIGIN + path, timeout=60)
    assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:300]}"
    return answer


def datasets():
    return rest("/api/catalogue/datasets").json()["datasets"]


def voices():
    return rest("/v1/voices").json()["voices"]


async def look(endpoint):
    """look is all that an endpoint offers."""
    try:
        async with connected(endpoint, "2026-07-28") as client:
            can = client.server_capabilities
            return {
                "tools": (await client.list_tools()).tools if can.tools else [],
                "prompts": (await client.list_prompts()).prompts if can.prompts else [],
                "resources": (await client.list_resources()).resources if can.resources else [],
                "templates": (await client.list_resource_templates()).resource_templates if can.resources else [],
            }
    except MCPError as refused:
        assert str(refused) == "Not Found", refused
        return {"tools": [], "prompts": [], "resources": [], "templates": []}


OFFERED = {endpoint: asyncio.run(look(endpoint)) for endpoint in (SPEECH, CATALOGUE)}
TOOLS = {tool.name: tool for offered in OFFERED.values() for tool in offered["tools"]}


def of_both(endpoint, kind, method, what):
    """of_both marks a test of a client in each version, where the endpoint offers
    something of the kind."""

    def mark(test):
        if not OFFERED[endpoint][kind]:
            print(f"absent: {endpoint} has no {kind}", flush=True)
            return test

        @suite.shows(method, f"{endpoint}, {' and '.join(MODES)}: {what}")
        async def _():
            for version in MODES:
                async with connected(endpoint, version) as client:
                    await test(client)

        return test

    return mark


def text_of(result):
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


async def check_call(client, name, arguments, **more):
    """check_call expects a result whose structured content is as its tool's schema has
    it, and text beside it for clients that read nothing else."""
    result = await client.call_tool(name, arguments, **more)
    assert not result.is_error, f"{name}({arguments}): {text_of(result)}"
    Draft202012Validator(TOOLS[name].output_schema).validate(result.structured_content)
    assert text_of(result).strip(), f"{name} has no text"
    return result


def arguments_of(tool):
    """arguments_of are all sets of arguments that a tool is called with here."""
    slugs = [dataset["slug"] for dataset in datasets()]
    document = rest(datasets()[0]["croissant"]).json()
    return {
        "list_languages": [{}, {"query": "hindi"}],
        "search_voices": [{}, {"language": "ta", "limit": 3}, {"query": "nobody at all"}],
        "synthesize_speech": [{"text": TEXT}, {"text": "नमस्ते।", "format": "wav", "delivery": "inline"}],
        "preview_spoken_text": [{"text": "It costs ₹1,249 at 7:45."}],
        "get_usage": [{}],
        "list_pronunciation_dictionaries": [{}, {"limit": 1}],
        "create_pronunciation_dictionary": [
            {"name": "Terms", "rules": [{"string_to_replace": "nginx", "alias": "engine x"}]},
            {"name": "Hindi", "description": "Of one language.", "rules": [
                {"string_to_replace": "API", "alias": "ए पी आई", "case_sensitive": True, "word_boundaries": False, "only_languages": ["hi"], "except_languages": []},
            ]},
        ],
        "search_datasets": [{}, {"q": "banking"}, {"language": "hi", "channels": "dual", "limit": 1}, {"q": "nothing such"}],
        "get_dataset": [{"slug": slug} for slug in slugs] + [{"slug": datasets()[0]["id"]}],
        "get_croissant": [{"slug": slug} for slug in slugs] + [{"slug": slugs[0], "version": v, "part": p} for v in ("1.0", "1.1") for p in ("core", "measurements", "all")],
        "compare_datasets": [{"slugs": slugs[:2]}, {"slugs": slugs[:5]}],
        "validate_croissant": [checked(tool, document), checked(tool, {"@type": "sc:Dataset"})],
        "send_enquiry": [{"name": "Ravi Iyer", "email": "ravi@example.org", "intent": "quote", "dataset": slugs[0]}],
    }[tool.name]


def checked(tool, document):
    """checked gives a tool a document, as text if it takes text."""
    takes = tool.input_schema["properties"].get("document", {}).get("type")
    return {"document": json.dumps(document) if takes == "string" else document}


def check_tools(endpoint):
    method = "Client.list_tools"

    @of_both(endpoint, "tools", method, "each has a description, hints, a closed input schema with every property described, and an output schema")
    async def _(client):
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [tool.name for tool in OFFERED[endpoint]["tools"]], tools
        for tool in tools:
            assert tool.description and tool.annotations, tool
            for schema in (tool.input_schema, tool.output_schema):
                Draft202012Validator.check_schema(schema)
            assert tool.input_schema["additionalProperties"] is False, tool.input_schema
            for name, about in tool.input_schema.get("properties", {}).items():
                assert about.get("description"), f"{tool.name}: {name} is not described"

    @of_both(endpoint, "tools", "Client.call_tool", "every tool: structured content is as the output schema has it, with text beside it")
    async def _(client):
        for tool in OFFERED[endpoint]["tools"]:
            for arguments in arguments_of(tool):
                await check_call(client, tool.name, arguments)

    @of_both(endpoint, "tools", "Client.call_tool", "an unknown argument is an error that names those there are")
    async def _(client):
        for tool in OFFERED[endpoint]["tools"]:
            result = await client.call_tool(tool.name, {"colour": "red"})
            assert result.is_error and "colour" in text_of(result), result
            assert all(name in text_of(result) for name in tool.input_schema.get("required", [])), result


check_tools(SPEECH)


@suite.shows("Client", f"{SPEECH}: a wrong key is refused, in both versions")
async def _():
    for version in MODES:
        heard = []
        try:
            async with connected(SPEECH, version, key="sk_live_nobody", heard=heard):
                raise AssertionError("it opened")
        except MCPError:
            pass
        assert heard and all(status == 401 and "API key" in body["error"]["message"] for status, body in heard), heard


@of_both(SPEECH, "tools", "Client.call_tool", "synthesize_speech hands out audio of the length that it says: by a link that needs no key, and inline")
async def _(client):
    for arguments in ({}, {"delivery": "inline"}):
        result = await check_call(client, "synthesize_speech", {"text": TEXT, "format": "wav", "sample_rate": 8000, **arguments})
        told = result.structured_content
        if not arguments:
            url = told["audio_url"]
            assert url in text_of(result), text_of(result)
            assert [link for link in result.content if isinstance(link, ResourceLink) and str(link.uri) == url], result.content
            answer = rest(url)
            audio, kind = answer.content, answer.headers["content-type"]
        else:
            ((audio, kind),) = [(base64.b64decode(p.data), p.mime_type) for p in result.content if isinstance(p, AudioContent)]
        assert len(audio) == told["bytes"] and kind == told["mime_type"], f"{len(audio)} bytes of {kind}, told {told}"
        sound, rate = soundfile.read(io.BytesIO(audio))
        assert abs(len(sound) / rate - told["duration_seconds"]) < 0.1 and abs(sound).max() > 0.05, told


@of_both(SPEECH, "tools", "Client.call_tool", "synthesize_speech tells its progress, sentence by sentence")
async def _(client):
    told = []

    async def progress(done, total, message):
        told.append((done, total))

    await check_call(client, "synthesize_speech", {"text": TEXT}, progress_callback=progress)
    assert told and told == sorted(told) and told[-1][0] <= told[-1][1], told


check_tools(CATALOGUE)


@of_both(CATALOGUE, "tools", "Client.call_tool", "get_dataset has the JSON of the record")
async def _(client):
    for dataset in datasets():
        result = await check_call(client, "get_dataset", {"slug": dataset["slug"]})
        record = rest(f"/api/catalogue/datasets/{dataset['slug']}").json()
        assert result.structured_content == record, different(result.structured_content, record)


@of_both(CATALOGUE, "tools", "Client.call_tool", "search_datasets finds what the list finds, page by page")
async def _(client):
    found, cursor = [], {}
    while True:
        page = (await check_call(client, "search_datasets", {"limit": 4, **cursor})).structured_content
        found += [dataset["slug"] for dataset in page["datasets"]]
        if not page.get("nextCursor"):
            break
        cursor = {"cursor": page["nextCursor"]}
    assert found == [dataset["slug"] for dataset in datasets()] and page["count"] == len(found), found


@of_both(CATALOGUE, "tools", "Client.call_tool", "get_croissant has the document, or a part of it, and its address")
async def _(client):
    for dataset in datasets():
        told = (await check_call(client, "get_croissant", {"slug": dataset["slug"]})).structured_content
        assert told["url"] == dataset["croissant"], told["url"]
        document = rest(told["url"]).json()
        if told["part"] == "core":
            del document["variableMeasured"]
        assert told["croissant"] == document, different(told["croissant"], document)


@of_both(CATALOGUE, "tools", "Client.call_tool", "an unknown dataset is an error that says what to do")
async def _(client):
    result = await client.call_tool("get_dataset", {"slug": "nobody"})
    assert result.is_error and "nobody" in text_of(result) and "search_datasets" in text_of(result), result


def different(a, b):
    """different are the parts of two objects that are not the same."""
    return {name: (a.get(name), b.get(name)) for name in {*a, *b} if a.get(name) != b.get(name)}


def known():
    """known has a value for each variable of the templates, and for each argument of the
    prompts, but for the id of an audio."""
    return {
        "slug": datasets()[0]["slug"],
        "slugs": ",".join(dataset["slug"] for dataset in datasets()[:2]),
        "dataset": datasets()[0]["slug"],
        "brief": "Two hours of Hindi phone calls, a channel for each speaker",
        "intent": "quote",
        "text": "The train leaves at nine.",
        "language": "Hindi",
        "voice_id": voices()[0]["voice_id"],
    }


async def an_audio(client):
    """an_audio is the id of an audio that has just been spoken, from its link."""
    spoken = await check_call(client, "synthesize_speech", {"text": "Noon."})
    return urlsplit(spoken.structured_content["audio_url"]).path.rsplit("/", 1)[-1]


def check_rest(endpoint, completed):
    """check_rest checks what an endpoint offers besides tools. completed is what can be
    completed there: a name, how a value begins, and values of which one is suggested."""

    @of_both(endpoint, "resources", "Client.read_resource", "every resource of the list is there")
    async def _(client):
        for resource in (await client.list_resources()).resources:
            await check_resource(client, str(resource.uri), resource.mime_type)

    @of_both(endpoint, "templates", "Client.read_resource", "every template names resources that are there, and none for a wrong name")
    async def _(client):
        values = known()
        for template in (await client.list_resource_templates()).resource_templates:
            if "{id}" in template.uri_template:
                values["id"] = await an_audio(client)
            address = re.sub(r"\{(\w+)\}", lambda variable: values[variable[1]], template.uri_template)
            await check_resource(client, address, template.mime_type)
            try:
                await client.read_resource(re.sub(r"\{\w+\}", "nobody", template.uri_template))
            except MCPError as refused:
                assert "nobody" in str(refused) or "not" in str(refused), refused
            else:
                raise AssertionError(f"{template.uri_template} has nobody")

    @of_both(endpoint, "templates", "Client.complete", ", ".join(sorted({name for name, _, _ in completed})))
    async def _(client):
        for name, begin, want in completed:
            asked = 0
            for template in OFFERED[endpoint]["templates"]:
                if f"{{{name}}}" in template.uri_template:
                    asked += await check_completion(client, ResourceTemplateReference(type="ref/resource", uri=template.uri_template), name, begin, want)
            for prompt in OFFERED[endpoint]["prompts"]:
                if name in [argument.name for argument in prompt.arguments or []]:
                    asked += await check_completion(client, PromptReference(type="ref/prompt", name=prompt.name), name, begin, want)
            assert asked, f"nothing has {name}"

    @of_both(endpoint, "prompts", "Client.get_prompt", "every prompt of the list, filled in")
    async def _(client):
        values = known()
        for prompt in (await client.list_prompts()).prompts:
            filled = {argument.name: values[argument.name] for argument in prompt.arguments or []}
            got = await client.get_prompt(prompt.name, filled)
            words = " ".join(message.content.text for message in got.messages)
            for name, value in filled.items():
                for part in value.split(",") if name == "slugs" else [value]:
                    assert part in words, f"{prompt.name} without its {name}: {words}"


async def check_resource(client, address, mime_type):
    """check_resource expects something of that type at an address."""
    contents = (await client.read_resource(address)).contents
    assert contents, f"{address} is empty"
    for part in contents:
        assert getattr(part, "text", None) or getattr(part, "blob", None), part
        assert str(part.uri) == address and mime_type in (None, part.mime_type), part
    if found := re.fullmatch(r"dataset://([^/]+)", address):
        assert json.loads(contents[0].text) == rest(f"/api/catalogue/datasets/{found[1]}").json(), address


async def check_completion(client, reference, name, begin, want):
    values = (await client.complete(reference, {"name": name, "value": begin})).completion.values
    assert set(want) & set(values) and len(values) <= 100, f"{name} {begin!r} of {reference}: {values}"
    return 1


check_rest(SPEECH, [("voice_id", voices()[0]["voice_id"][:8], [voices()[0]["voice_id"]]), ("language", "Hin", ["Hindi", "hi"])])
check_rest(CATALOGUE, [("slug", "demo-hi-in-b", ["demo-hi-in-banking-dual"]), ("intent", "qu", ["quote"])])

if __name__ == "__main__":
    suite.run()
