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
    all("svg.wave")[i]?.classList.toggle("silent", !heard);
    all("canvas.wave")[i]?.classList.toggle("silent", !heard);
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

// Spectrogram: when somebody first asks for it, the sample is read as a whole, cut into columns, and
// what sounds in each is drawn in place of the waveform: low tones below, loud ones dark.
const points = 512; // of a Fourier transform
const columns = 900;
const floor = -95; // dB below full scale, where nothing is drawn
const ceiling = -25;

// transform replaces a signal by its Fourier transform (Cooley and Tukey 1965, radix 2).
function transform(re, im) {
  for (let i = 1, j = 0; i < points; i++) {
    let bit = points >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) [re[i], re[j]] = [re[j], re[i]];
  }
  for (let size = 2; size <= points; size *= 2) {
    for (let k = 0; k < size / 2; k++) {
      const cos = Math.cos((-2 * Math.PI * k) / size);
      const sin = Math.sin((-2 * Math.PI * k) / size);
      for (let i = k; i < points; i += size) {
        const j = i + size / 2;
        const r = re[j] * cos - im[j] * sin;
        const m = re[j] * sin + im[j] * cos;
        re[j] = re[i] - r;
        im[j] = im[i] - m;
        re[i] += r;
        im[i] += m;
      }
    }
  }
}

function draw(canvas, samples, colour) {
  canvas.width = columns;
  canvas.height = points / 2;
  const context = canvas.getContext("2d");
  const picture = context.createImageData(canvas.width, canvas.height);
  const re = new Float64Array(points);
  const im = new Float64Array(points);
  for (let x = 0; x < columns; x++) {
    const from = Math.round(((x + 0.5) / columns) * samples.length - points / 2);
    for (let i = 0; i < points; i++) {
      re[i] = (samples[from + i] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / points)); // Hann
      im[i] = 0;
    }
    transform(re, im);
    for (let y = 0; y < points / 2; y++) {
      const level = 20 * Math.log10((Math.hypot(re[y], im[y]) * 4) / points + 1e-9);
      const at = ((points / 2 - 1 - y) * columns + x) * 4;
      picture.data.set(colour, at);
      picture.data[at + 3] = 255 * Math.max(0, Math.min(1, (level - floor) / (ceiling - floor)));
    }
  }
  context.putImageData(picture, 0, 0);
}

async function spectra() {
  const rate = Number(root.dataset.rate);
  const answer = await fetch(audio.currentSrc || audio.src);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const sound = await new OfflineAudioContext(1, 1, rate).decodeAudioData(await answer.arrayBuffer());
  all("svg.wave").forEach((svg, i) => {
    if (i >= sound.numberOfChannels) return;
    const canvas = document.createElement("canvas");
    canvas.setAttribute("class", svg.getAttribute("class"));
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", svg.getAttribute("aria-label").replace("Waveform", "Spectrogram") + `, 0 to ${rate / 2000} kHz`);
    const colour = getComputedStyle(svg.querySelector("path")).fill.match(/\d+/g).slice(0, 3).map(Number);
    draw(canvas, sound.getChannelData(i), colour);
    canvas.hidden = true;
    svg.after(canvas);
  });
}

function spectrogram(button) {
  let made;
  button.addEventListener("click", async () => {
    const shown = button.getAttribute("aria-pressed") !== "true";
    try {
      made ??= spectra();
      await made;
    } catch {
      button.disabled = true;
      button.textContent = "No spectrogram: the sample cannot be read.";
      return;
    }
    button.setAttribute("aria-pressed", String(shown));
    for (const canvas of all("canvas.wave")) {
      canvas.hidden = !shown;
      canvas.previousElementSibling.classList.toggle("behind", shown);
    }
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
  const button = one(".spectrogram");
  if (button && "OfflineAudioContext" in window) spectrogram(button);
  else if (button) button.hidden = true;
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
