// Enquiries as the official TypeScript clients of the Model Context Protocol carry
// them, with hosts whose person says yes, says no, closes the question, or cannot be
// asked; and over REST. The server is one of its own, behind a proxy that it trusts,
// so that every host has its own address; `run` says in VAAK_ENQUIRY_URL where.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { kept, linkOf, mailed } from "./enquiries.mjs";
import { testsOf } from "./record.mjs";

const origin = process.env.VAAK_ENQUIRY_URL;

const info = { name: "vaak-conformance", version: "1.0.0" };
const kinds = [
  {
    name: "@modelcontextprotocol/sdk",
    version: "2025-11-25",
    make: (url, options, capabilities) => [new ClientV1(info, { capabilities }), new TransportV1(url, options)],
    ask: (client, answer) => client.setRequestHandler(ElicitRequestSchema, answer),
  },
  {
    name: "@modelcontextprotocol/client",
    version: "2026-07-28",
    make: (url, options, capabilities) => [new ClientV2(info, { capabilities, versionNegotiation: { mode: "auto" } }), new TransportV2(url, options)],
    ask: (client, answer) => client.setRequestHandler("elicitation/create", answer),
  },
];

const [yes, unticked] = [true, false].map((send) => ({ action: "accept", content: { send } }));
const [no, closed] = ["decline", "cancel"].map((action) => ({ action }));

let people = 0;
let dataset; // the first of the catalogue

before(async () => {
  [dataset] = (await (await fetch(`${origin}/api/catalogue/datasets`)).json()).datasets;
});

// newcomer is a person whom the server does not know, at an address of their own.
function newcomer() {
  people += 1;
  return { email: `person-${process.pid}-${people}@example.org`, address: `192.0.2.${people}` };
}

const enquiry = (email, more = {}) => ({
  name: "Asha Rao", email, company: "Example Bank", intent: "quote", dataset: dataset.slug,
  message: "We train a voice assistant.\nWe need 150 hours by June.", agent: "a test", ...more,
});

// Host is a host of agents. Its person gives the answers in turn, and then the last
// again; without any, it cannot ask.
class Host {
  constructor(kind, ...answers) {
    Object.assign(this, newcomer());
    this.asked = [];
    const options = { requestInit: { headers: { "X-Forwarded-For": this.address } } };
    [this.client, this.transport] = kind.make(new URL("/api/catalogue/mcp", origin), options, answers.length ? { elicitation: {} } : {});
    if (answers.length) {
      kind.ask(this.client, async ({ params }) => {
        this.asked.push(params);
        return answers[Math.min(this.asked.length, answers.length) - 1];
      });
    }
  }

  // call calls the tool. The clients check its result by its schema, which they listed.
  call(args) {
    return this.client.callTool({ name: "send_enquiry", arguments: args });
  }

  // send sends this person's enquiry.
  async send(more) {
    const result = await this.call(enquiry(this.email, more));
    assert.ok(!result.isError, result.content[0]?.text);
    return { ...result.structuredContent, text: result.content[0].text };
  }

  // holds checks how often this person was asked, and how many enquiries are kept.
  async holds(asked, sent) {
    assert.equal(this.asked.length, asked, "questions");
    const all = await kept(this.email);
    assert.equal(all.length, sent, "enquiries");
    for (const { mails } of all) assert.equal(mails, 1, "mails");
    return all.map(({ id }) => id);
  }
}

// hosting runs body with a host of a kind.
const hosting = (kind, answers, body) => async () => {
  const host = new Host(kind, ...answers);
  await host.client.connect(host.transport);
  try {
    assert.equal(host.transport.protocolVersion, kind.version);
    await host.client.listTools();
    await body(host);
  } finally {
    await host.client.close();
  }
};

// notSent checks a result of what was not sent: it has no link with which an agent could
// send it, but the public form, unless a mail goes to the person.
function notSent(result, want) {
  const { status, received, enquiry_id, form_url, confirmation_token, text } = result;
  assert.deepEqual({ status, received, enquiry_id, confirmation_token }, { status: want, received: false, enquiry_id: undefined, confirmation_token: undefined });
  assert.ok(!JSON.stringify(result).includes("/enquiry/confirm/"), text);
  if (want === "confirmation_required") {
    assert.equal(form_url, undefined);
    return;
  }
  assert.equal(form_url, `${origin}/enquiry?${new URLSearchParams({ dataset: dataset.slug, intent: "quote" })}`);
  assert.ok(text.includes(form_url), text);
}

// showsAll checks that a question shows the whole enquiry, and a box without a tick.
function showsAll({ mode, message, requestedSchema }, email) {
  assert.ok(mode === undefined || mode === "form", mode);
  for (const value of Object.values(enquiry(email)).flatMap((v) => v.split("\n"))) assert.ok(message.includes(value), `${value} is missing from: ${message}`);
  const { type, default: ticked } = requestedSchema.properties.send;
  assert.deepEqual({ type, ticked, required: requestedSchema.required }, { type: "boolean", ticked: false, required: ["send"] });
}

// What is refused before anybody is asked: the arguments that are wrong, and how the
// refusal says so.
const wrong = [
  [{ dataset: "no-such-dataset" }, /no-such-dataset[^]*search_datasets/],
  [{ intent: "question", message: undefined }, /message/],
  [{ intent: "buy" }, /intent[^]*quote, sample, collection, question/],
  [{ email: "asha@" }, /email/],
  [{ name: "" }, /name/],
  [{ message: "x".repeat(5001) }, /5001[^]*5000/],
  [{ confirmation_token: "forged" }, /confirmation_token/],
];

// confirmed follows the link as a scanner of links does, then as a program, then without
// the tick, and then as the person who sends it. It returns the page that says so.
async function confirmed(host, link) {
  const asked = host.asked.length;
  const shown = await fetch(link);
  assert.equal(shown.status, 200);
  const page = await shown.text();
  for (const value of ["Asha Rao", host.email, "150 hours"]) assert.ok(page.includes(value), `${value} is not on the page`);
  assert.equal((await fetch(link, { method: "HEAD" })).status, 200);
  await host.holds(asked, 0);
  const action = new URL(page.match(/<form [^>]*action="(\/enquiry\/confirm\/[^"]+)" method="post"/)[1], link);
  const browser = {}; // what browsers send
  const post = (fields) => fetch(action, { method: "POST", body: new URLSearchParams(fields), redirect: "manual", headers: { "X-Forwarded-For": host.address, ...browser } });
  assert.equal((await post({ consent: "yes" })).status, 403);
  await host.holds(asked, 0);
  browser.Origin = origin;
  assert.equal((await post({})).status, 400);
  await host.holds(asked, 0);
  const sent = await post({ consent: "yes" });
  assert.equal(sent.status, 303, await sent.text());
  const receipt = await fetch(new URL(sent.headers.get("location"), link));
  assert.equal(receipt.status, 200);
  return receipt.text();
}

// declined sends what a person says no to, twice, and looks at the form that is left.
async function declined(host) {
  notSent(await host.send(), "declined");
  showsAll(host.asked[0], host.email);
  const again = await host.send();
  notSent(again, "declined");
  await host.holds(1, 0);
  const page = await (await fetch(again.form_url)).text();
  assert.ok(page.includes(`name="dataset" value="${dataset.slug}"`) && !page.includes(host.email), "the form is about the dataset, and holds nothing of what was typed");
}

function enquiryTests({ describe, test }, kind) {
  describe(`send_enquiry, ${kind.version}`, () => {
    test("the person sees all of it and says yes: it is sent, and mailed, once", hosting(kind, [yes], async (host) => {
      const first = await host.send();
      assert.equal(first.status, "sent", first.text);
      assert.equal(first.received, true);
      assert.equal(first.consent, "host_attested");
      assert.equal(first.dataset.slug, dataset.slug);
      assert.ok(first.text.includes(first.enquiry_id) && first.next && first.contact, first.text);
      showsAll(host.asked[0], host.email);
      assert.deepEqual(await host.holds(1, 1), [first.enquiry_id]);
      const again = await host.send();
      assert.deepEqual([again.status, again.enquiry_id], ["sent", first.enquiry_id]);
      await host.holds(1, 1);
      const mails = await mailed(host.email);
      assert.equal(mails.length, 1);
      assert.match(mails[0], new RegExp(`^Reply-To: <?${host.email}>?\\r?$`, "m"));
      assert.match(mails[0], /150 hours/);
    }));
    test("a form without the tick: nothing is sent, and the same text is not asked again", hosting(kind, [unticked, yes], async (host) => {
      await declined(host);
    }));
    test("a no: nothing is sent, the same text is not asked again, and the form is left to the person", hosting(kind, [no, yes], async (host) => {
      await declined(host);
    }));
    test("the question is closed: nothing is sent, and the next call asks again", hosting(kind, [closed, yes], async (host) => {
      notSent(await host.send(), "cancelled");
      await host.holds(1, 0);
      const { status, enquiry_id } = await host.send();
      assert.equal(status, "sent");
      assert.deepEqual(await host.holds(2, 1), [enquiry_id]);
    }));
    test("the host cannot ask: a mail takes a link to the person, whose page shows it and sends nothing, until the person sends it there", hosting(kind, [], async (host) => {
      const asked = await host.send();
      notSent(asked, "confirmation_required");
      assert.ok(Date.parse(asked.expires_at) > Date.now(), asked.expires_at);
      const link = await linkOf(host.email);
      assert.ok(!JSON.stringify(asked).includes(link.split("/").at(-1)), asked.text);
      const waits = await host.send();
      notSent(waits, "confirmation_required");
      assert.deepEqual([waits.expires_at, await linkOf(host.email)], [asked.expires_at, link]);
      const page = await confirmed(host, link);
      const [id] = await host.holds(0, 1);
      assert.ok(page.includes(id), `${id} is not on the page`);
      assert.match(await (await fetch(link)).text(), /[Ss]ent already/);
      const after = await host.send();
      assert.deepEqual([after.status, after.enquiry_id, after.consent], ["sent", id, "mailed_link"]);
      await host.holds(0, 1);
    }));
    test("what is wrong is said before anybody is asked", hosting(kind, [yes], async (host) => {
      for (const [more, says] of wrong) {
        const { isError, content } = await host.call(enquiry(host.email, more));
        assert.ok(isError, JSON.stringify(more));
        assert.match(content[0].text, says);
      }
      await host.holds(0, 0);
    }));
  });
}

for (const kind of kinds) enquiryTests(testsOf(kind.name), kind);

// post sends an enquiry over REST.
async function post({ address }, body) {
  const response = await fetch(`${origin}/api/catalogue/enquiry`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Forwarded-For": address },
    body: JSON.stringify(body),
  });
  return { status: response.status, id: response.headers.get("x-enquiry-id"), retry: response.headers.get("retry-after"), body: await response.json() };
}

describe("POST /api/catalogue/enquiry", () => {
  test("is kept once, refused by its first fault, and limited by the sender", async () => {
    const person = newcomer();
    const first = await post(person, enquiry(person.email));
    assert.equal(first.status, 202, JSON.stringify(first.body));
    const { received, intent, dataset: about, next, contact } = first.body;
    assert.deepEqual([received, intent, about.id, about.slug, about.url], [true, "quote", dataset.id, dataset.slug, dataset.url]);
    assert.ok(next && contact, JSON.stringify(first.body));
    const again = await post(person, enquiry(person.email));
    assert.deepEqual([again.status, again.id, again.body], [202, first.id, first.body]);

    for (const [more, field] of [[{ name: undefined, email: undefined }, "name"], [{ email: "asha", intent: "buy" }, "email"], [{ intent: "question", message: "" }, "message"], [{ dataset: "no-such-dataset" }, "dataset"]]) {
      const refused = await post(person, enquiry(person.email, more));
      assert.deepEqual([refused.status, refused.body.field], [400, field], JSON.stringify(refused.body));
      assert.ok(refused.body.error.includes(field), refused.body.error);
    }

    for (let n = 2; n <= 5; n += 1) assert.equal((await post(person, enquiry(person.email, { message: `Question ${n}.` }))).status, 202, `enquiry ${n}`);
    for (const email of [person.email, person.email.replace("@", "+more@").toUpperCase()]) {
      const sixth = await post(newcomer(), enquiry(email, { message: "Question 6." }));
      assert.equal(sixth.status, 429, JSON.stringify(sixth.body));
      assert.ok(sixth.retry > 0 && sixth.retry <= 3600, sixth.retry);
      assert.ok(sixth.body.error, JSON.stringify(sixth.body));
    }
    assert.equal((await post(person, enquiry(person.email))).id, first.id, "what was sent before is not refused");
    assert.equal((await kept(person.email)).length, 5);
  });
});
