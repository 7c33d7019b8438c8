// The playground: speaks what is set, lights up the words as they are heard, and hands
// over the file. The player is that of @vaak/client; what is played is kept for the file, and to
// go back in it.

const { Player } = await import(document.querySelector("script[data-player]").dataset.player);
const $ = (id) => document.getElementById(id);
const form = $("play");
const [speak, pause, stop] = [$("speak"), $("pause"), $("stop")];
const [said, heard, elapsed, audio] = [$("said"), $("heard"), $("elapsed"), $("audio")];

// Rate of the sound of a format, in Hz. Opus knows few, and takes the next higher one.
function rateOf(format, rate) {
  const own = format === "ulaw" || format === "alaw" ? 8000 : 24000;
  const asked = Number(rate) || own;
  return format === "opus" ? [8000, 16000, 24000, 48000].find((r) => r >= asked) : asked;
}
const wanted = () => rateOf(form.elements.response_format.value, form.elements.sample_rate.value);

const sound = {
  player: new Player({ sampleRate: wanted() }),
  pcm: [], // all pieces
  samples: 0, // in them
  from: 0, // milliseconds of the sound before what the player has
  complete: true,
  playing: false,
  get rate() { return this.player.context.sampleRate; },
  get length() { return (1000 * this.samples) / this.rate; }, // milliseconds that came
  get heard() { return this.from + this.player.played; },
  get paused() { return this.playing && this.player.context.state === "suspended"; },
  // prepare makes an output of a rate in Hz, so that nobody waits for it later.
  prepare(rate) {
    if (this.rate === rate || this.playing) return;
    const woken = this.player.context.state === "running";
    this.player.close();
    this.player = new Player({ sampleRate: rate });
    if (woken) this.player.wake();
  },
  begin(rate) {
    this.stop();
    this.prepare(rate);
    [this.pcm, this.samples, this.complete] = [[], 0, false];
    this.play(0);
    this.player.heard.then((startTime) => {
      performance.clearMarks("vaak-sound");
      performance.mark("vaak-sound", { startTime });
    });
  },
  // play plays what came from a time in milliseconds on, and what still comes.
  play(from) {
    this.player.begin();
    [this.from, this.playing] = [from, true];
    const { finished } = this.player;
    finished.then(() => {
      if (this.player.finished !== finished || !this.playing) return;
      this.playing = false;
      controls();
    });
    let skip = Math.round((from * this.rate) / 1000);
    for (const piece of this.pcm) {
      if (skip < piece.length) this.player.write(piece.subarray(skip));
      skip = Math.max(0, skip - piece.length);
    }
    if (this.complete) this.player.end();
  },
  add(piece) {
    if (this.complete) return;
    this.pcm.push(piece);
    this.samples += piece.length;
    this.player.write(piece);
  },
  end() {
    this.complete = true;
    this.player.end();
  },
  stop() {
    this.playing = false;
    this.complete = true;
    this.player.stop();
  },
};

let run = null; // what is spoken: {abort, text, words, done, rest, start, file, head, whole}
let lit = null;
let clicked = 0;
let waiting = false; // for the first sound

const bytesOf = (text) => Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

// complain says what is wrong, with the number that the operator is told, if there is one.
function complain(message, number) {
  const p = document.createElement("p");
  p.className = "notice warn";
  p.textContent = [message, number].filter(Boolean).join("\n");
  $("trouble").replaceChildren(...(message ? [p] : []));
  sayOnce();
}

// sayOnce leaves out of the reading what was said already.
function sayOnce() {
  if ($("trouble").firstChild) $("reading").querySelector("[role=alert]")?.remove();
}

// wait shows that the click counted, until sound or a refusal comes.
function wait(waits) {
  waiting = waits;
  speak.setAttribute("aria-disabled", String(waits));
  speak.setAttribute("aria-busy", String(waits));
  speak.textContent = waits ? "Speaking…" : "Speak";
}

// begin speaks what is set; what is spoken already ends.
async function begin() {
  halt();
  performance.clearMarks("vaak-click");
  performance.mark("vaak-click", { startTime: clicked || performance.now() });
  clicked = 0;
  sound.player.wake();
  complain("");
  wait(true);
  const mine = { abort: new AbortController(), text: form.elements.input.value, words: [], file: [], head: null, start: null, whole: false };
  run = mine;
  controls();
  try {
    const answer = await fetch(form.action, {
      method: "POST", headers: { Accept: "application/x-ndjson" }, redirect: "manual",
      body: new URLSearchParams(new FormData(form)), signal: mine.abort.signal,
    });
    if (answer.type === "opaqueredirect") return location.reload(); // signed out meanwhile
    if (!answer.ok) return refused(await answer.json().catch(() => ({})), answer.status);
    await read(mine, answer.body.pipeThrough(new TextDecoderStream()).getReader());
    if (run === mine && !mine.whole) throw new Error();
  } catch (error) {
    if (run !== mine || mine.abort.signal.aborted) return;
    wait(false);
    sound.end();
    const begun = mine.start ? "The sound broke off. " : "";
    complain(begun + (error.told?.message ?? "The console did not answer to the end. Try again."), error.told?.number);
    controls();
  }
}

function refused({ error }, status) {
  wait(false);
  complain(error?.message ?? `The console did not answer as it should (status ${status}). Try again.`, error?.number);
  const field = error?.field && form.elements[error.field];
  if (field) {
    field.setAttribute("aria-invalid", "true");
    field.focus();
  }
  controls();
}

// read takes the lines of an answer, which come in pieces of any size.
async function read(mine, reader) {
  let line = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done || run !== mine) return;
    const lines = (line + value).split("\n");
    line = lines.pop();
    for (const whole of lines) take(mine, JSON.parse(whole));
  }
}

function take(mine, { start, audio: pcm, words, file, head, end, error }) {
  if (start) started(mine, start);
  if (pcm) sound.add(new Int16Array(bytesOf(pcm).buffer));
  if (words) words.forEach((word) => write(mine, word));
  if (file) mine.file.push(bytesOf(file));
  if (head) mine.head = bytesOf(head);
  if (end) ended(mine, end);
  if (error) throw Object.assign(new Error(), { told: error });
}

function started(mine, start) {
  mine.start = start;
  for (const field of form.elements) field.removeAttribute("aria-invalid");
  wait(false);
  sound.begin(start.sample_rate);
  said.replaceChildren(mine.text);
  $("player").hidden = false;
  $("spoken").textContent = "";
  $("about").textContent = [start.speaker, ...(start.notices ?? [])].join(" · ");
  audio.hidden = $("take").hidden = true;
  controls();
}

// write puts a word of the text into an element of its own.
function write(mine, [from, to, at]) {
  const last = mine.words.at(-1);
  const rest = said.lastChild; // the text behind the last word
  const offset = last ? last.to : 0;
  const word = document.createElement("span");
  word.textContent = mine.text.slice(from, to);
  word.dataset.at = at;
  rest.replaceWith(mine.text.slice(offset, from), word, mine.text.slice(to));
  mine.words.push({ to, at, word });
}

const characters = (n) => `${n.toLocaleString("en-GB")} character${n === 1 ? "" : "s"}`;

function ended(mine, end) {
  mine.whole = true;
  sound.end();
  const first = Math.max(1, Math.round(end.first_audio_ms));
  $("spoken").textContent = `Charged ${characters(end.charged)}. ${(end.audio_ms / 1000).toFixed(1)} s of sound; the first was made in ${first} ms, all of it in ${Math.max(first, Math.round(end.total_ms))} ms.`;
  const { download, player } = filesOf(mine);
  const address = URL.createObjectURL(download);
  mine.addresses = [address];
  $("download").href = address;
  $("download").download = mine.start.file_name;
  $("download").textContent = `Download ${mine.start.file_name}`;
  $("take").hidden = false;
  const heardAt = player === download ? address : URL.createObjectURL(player);
  mine.addresses.push(heardAt);
  audio.src = heardAt;
  form.dispatchEvent(new Event("spoken", { bubbles: true }));
}

// filesOf returns what is downloaded, and what the browser can play: raw formats get a
// head for that.
function filesOf({ start, file, head }) {
  const pcm = sound.pcm;
  const riff = (tag, bits, parts) => new Blob([riffHead(tag, bits, start.sample_rate, parts), ...parts], { type: "audio/wav" });
  if (start.format === "wav") {
    const whole = riff(1, 16, pcm);
    return { download: whole, player: whole };
  }
  const type = start.content_type;
  if (!start.file) return { download: new Blob(pcm, { type }), player: riff(1, 16, pcm) };
  const parts = head ? beheaded(head, file) : file;
  const download = new Blob(parts, { type });
  if (start.format === "ulaw" || start.format === "alaw") return { download, player: riff(start.format === "ulaw" ? 7 : 6, 8, parts) };
  return { download, player: download };
}

// beheaded replaces the first bytes of a file.
function beheaded(head, file) {
  const whole = new Blob(file);
  return [head, whole.slice(head.length)];
}

function riffHead(tag, bits, rate, parts) {
  const size = parts.reduce((n, part) => n + part.byteLength, 0);
  const view = new DataView(new ArrayBuffer(44));
  const text = (at, s) => [...s].forEach((c, i) => view.setUint8(at + i, c.charCodeAt(0)));
  text(0, "RIFF"); text(8, "WAVEfmt "); text(36, "data");
  view.setUint32(4, 36 + size, true); view.setUint32(16, 16, true);
  view.setUint16(20, tag, true); view.setUint16(22, 1, true);
  view.setUint32(24, rate, true); view.setUint32(28, (rate * bits) / 8, true);
  view.setUint16(32, bits / 8, true); view.setUint16(34, bits, true);
  view.setUint32(40, size, true);
  return view.buffer;
}

// halt ends what is spoken.
function halt() {
  run?.abort.abort();
  // The player lets go of the file first, or it would ask for what is gone.
  audio.removeAttribute("src");
  audio.load();
  run?.addresses?.forEach((address) => URL.revokeObjectURL(address));
  run = null;
  sound.stop();
  light(-1);
  controls();
}

// controls shows the buttons that do something now.
function controls() {
  pause.hidden = !sound.playing;
  stop.hidden = !sound.playing && !waiting;
  pause.textContent = sound.paused ? "Resume" : "Pause";
  audio.hidden = sound.playing || !run?.whole;
  heard.hidden = elapsed.hidden = !audio.hidden; // the player shows both
}

function light(ms) {
  let low = 0;
  const words = run?.words ?? [];
  for (let high = words.length; low < high;) { // the words that begin by then
    const middle = (low + high) >> 1;
    if (words[middle].at <= ms) low = middle + 1; else high = middle;
  }
  const word = words[low - 1]?.word ?? null;
  if (word === lit) return;
  lit?.classList.remove("on");
  word?.classList.add("on");
  lit = word;
  if (word) reveal(word);
}

// reveal scrolls the text, and nothing else, to a word that is out of its sight.
function reveal(word) {
  const [box, sight] = [word.getBoundingClientRect(), said.getBoundingClientRect()];
  said.scrollTop += Math.max(0, box.bottom - sight.bottom) + Math.min(0, box.top - sight.top);
}

let active = false; // something was heard at the last look

function look() {
  const live = sound.playing;
  const now = live ? sound.heard : audio.currentTime * 1000;
  const hears = live || (!audio.paused && !audio.ended);
  if (hears || active) {
    const length = Math.max(sound.length, now);
    heard.max = length || 1;
    heard.value = now;
    elapsed.textContent = `${Math.floor(now / 60000)}:${((now / 1000) % 60).toFixed(1).padStart(4, "0")}`;
    light(hears ? now : -1);
  }
  active = hears;
}
(function frame() { look(); requestAnimationFrame(frame); })();
setInterval(look, 250); // pages that nobody sees get no frames

// The output starts with the first gesture on the page, so that no click has to wait for it.
for (const gesture of ["pointerdown", "pointerup", "keydown"]) {
  addEventListener(gesture, () => { if ((navigator.userActivation?.isActive ?? true) && !sound.playing) sound.player.wake(); }, { capture: true, passive: true });
}
speak.addEventListener("click", (event) => { clicked = event.timeStamp; });
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!waiting) begin();
});
form.elements.input.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) speak.click();
});
pause.addEventListener("click", async () => {
  await (sound.paused ? sound.player.wake() : sound.player.pause());
  controls();
});
stop.addEventListener("click", () => {
  run?.abort.abort();
  wait(false);
  sound.stop();
  light(-1);
  controls();
  speak.focus();
});
audio.addEventListener("play", () => { if (sound.playing) sound.stop(); });
said.addEventListener("click", async ({ target }) => {
  if (!target.dataset.at) return;
  if (sound.playing || !run?.whole) {
    sound.play(Number(target.dataset.at));
    await sound.player.wake();
    return controls();
  }
  audio.currentTime = target.dataset.at / 1000;
  audio.play();
});
form.addEventListener("input", ({ target }) => {
  $("speed-value").textContent = form.elements.speed.value;
  target.removeAttribute("aria-invalid");
  complain("");
  count();
  sound.prepare(wanted());
});
$("reading").addEventListener("htmx:afterSwap", sayOnce);

// count tells how long the text is, in code points, as it is charged.
function count() {
  const most = Number($("count").dataset.most);
  const length = [...form.elements.input.value].length;
  $("count").textContent = `${length.toLocaleString("en-GB")} of ${characters(most)}.`;
  $("count").classList.toggle("problem", length > most);
}
count();
$("count").hidden = $("keys").hidden = false;
for (const button of document.querySelectorAll("[data-plain]")) button.hidden = true; // it is shown all the time
