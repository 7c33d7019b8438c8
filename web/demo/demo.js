// The demonstration: a scripted agent that answers aloud.
import { Player, Vaak } from "./index.js";

const $ = (id) => document.getElementById(id);
const [form, language, log, text, send, stop, mic] = ["talk", "language", "log", "text", "send", "stop", "speak"].map($);
const dialogues = await (await fetch(new URL("./dialogues.json", import.meta.url))).json();
const vaak = new Vaak();
const player = new Player();

let dialogue = dialogues[0];
let turn = null; // what is being answered: {text, at, bubble, live, words}

// token gets the right to speak one answer. The server makes it; this page has no key.
async function token() {
  const answer = await fetch("/demo/token", { method: "POST", body: new URLSearchParams({ language: dialogue.language }) });
  if (!answer.ok) throw new Error((await answer.text()).trim() || `The server answered with status ${answer.status}.`);
  return (await answer.json()).token;
}

function bubble(kind, words = "") {
  const line = document.createElement("li");
  line.className = kind;
  line.lang = dialogue.tag;
  line.dir = "auto";
  line.textContent = words;
  log.append(line);
  follow();
  return line;
}

// say speaks a line. Clicked is when the person asked for it, on the clock of the page.
async function say(line, clicked) {
  interrupt();
  complain("");
  player.begin(); // at once, so that the output wakes while the token is on its way
  const { finished, heard } = player;
  const mine = { text: line, bubble: bubble("agent speaking waiting"), words: [], from: 0, unit: 0, over: false };
  turn = mine;
  controls();
  heard.then((at) => {
    if (turn !== mine) return;
    performance.measure("vaak-first-sound", { start: clicked, end: Math.max(clicked, at) });
    showLatency(at - clicked);
  });
  mine.live = vaak.live({ lang: dialogue.language, words: true }, { token });
  mine.live.send(line);
  mine.live.end();
  try {
    for await (const event of mine.live) {
      if (turn !== mine) break;
      if (event.type === "audio") player.write(event.samples);
      if (event.type === "words") event.words.forEach((word) => place(mine, word));
    }
    if (turn !== mine) return;
    player.end();
    await finished;
  } catch (error) {
    if (turn !== mine) return;
    complain(error.message);
  }
  if (turn === mine) close(mine);
}

// place puts a word of the text into an element of its own. Words come in order.
function place(mine, word) {
  if (mine.words.length === 0) {
    mine.bubble.textContent = mine.text;
    mine.bubble.classList.remove("waiting");
    follow();
  }
  const at = mine.text.indexOf(word.text, mine.unit);
  if (at < 0) return;
  const rest = mine.bubble.lastChild;
  const span = document.createElement("span");
  span.textContent = word.text;
  rest.replaceWith(mine.text.slice(mine.unit, at), span, mine.text.slice(at + word.text.length));
  mine.unit = at + word.text.length;
  mine.words.push({ span, start: word.start_ms, end: word.end_ms });
}

// light marks the words that were heard, at each frame.
function light() {
  if (turn) {
    const played = player.played;
    for (const { span, start, end } of turn.words.slice(turn.from)) {
      if (start > played) break;
      span.className = played < end ? "now" : "heard";
      if (played >= end) turn.from += 1;
    }
  }
  requestAnimationFrame(light);
}

// interrupt stops the agent, and leaves in the conversation only what was heard.
function interrupt() {
  if (!turn) return;
  const mine = turn;
  turn = null;
  const played = player.stop();
  mine.bubble.classList.remove("speaking", "waiting");
  controls();
  mine.live.cancel(played).then((how) => {
    if (how.type === "cancelled") cut(mine, how.text_spoken, how.text_remaining);
    else cut(mine, ...heardOf(mine, played)); // all of it was sent already
  }).catch(() => mine.bubble.textContent ||= "—");
}

// heardOf splits the text where the listener was.
function heardOf(mine, played) {
  const last = mine.words.findLast((word) => word.start <= played);
  if (!last) return ["", mine.text];
  let at = 0;
  for (const word of mine.words) {
    at = mine.text.indexOf(word.span.textContent, at) + word.span.textContent.length;
    if (word === last) break;
  }
  return [mine.text.slice(0, at), mine.text.slice(at)];
}

function cut(mine, spoken, remaining) {
  if (!remaining.trim()) return mine.bubble.replaceChildren(spoken);
  const unheard = document.createElement("span");
  unheard.className = "unheard";
  unheard.textContent = remaining.trimStart();
  const note = document.createElement("span");
  note.className = "cut";
  note.lang = "en";
  note.dir = "ltr";
  note.textContent = spoken.trim() ? "interrupted here" : "interrupted before it spoke";
  mine.bubble.replaceChildren(spoken, remaining.slice(0, remaining.length - remaining.trimStart().length), unheard, note);
  follow();
}

// close ends an answer that was heard to its end, or failed.
function close(mine) {
  mine.bubble.classList.remove("speaking", "waiting");
  mine.bubble.replaceChildren(mine.text);
  turn = null;
  controls();
}

function showLatency(ms) {
  const figure = document.createElement("strong");
  figure.textContent = `${Math.round(ms)} ms`;
  $("latency").replaceChildren(figure, " from your click to the first sound");
}

function complain(message) {
  $("trouble").textContent = message;
  $("trouble").hidden = !message;
}

// controls shows Stop in place of Ask while the agent speaks and nothing is typed.
function controls() {
  stop.hidden = !turn || text.value !== "";
  send.hidden = !stop.hidden;
}

// follow keeps the last line in sight.
function follow() {
  log.scrollTop = log.scrollHeight;
}

// grams are the pairs of characters of a text: they compare in every script, with spaces or without.
function grams(words) {
  const plain = words.toLocaleLowerCase(dialogue.tag).replace(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim();
  const all = new Set();
  for (let i = 0; i + 1 < plain.length; i += 1) all.add(plain.slice(i, i + 2));
  return all;
}

// answerTo chooses the answer to the question that is most like one.
function answerTo(question) {
  const asked = grams(question);
  let best = { likeness: 0.25, say: dialogue.other };
  for (const { ask, say: answer } of dialogue.turns) {
    const known = grams(ask);
    const common = [...asked].filter((pair) => known.has(pair)).length;
    const likeness = (2 * common) / (asked.size + known.size || 1);
    if (likeness > best.likeness) best = { likeness, say: answer };
  }
  return best.say;
}

function ask(question, clicked) {
  if (!question.trim()) return;
  interrupt();
  bubble("you", question.trim());
  say(answerTo(question), clicked);
}

function choose() {
  interrupt();
  dialogue = dialogues.find((one) => one.language === language.value) ?? dialogues[0];
  log.replaceChildren();
  text.placeholder = dialogue.prompt;
  text.lang = log.lang = $("questions").lang = dialogue.tag;
  const questions = dialogue.turns.map(({ ask: question }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = question;
    button.dir = "auto";
    button.addEventListener("click", (event) => ask(question, event.timeStamp));
    const item = document.createElement("li");
    item.append(button);
    return item;
  });
  $("questions").replaceChildren(...questions);
  bubble("agent", dialogue.greeting);
  if (recognition) recognition.lang = dialogue.tag;
}

// Speech recognition, where the browser has it. To speak interrupts the agent.
const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;
const recognition = Recognition && new Recognition();
let listening = false;
if (recognition) {
  recognition.continuous = recognition.interimResults = true;
  recognition.addEventListener("result", (event) => {
    const { 0: { transcript }, isFinal } = event.results[event.results.length - 1];
    // The microphone hears the agent, too: its own words are no interruption.
    const own = turn && grams(turn.text);
    const strange = [...grams(transcript)].filter((pair) => !own?.has(pair)).length;
    if (turn && strange < 6) return;
    if (isFinal) ask(transcript, event.timeStamp);
    else if (turn) interrupt();
  });
  recognition.addEventListener("end", () => listening && recognition.start());
  recognition.addEventListener("error", ({ error }) => {
    if (["no-speech", "aborted"].includes(error)) return;
    listen(false);
    complain(error === "not-allowed" ? "The microphone is not allowed on this page." : `Speech could not be recognized (${error}).`);
  });
  mic.hidden = false;
}

function listen(on) {
  listening = on;
  mic.setAttribute("aria-pressed", String(on));
  if (on) recognition.start();
  else recognition.stop();
}

mic.addEventListener("click", () => listen(!listening));
stop.addEventListener("click", interrupt);
language.addEventListener("change", choose);
text.addEventListener("input", () => {
  interrupt();
  controls();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const question = text.value;
  text.value = "";
  ask(question, event.timeStamp);
});
document.addEventListener("keydown", (event) => event.key === "Escape" && interrupt());
// The output wakes while the button is still going down.
document.addEventListener("pointerdown", () => player.wake(), { capture: true });

const wanted = navigator.languages.map((tag) => tag.split("-")[0]).find((code) => dialogues.some((one) => one.language === code));
if (wanted) language.value = wanted;
choose();
light();
player.ready.catch(() => complain("This browser cannot play sound here: it has no AudioWorklet, which needs https or localhost."));
