// Prints the manifest of a bundle: node manifest.mjs catalogue|speech VERSION. Its tools are those of
// the golden files of package mcp, so that the list is true.
import { readFileSync, readdirSync } from "node:fs";

const [service, version] = process.argv.slice(2);
const golden = new URL("../../mcp/testdata/tools/http/", import.meta.url);
const catalogue = ["search_datasets", "get_dataset", "compare_datasets", "get_croissant", "validate_croissant", "send_enquiry"];
const tools = readdirSync(golden)
  .map((file) => JSON.parse(readFileSync(new URL(file, golden), "utf8")))
  .filter(({ name }) => catalogue.includes(name) === (service === "catalogue"))
  .map(({ name, description }) => ({ name, description: description.split("\n")[0] }));

const about = {
  catalogue: ["Vaak catalogue", "Find, compare and hear speech datasets, and send enquiries that you have agreed to.", "/api/catalogue/mcp"],
  speech: ["Vaak speech", "Turn text into speech in 80 languages.", "/v1/mcp"],
}[service];
if (!about) throw new Error(`there is no bundle ${service}; there are catalogue, speech`);

const settings = {
  server: { type: "string", title: "Address of the server", description: "Such as https://speech.example.org, without a slash at the end.", default: "http://127.0.0.1:8080", required: true },
};
const env = { VAAK_ENDPOINT: `\${user_config.server}${about[2]}` };
if (service === "speech") {
  settings.key = { type: "string", title: "API key", description: "It begins with sk_live_.", sensitive: true, required: true };
  env.VAAK_API_KEY = "${user_config.key}";
}

console.log(JSON.stringify({
  manifest_version: "0.3",
  name: `vaak-${service}`,
  display_name: about[0],
  version,
  description: about[1],
  author: { name: "The Vaak authors" },
  license: "Apache-2.0",
  server: {
    type: "node",
    entry_point: "server/index.mjs",
    mcp_config: { command: "node", args: ["${__dirname}/server/index.mjs"], env },
  },
  tools,
  compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node: ">=18.17.0" } },
  user_config: settings,
}, null, 2));
