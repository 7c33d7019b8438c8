// The official TypeScript clients of the Model Context Protocol sign in with OAuth, of the versions
// to 2025-11-25 and of 2026-07-28: each finds out from the refusal where tokens come from,
// registers, sends a person to the console, and calls with what it gets.
import assert from "node:assert/strict";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Person } from "./consent.mjs";
import { testsOf } from "./record.mjs";

const origin = process.env.VAAK_BASE_URL;

// Provider keeps what the client must know, as a host would. The console is where its person is.
class Provider {
  redirectUrl = "http://127.0.0.1:3118/callback";
  clientMetadata = { client_name: "Conformance", redirect_uris: ["http://127.0.0.1/callback"], grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] };
  asked = [];
  state = () => "the state of the test";
  clientInformation = () => this.client;
  saveClientInformation = (client) => { this.client = client; };
  tokens = () => this.kept;
  saveTokens = (tokens) => { this.kept = tokens; };
  saveCodeVerifier = (verifier) => { this.verifier = verifier; };
  codeVerifier = () => this.verifier;
  redirectToAuthorization = (url) => { this.asked.push(url); };
}

const kinds = {
  "@modelcontextprotocol/sdk": {
    make: () => new ClientV1({ name: "vaak-conformance", version: "1.0.0" }),
    transport: (url, options) => new TransportV1(url, options),
    call: (client, name, args) => client.callTool({ name, arguments: args }),
    finish: (transport, back) => transport.finishAuth(back.get("code")),
    asksWithoutRefresh: true,
  },
  "@modelcontextprotocol/client": {
    make: () => new ClientV2({ name: "vaak-conformance", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } }),
    transport: (url, options) => new TransportV2(url, options),
    call: (client, name, args) => client.callTool({ name, arguments: args }),
    finish: (transport, back) => transport.finishAuth(back), // with iss, which it compares
  },
};

// signsIn connects a client that has no key: a person allows it what keep takes.
async function signsIn(kind, path, keep, provider = new Provider()) {
  const url = new URL(path, origin);
  const first = kind.transport(url, { authProvider: provider });
  await assert.rejects(kind.make().connect(first), /Unauthorized/i);
  return finishes(kind, url, provider, first, keep);
}

// finishes has a person answer what the provider was asked last, and connects.
async function finishes(kind, url, provider, transport, keep) {
  const person = new Person();
  const { to, page, scopes, org } = await person.answers(provider.asked.at(-1), "allow", keep);
  assert.equal(to.searchParams.get("iss"), origin);
  assert.equal(to.searchParams.get("state"), "the state of the test");
  await kind.finish(transport, to.searchParams);
  const client = kind.make();
  await client.connect(kind.transport(url, { authProvider: provider }));
  return { client, provider, person, page, scopes, org };
}

for (const [name, kind] of Object.entries(kinds)) {
  const { describe, test } = testsOf(name);
  describe("signs in with OAuth", () => {
    test("registers, a person allows it in the console, and it speaks", async () => {
      const { client, provider, person, page, scopes, org } = await signsIn(kind, "/v1/mcp");
      assert.match(page, /calls itself <strong><bdi>Conformance/);
      assert.match(page, /a program on this computer/);
      assert.deepEqual(scopes, ["speech", "voices:read", "dictionaries:read", "dictionaries:write", "usage:read"]);
      const spoken = await kind.call(client, "synthesize_speech", { text: "Signed in." });
      assert.ok(!spoken.isError, spoken.content[0].text);
      const usage = await kind.call(client, "get_usage", {});
      assert.ok(!usage.isError, usage.content[0].text);
      const console_ = provider.asked[0].origin;
      const { page: list } = await person.opened(new URL(`/o/${org}/applications`, console_));
      assert.match(list, /Conformance/);
      const grant = list.match(/applications\/(grant_[a-z2-7]+)\/disconnect/)[1];
      await person.moved(new URL(`/o/${org}/applications/${grant}/disconnect`, console_), {});
      await assert.rejects(kind.call(client, "get_usage", {}), "after it was disconnected");
    });

    test("renews its tokens, and asks for more when it may do too little", async () => {
      const { client, provider } = await signsIn(kind, "/v1/mcp", (scope) => scope === "voices:read");
      assert.ok(!(await kind.call(client, "search_voices", { query: "Hindi" })).isError);
      const before = provider.kept;
      provider.kept = { ...before, access_token: `vat_${"A".repeat(43)}` }; // as if it had expired
      assert.ok(!(await kind.call(client, "list_languages", {})).isError);
      assert.notEqual(provider.kept.refresh_token, before.refresh_token);
      // The older client renews its tokens where it should ask for more, unless it has no other way.
      if (kind.asksWithoutRefresh) delete provider.kept.refresh_token;
      const asked = provider.asked.length;
      await assert.rejects(kind.call(client, "get_usage", {}));
      assert.equal(provider.asked.length, asked + 1, "the client asks the person for more");
      assert.deepEqual(provider.asked.at(-1).searchParams.get("scope").split(" ").sort(), ["usage:read", "voices:read"]);
      const url = new URL("/v1/mcp", origin);
      const { client: next } = await finishes(kind, url, provider, kind.transport(url, { authProvider: provider }));
      assert.ok(!(await kind.call(next, "get_usage", {})).isError);
    });

    test("a person who does not allow it, and a token at the other endpoint: nothing is done", async () => {
      const provider = new Provider();
      const url = new URL("/v1/mcp", origin);
      await assert.rejects(kind.make().connect(kind.transport(url, { authProvider: provider })), /Unauthorized/i);
      const { to } = await new Person().answers(provider.asked[0], "deny");
      assert.equal(to.searchParams.get("error"), "access_denied");
      assert.equal(to.searchParams.get("code"), null);
      const { provider: other } = await signsIn(kind, "/v1/mcp");
      for (const path of ["/api/catalogue/mcp", "/v1/voices", "/v1/usage"]) {
        const response = await fetch(new URL(path, origin), {
          method: path.endsWith("mcp") ? "POST" : "GET", headers: { authorization: `Bearer ${other.kept.access_token}`, "content-type": "application/json" },
          body: path.endsWith("mcp") ? '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' : undefined,
        });
        assert.equal(response.status, path === "/v1/voices" ? 200 : 401, path); // voices are for everybody
      }
    });
  });
}
