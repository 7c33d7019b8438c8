// The official TypeScript clients of the Model Context Protocol, of the versions to
// 2025-11-25 and of 2026-07-28, against both endpoints. VAAK_BASE_URL and VAAK_API_KEY
// say where the server is; `run` sets them.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { testsOf } from "./record.mjs";

const origin = process.env.VAAK_BASE_URL;
const authorization = { Authorization: `Bearer ${process.env.VAAK_API_KEY}` };
const ajv = new Ajv2020({ strict: false });
const validators = new Map(); // by output schema, as text

// rest reads what the REST API has at an address.
async function rest(path) {
  const response = await fetch(origin + path, { headers: authorization });
  assert.equal(response.status, 200, path);
  return response.json();
}

// Each client, by its name at npm: how it is made, and how it calls a tool.
const kinds = {
  "@modelcontextprotocol/sdk": {
    version: "2025-11-25",
    era: "old",
    refusal: { code: 401 },
    make: (url, options) => [new ClientV1({ name: "vaak-conformance", version: "1.0.0" }), new TransportV1(url, options)],
    call: (client, params, options) => client.callTool(params, undefined, options),
  },
  "@modelcontextprotocol/client": {
    version: "2026-07-28",
    era: "new",
    refusal: { status: 401 },
    make: (url, options) => [
      new ClientV2({ name: "vaak-conformance", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } }),
      new TransportV2(url, options),
    ],
    call: (client, params, options) => client.callTool(params, options),
  },
};

// Endpoint is one of ours with a client connected to it.
class Endpoint {
  constructor(kind, path, headers = {}) {
    this.kind = kind;
    this.requests = 0;
    const counted = (...args) => {
      this.requests += 1;
      return fetch(...args);
    };
    [this.client, this.transport] = kind.make(new URL(path, origin), { fetch: counted, requestInit: { headers } });
  }

  async connect() {
    await this.client.connect(this.transport);
    this.tools = (await this.client.listTools()).tools;
  }

  // call calls a tool, which has to succeed, and checks the result against the schema
  // of the tool; so does the client itself, when it has listed the tools.
  async call(name, args = {}, options) {
    const result = await this.kind.call(this.client, { name, arguments: args }, options);
    assert.ok(!result.isError, result.content[0]?.text);
    const schema = JSON.stringify(this.tools.find((t) => t.name === name).outputSchema);
    if (!validators.has(schema)) validators.set(schema, ajv.compile(JSON.parse(schema)));
    const valid = validators.get(schema);
    assert.ok(valid(result.structuredContent), `${name}: ${ajv.errorsText(valid.errors)}`);
    return { text: result.content[0].text, content: result.content, value: result.structuredContent };
  }

  // refusal calls a tool, which has to fail, and returns what the agent reads.
  async refusal(name, args) {
    const result = await this.kind.call(this.client, { name, arguments: args });
    assert.ok(result.isError, `${name} succeeds`);
    return result.content[0].text;
  }

  async read(uri) {
    const { contents } = await this.client.readResource({ uri });
    assert.equal(contents.length, 1);
    assert.equal(contents[0].uri, uri);
    return contents[0];
  }

  async complete(uri, name, value) {
    const { completion } = await this.client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } });
    return completion.values;
  }

  // prompt returns what the person says.
  async prompt(name, args) {
    const { messages } = await this.client.getPrompt({ name, arguments: args });
    assert.equal(messages[0].role, "user");
    return messages[0].content.text;
  }
}

const names = (list) => list.map((one) => one.name);
const has = (list, ...wanted) => {
  for (const one of wanted) assert.ok(list.includes(one), `${one} is missing from ${list.join(", ")}`);
};

function catalogueTests({ describe, test }, kind) {
  const at = new Endpoint(kind, "/api/catalogue/mcp");
  let slugs; // of the REST list, in its order

  before(async () => {
    await at.connect();
    slugs = (await rest("/api/catalogue/datasets")).datasets.map((d) => d.slug);
  });
  after(() => at.client.close());

  describe("catalogue: lists", () => {
    test("tools, resources, templates and prompts, in the client's version of the protocol", async () => {
      assert.equal(at.transport.protocolVersion, kind.version);
      has(names(at.tools), "search_datasets", "get_dataset", "get_croissant", "compare_datasets", "validate_croissant", "send_enquiry");
      has((await at.client.listResources()).resources.map((r) => r.uri), "catalogue://filters", "catalogue://enquiry-terms");
      has((await at.client.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate), "dataset://{slug}", "dataset://{slug}/croissant", "dataset://{slug}/croissant/1.1");
      has(names((await at.client.listPrompts()).prompts), "find_training_data", "compare_datasets", "draft_enquiry");
    });
    test("every tool has hints, a closed input schema whose properties are described, and an output schema", () => {
      for (const t of at.tools) {
        for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]) assert.equal(typeof t.annotations[hint], "boolean", `${t.name}: ${hint}`);
        assert.equal(t.inputSchema.additionalProperties, false, t.name);
        for (const [property, { description }] of Object.entries(t.inputSchema.properties)) assert.ok(description, `${t.name}: ${property}`);
        assert.equal(t.outputSchema.type, "object", t.name);
      }
    });
  });

  describe("catalogue: tools/call", () => {
    test("search_datasets finds what the REST list has, page by page, also for those who read only the text", async () => {
      const found = [];
      let cursor;
      do {
        const { value, text } = await at.call("search_datasets", { limit: 2, ...(cursor && { cursor }) });
        assert.equal(value.count, slugs.length);
        for (const { slug } of value.datasets) assert.ok(text.includes(slug), slug);
        if (value.nextCursor) assert.ok(text.includes(value.nextCursor), "the text has the cursor");
        found.push(...value.datasets.map((d) => d.slug));
        cursor = value.nextCursor;
      } while (cursor);
      assert.deepEqual(found, slugs);
    });
    test("get_dataset is the body of the REST API", async () => {
      for (const slug of slugs) assert.deepEqual((await at.call("get_dataset", { slug })).value, await rest(`/api/catalogue/datasets/${slug}`));
    });
    test("get_croissant is the document, whole or in parts that say together what it says, and a link to all of it", async () => {
      for (const slug of slugs) {
        const { value } = await at.call("get_croissant", { slug });
        const document = await rest(`/catalogue/datasets/${slug}/croissant.json`);
        assert.deepEqual(await (await fetch(value.url)).json(), document);
        if (value.part === "all") assert.deepEqual(value.croissant, document);
        const core = (await at.call("get_croissant", { slug, part: "core" })).value.croissant;
        const { variableMeasured } = (await at.call("get_croissant", { slug, part: "measurements" })).value.croissant;
        assert.deepEqual({ ...core, variableMeasured }, document);
      }
    });
    test("compare_datasets sets them side by side, in the order that was asked for", async () => {
      const wanted = [slugs[1], slugs[0]];
      const { value } = await at.call("compare_datasets", { slugs: wanted });
      assert.deepEqual(value.datasets.map((d) => d.slug), wanted);
      for (const [field, values] of Object.entries(value.differences)) assert.equal(values.length, wanted.length, field);
    });
    test("validate_croissant passes our own document and finds what is missing from another", async () => {
      const document = await rest(`/catalogue/datasets/${slugs[0]}/croissant.json`);
      assert.equal((await at.call("validate_croissant", { document })).value.valid, true);
      delete document.name;
      const { value } = await at.call("validate_croissant", { document });
      assert.equal(value.valid, false);
      assert.ok(value.errors.length > 0);
    });
    test("what fails says why and what to do", async () => {
      assert.match(await at.refusal("get_dataset", { slug: "no-such-dataset" }), /no-such-dataset[^]*search_datasets/);
      assert.match(await at.refusal("search_datasets", { limit: 51 }), /51/);
      assert.match(await at.refusal("search_datasets", { colour: "red" }), /colour/);
    });
  });

  describe("catalogue: resources, prompts and completion", () => {
    test("a dataset, its document, the filters and the terms of enquiries are read", async () => {
      const dataset = await at.read(`dataset://${slugs[0]}`);
      assert.deepEqual(JSON.parse(dataset.text), await rest(`/api/catalogue/datasets/${slugs[0]}`));
      const croissant = await at.read(`dataset://${slugs[0]}/croissant`);
      assert.deepEqual(JSON.parse(croissant.text), await rest(`/catalogue/datasets/${slugs[0]}/croissant.json`));
      assert.ok((await at.read("catalogue://filters")).text);
      assert.match((await at.read("catalogue://enquiry-terms")).text, /consent/i);
      await assert.rejects(at.read("dataset://no-such-dataset"));
    });
    test("slugs are completed", async () => {
      assert.deepEqual((await at.complete("dataset://{slug}", "slug", slugs[0].slice(0, -3)))[0], slugs[0]);
      assert.deepEqual(await at.complete("dataset://{slug}", "slug", "no-such"), []);
    });
    test("prompts hold what they are given", async () => {
      assert.match(await at.prompt("find_training_data", { brief: "200 hours of Tamil" }), /200 hours of Tamil/);
      const both = await at.prompt("compare_datasets", { slugs: `${slugs[0]}, ${slugs[1]}` });
      has([slugs[0], slugs[1]].filter((s) => both.includes(s)), slugs[0], slugs[1]);
      assert.match(await at.prompt("draft_enquiry", { dataset: slugs[0], intent: "sample" }), new RegExp(`${slugs[0]}[^]*send_enquiry`));
    });
  });
}

function speechTests({ describe, test }, kind) {
  const at = new Endpoint(kind, "/v1/mcp", authorization);
  let voice;

  before(async () => {
    await at.connect();
    [voice] = (await rest("/v1/voices")).voices;
  });
  after(() => at.client.close());

  describe("speech: lists", () => {
    test("tools, templates and prompts, in the client's version of the protocol", async () => {
      assert.equal(at.transport.protocolVersion, kind.version);
      has(names(at.tools), "synthesize_speech", "search_voices", "list_languages", "preview_spoken_text", "get_usage");
      has((await at.client.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate), "voice://{voice_id}", "speech://audio/{id}");
      has(names((await at.client.listPrompts()).prompts), "narrate");
    });
    test("every tool has hints, a closed input schema whose properties are described, and an output schema", () => {
      for (const t of at.tools) {
        for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]) assert.equal(typeof t.annotations[hint], "boolean", `${t.name}: ${hint}`);
        assert.equal(t.inputSchema.additionalProperties, false, t.name);
        for (const [property, { description }] of Object.entries(t.inputSchema.properties)) assert.ok(description, `${t.name}: ${property}`);
        assert.equal(t.outputSchema.type, "object", t.name);
      }
    });
  });

  describe("speech: tools/call", () => {
    test("list_languages, search_voices, preview_spoken_text and get_usage answer as the REST API does", async () => {
      const { languages } = await rest("/v1/languages");
      const { value, text } = await at.call("list_languages");
      assert.deepEqual(value.languages.map((l) => l.code ?? l.language_id), languages.map((l) => l.language_id));
      for (const { name } of languages) assert.ok(text.includes(name), name);
      const found = (await at.call("search_voices", { language: "hi" })).value;
      assert.ok(found.voices.length > 0);
      for (const { voice_id } of found.voices) await rest(`/v1/voices/${voice_id}`);
      const spoken = (await at.call("preview_spoken_text", { text: "It costs 250 rupees.", language: "en" })).value;
      assert.match(spoken.runs.map((r) => r.spoken).join(" "), /two hundred/);
      const [usage, { value: told }] = [await rest("/v1/usage"), await at.call("get_usage")];
      assert.equal(told.plan.id, usage.plan.id);
      assert.equal(told.month.characters_used, usage.month.characters_used);
    });
    test("synthesize_speech tells its progress sentence by sentence, in order and to the end", async () => {
      const text = ["One", "Two", "Three", "Four", "Five", "Six"].map((n) => `${n} and ${kind.era} ${process.pid % 100 + 100}.`).join(" ");
      const told = [];
      const { value } = await at.call("synthesize_speech", { text }, { onprogress: (p) => told.push(p) });
      assert.equal(told.length, 6, JSON.stringify(told));
      told.forEach(({ progress, total }, i) => {
        assert.equal(total, value.characters);
        assert.ok(progress > (told[i - 1]?.progress ?? 0), JSON.stringify(told));
      });
      assert.equal(told.at(-1).progress, value.characters);
    });
    for (const format of ["mp3", "wav"]) {
      test(`synthesize_speech gives a link that plays without a key: ${format}`, () => plays(at, format));
    }
    test("synthesize_speech puts short audio into the result when asked", async () => {
      const { value, content } = await at.call("synthesize_speech", { text: "Good morning.", delivery: "inline", format: "wav" });
      const audio = content.find((c) => c.type === "audio");
      assert.equal(audio.mimeType, "audio/wav");
      const bytes = Buffer.from(audio.data, "base64");
      assert.equal(bytes.toString("latin1", 0, 4), "RIFF");
      assert.equal(bytes.length, value.bytes);
    });
    test("what fails says why and what to do", async () => {
      assert.match(await at.refusal("synthesize_speech", { text: "x", voice_id: "sv_nobody" }), /sv_nobody[^]*search_voices/);
      assert.match(await at.refusal("synthesize_speech", { text: "x", speed: 9 }), /9/);
      assert.match(await at.refusal("synthesize_speech", {}), /text/);
    });
    test("a wrong key is refused at the first request", async () => {
      const nobody = new Endpoint(kind, "/v1/mcp", { Authorization: "Bearer sk_live_nobody" });
      await assert.rejects(nobody.client.connect(nobody.transport), kind.refusal);
      assert.equal(nobody.requests, 1);
    });
  });

  describe("speech: resources, prompts and completion", () => {
    test("a voice is read", async () => {
      const { text } = await at.read(`voice://${voice.voice_id}`);
      assert.equal(JSON.parse(text).voice_id, voice.voice_id);
      await assert.rejects(at.read("voice://sv_nobody"));
    });
    test("voices are completed", async () => {
      has(await at.complete("voice://{voice_id}", "voice_id", voice.voice_id.slice(0, -2)), voice.voice_id);
    });
    test("prompts hold what they are given", async () => {
      assert.match(await at.prompt("narrate", { text: "Once upon a time", language: "hi" }), /Once upon a time/);
    });
  });
}

// plays asks for audio in a format and gets it by its link: whole, in part, and not
// when the link is forged.
async function plays(at, format) {
  const { value, content, text } = await at.call("synthesize_speech", { text: "The train leaves at nine.", format });
  const link = content.find((c) => c.type === "resource_link");
  assert.equal(link.uri, value.audio_url);
  assert.equal(link.mimeType, value.mime_type);
  assert.ok(text.includes(value.audio_url), "the text has the link");
  const whole = await fetch(value.audio_url);
  assert.equal(whole.status, 200);
  assert.equal(whole.headers.get("content-type"), value.mime_type);
  const bytes = Buffer.from(await whole.arrayBuffer());
  assert.equal(bytes.length, value.bytes);
  const frame = bytes[0] === 0xff && (bytes[1] & 0xe0) === 0xe0;
  const begins = { wav: bytes.toString("latin1", 0, 4) === "RIFF", mp3: frame || bytes.toString("latin1", 0, 3) === "ID3" };
  assert.ok(begins[format], bytes.toString("hex", 0, 8));
  const part = await fetch(value.audio_url, { headers: { Range: "bytes=10-29" } });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get("content-range"), `bytes 10-29/${value.bytes}`);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(10, 30));
  const middle = value.audio_url.length - 3;
  const other = value.audio_url[middle] === "A" ? "B" : "A";
  const forged = value.audio_url.slice(0, middle) + other + value.audio_url.slice(middle + 1);
  assert.ok([401, 403, 404, 410].includes((await fetch(forged)).status), "a forged link is refused");
}

for (const [name, kind] of Object.entries(kinds)) {
  const tests = testsOf(name);
  catalogueTests(tests, kind);
  speechTests(tests, kind);
}
