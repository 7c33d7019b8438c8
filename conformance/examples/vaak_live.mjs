import { captions, Vaak } from "@vaak/client";
import WebSocket from "ws"; // Node.js has one of its own from 22 on

const vaak = new Vaak({ url: process.env.VAAK_URL, key: process.env.VAAK_KEY, WebSocket });

const live = vaak.live({ mode: "eager", words: true });
for (const token of ["Your", " par", "cel", " left", " the", " de", "pot", " this", " morning", "."]) live.send(token); // as a model writes them
live.end();
for await (const event of live) {
  if (event.type === "audio") event.samples; // 24,000 a second: play them, more follow
  if (event.type === "words") console.log(event.words.map((word) => `${word.start_ms} ms ${word.text}`).join("\n"));
}
console.log(captions(live.words));
