// Plays a model that calls tools and goes from a brief to an enquiry: an
// OpenAI-compatible chat server, each of whose turns reads what the tools answered.
import { once } from "node:events";
import { createServer } from "node:http";

const call = (name, args) => ({ tool_calls: [{ id: `call_${name}`, type: "function", function: { name, arguments: JSON.stringify(args) } }] });
const slugs = (text) => [...text.matchAll(/^([a-z0-9]+(?:-[a-z0-9]+)+)\|/gm)].map(([, slug]) => slug);

// The turns of an enquiry, by how many tools were called; found is what the search found. The
// enquiry is in a name that is not the person's, which the program must not let pass.
const enquiry = [
  () => call("search_datasets", { language: "hi", channels: "dual", transcribed: true }),
  (heard, found) => call("compare_datasets", { slugs: found.slice(0, 2) }),
  (heard, found) => call("get_dataset", { slug: found[0] }),
  (heard, found) => call("send_enquiry", {
    name: "Somebody Else", email: "else@example.org", intent: "quote", dataset: found[0], agent: "scripted",
    message: "We need 150 hours of two-channel Hindi call-centre speech with transcripts by June.\nWho wrote the transcripts?",
  }),
  (heard, found) => ({ content: `I chose ${found[0]}. The tool said: ${heard}` }),
];

// The turns of the whole way: it lets the person hear a sample, asks them, and answers in their
// language. That only has what it heard.
export const mission = [
  () => call("search_datasets", { language: "hi", channels: "dual", transcribed: true, sample: true }),
  (heard, found) => call("compare_datasets", { slugs: found.slice(0, 2) }),
  (heard, found) => call("get_dataset", { slug: found[0] }),
  (heard, found) => call("hear_sample", { slug: found[0] }),
  () => call("ask_person", { question: "How many hours do you need?" }),
  (heard, found) => call("send_enquiry", {
    name: "Somebody Else", email: "else@example.org", intent: "quote", dataset: found[0], agent: "scripted",
    message: `We need ${heard} of Hindi banking calls. Who wrote the transcripts?`,
  }),
  (heard) => ({ content: /^sent/i.test(heard) ? "मैंने बैंकिंग की बातचीत चुनी है। आपका संदेश भेज दिया गया है।" : "मैंने बैंकिंग की बातचीत चुनी है। आपका संदेश नहीं भेजा गया।" }),
];

// serveModel serves it, and returns its base URL, what it was told last, and close.
export async function serveModel(turns = enquiry) {
  const model = { told: [] };
  const server = createServer(async (request, response) => {
    const { messages, tools } = JSON.parse((await request.toArray()).join(""));
    model.told = messages;
    const answers = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    const turn = turns[answers.length](answers.at(-1), slugs(answers[0] ?? ""));
    const unknown = turn.tool_calls?.find((one) => !tools.some((tool) => tool.function.name === one.function.name));
    response.writeHead(unknown ? 418 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", content: null, ...turn } }] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  model.url = `http://127.0.0.1:${server.address().port}/v1`;
  model.close = () => server.close();
  return model;
}
