// node:test whose tests also leave a line each in the file VAAK_RESULTS names, for
// docs/conformance.md: `describe` names the client's method, `test` what is shown.
import { appendFileSync, readFileSync } from "node:fs";
import * as node from "node:test";

// The time that a test may take on a busy machine, in milliseconds.
const patience = 120_000;

// versionOf reads the installed version of a package of npm.
const versionOf = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;

// testsOf returns describe and test of a client, named as its registry names it.
export const testsOf = (client) => tests(client, versionOf(client));

// ours returns those of the client that is in clients/js.
export const ours = (client) => tests(client, JSON.parse(readFileSync(new URL("../clients/js/package.json", import.meta.url))).version);

function tests(client, version) {
  let method;

  function note(of, shows, ok) {
    if (!process.env.VAAK_RESULTS) return;
    const line = { client, language: "JavaScript", version, method: of, shows, ok };
    appendFileSync(process.env.VAAK_RESULTS, `${JSON.stringify(line)}\n`);
  }

  function describe(name, body) {
    node.describe(name, () => {
      method = name;
      body();
    });
  }

  function test(shows, body) {
    const of = method;
    node.test(shows, { timeout: patience }, async (t) => {
      let ok = false;
      try {
        await body(t);
        ok = true;
      } finally {
        note(of, shows, ok);
      }
    });
  }

  return { describe, test };
}
