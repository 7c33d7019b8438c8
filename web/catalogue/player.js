// The player of a sample: one play head over the waveforms of all channels, a
// transcript that follows, and a gain for each channel. Without this script the
// browser's own player and the transcript are there.
const root = document.getElementById("player");
const audio = document.getElementById("sample");
const one = (selector) => root.querySelector(selector);
const all = (selector) => [...root.querySelectorAll(selector)];

const play = one(".play");
const waves = one(".waves");
const needle = one(".needle");
const veil = one(".veil");
const list = one(".transcript");
const lines = all(".line").map((li) => ({ li, start: Number(li.dataset.start), end: Number(li.dataset.end) }));

const length = () => (Number.isFinite(audio.duration) && audio.duration > 0 ? audio.duration : Number(root.dataset.seconds)) || 0;

function clock(seconds) {
  const n = Math.max(0, Math.floor(seconds));
  const pad = (x) => String(x).padStart(2, "0");
  return n >= 3600 ? `${Math.floor(n / 3600)}:${pad(Math.floor(n / 60) % 60)}:${pad(n % 60)}` : `${Math.floor(n / 60)}:${pad(n % 60)}`;
}

function seek(seconds) {
  audio.currentTime = Math.max(0, Math.min(length(), seconds));
  show();
}

// Channels: the element is cut into its channels when somebody first asks to hear
// one alone, each goes through a gain and lies a little to its side.
const muted = new Set();
const solo = new Set();
let gains;

function connect() {
  const context = new AudioContext();
  const source = context.createMediaElementSource(audio);
  const channels = all("[data-mute]").length;
  const splitter = context.createChannelSplitter(channels);
  source.connect(splitter);
  gains = Array.from({ length: channels }, (_, i) => {
    const gain = context.createGain();
    const side = new StereoPannerNode(context, { pan: channels > 1 ? -0.4 + (0.8 * i) / (channels - 1) : 0 });
    splitter.connect(gain, i);
    gain.connect(side).connect(context.destination);
    return gain;
  });
  audio.addEventListener("play", () => context.resume());
  context.resume();
}

function mix() {
  if (!gains) connect();
  gains.forEach((gain, i) => {
    const channel = String(i + 1);
    const heard = solo.size > 0 ? solo.has(channel) : !muted.has(channel);
    gain.gain.value = heard ? 1 : 0;
    all(".wave")[i]?.classList.toggle("silent", !heard);
  });
}

function toggle(set, name) {
  for (const button of all(`[data-${name}]`)) {
    button.addEventListener("click", () => {
      const channel = button.dataset[name];
      if (!set.delete(channel)) set.add(channel);
      button.setAttribute("aria-pressed", String(set.has(channel)));
      mix();
    });
  }
}

// The transcript: lines in which the present lies, else the last that has begun.
let current = [];

function follow(now) {
  let next = lines.filter(({ start, end }) => start <= now && now < end);
  if (next.length === 0) next = lines.filter(({ start }) => start <= now).slice(-1);
  if (next.length === current.length && next.every((line, i) => line === current[i])) return;
  for (const { li } of current) li.removeAttribute("aria-current");
  for (const { li } of next) li.setAttribute("aria-current", "true");
  current = next;
  if (next.length > 0) reveal(next[0].li);
}

// Only the list scrolls, never the page.
function reveal(li) {
  const top = li.offsetTop; // in the list, which is positioned
  if (top < list.scrollTop || top + li.offsetHeight > list.scrollTop + list.clientHeight) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    list.scrollTo({ top: Math.max(0, top - list.clientHeight / 3), behavior: calm ? "auto" : "smooth" });
  }
}

let begun = false;
let broken = false;

function show() {
  if (broken) return;
  const now = audio.currentTime;
  begun ||= now > 0;
  one(".now").textContent = clock(now);
  if (waves) {
    const share = `${length() > 0 ? Math.min(100, (now / length()) * 100) : 0}%`;
    needle.style.left = share;
    veil.style.left = share;
    veil.hidden = !begun;
    waves.setAttribute("aria-valuemax", String(Math.round(length())));
    waves.setAttribute("aria-valuenow", String(Math.round(now)));
    waves.setAttribute("aria-valuetext", `${clock(now)} of ${clock(length())}`);
  }
  if (begun) follow(now);
}

function run() {
  show();
  if (!audio.paused) requestAnimationFrame(run);
}

function press() {
  if (audio.paused) audio.play().catch(complain);
  else audio.pause();
}

// A pause right after the start breaks play() off: that is no fault of the sample.
function complain(problem) {
  if (problem.name === "AbortError") return;
  broken = true;
  one(".clock").textContent = "The sample cannot be played."; // the present time stood in it
}

function state() {
  play.setAttribute("aria-label", audio.paused ? "Play" : "Pause");
  root.classList.toggle("playing", !audio.paused);
  run();
}

function slide() {
  waves.setAttribute("role", "slider");
  waves.setAttribute("aria-label", "Position");
  waves.setAttribute("aria-valuemin", "0");
  waves.tabIndex = 0;
  needle.hidden = false;
  const at = (event) => {
    const box = waves.getBoundingClientRect();
    return ((event.clientX - box.left) / box.width) * length();
  };
  waves.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    waves.setPointerCapture(event.pointerId);
    seek(at(event));
  });
  waves.addEventListener("pointermove", (event) => {
    if (waves.hasPointerCapture(event.pointerId)) seek(at(event));
  });
  const steps = { ArrowRight: 5, ArrowUp: 5, ArrowLeft: -5, ArrowDown: -5, PageUp: 30, PageDown: -30 };
  waves.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in steps) seek(audio.currentTime + steps[event.key]);
    else if (event.key === "Home") seek(0);
    else if (event.key === "End") seek(length());
    else if (event.key === " ") press();
    else return;
    event.preventDefault();
  });
}

function start() {
  audio.controls = false;
  audio.hidden = true;
  for (const part of all(".controls, .mixer")) part.hidden = false;
  if (!("AudioContext" in window)) for (const part of all(".mixer")) part.hidden = true;
  if (waves) slide();
  play.addEventListener("click", press);
  for (const event of ["play", "pause", "ended"]) audio.addEventListener(event, state);
  for (const event of ["timeupdate", "seeked", "loadedmetadata"]) audio.addEventListener(event, show);
  audio.addEventListener("error", complain);
  toggle(muted, "mute");
  toggle(solo, "solo");
  for (const { li, start } of lines) {
    li.addEventListener("click", (event) => {
      if (event.target.closest("a")) event.preventDefault();
      else if (String(getSelection())) return; // somebody copies words
      seek(start + 0.001);
      if (event.target.closest("a")) audio.play().catch(complain);
    });
  }
  show();
}

start();
