// Sound plays mono 16-bit PCM while it is made, and tells which of it is being heard.
// Modules have no names here that could be imported, so it is one of the window.

const lead = 0.01; // seconds between asking for sound and hearing it
const ahead = 8; // seconds that are handed to the system before they are heard
const audible = 328; // the least sample that counts as sound: -40 dBFS
const idle = 30_000; // milliseconds after which the system gets its output back

window.Sound = class Sound {
  #context = null;
  #silent = null; // what plays while nothing does
  #rate = 0;
  #pieces = []; // {pcm, at}: samples, and the number of the first one
  #samples = 0; // in all pieces
  #next = 0; // the piece that is handed over next
  #skip = 0; // its samples that are left out
  #free = 0; // time of the context from which nothing is handed over yet
  #spans = []; // {when, at, length}: what is handed over, in seconds of the context and of the sound
  #nodes = new Set();
  #first = null; // the first audible sample, with when it is heard
  #complete = true;
  #playing = false;
  #rest = 0; // timer

  constructor(rate) { this.prepare(rate); }

  // prepare makes an output of a rate in Hz, so that nobody waits for it later.
  prepare(rate) {
    if (this.#context?.sampleRate === rate || this.#playing) return;
    const old = this.#context;
    this.#context = new AudioContext({ sampleRate: rate, latencyHint: "interactive" });
    this.#silent = null;
    if (old?.state === "running") this.warm();
    old?.close();
  }

  // wake starts the output; the browser wants the hand of the user for it. Silence keeps
  // it from being given back between two sounds.
  wake() {
    clearTimeout(this.#rest);
    if (!this.#silent) {
      this.#silent = new ConstantSourceNode(this.#context, { offset: 0 });
      this.#silent.connect(this.#context.destination);
      this.#silent.start();
    }
    return this.#context.resume();
  }

  // warm starts the output ahead of sound, for a while. What is paused stays so.
  warm() {
    if (this.#playing) return;
    this.wake();
    this.#tire();
  }

  // tire gives the output back when nothing is heard for long.
  #tire() {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#context.suspend(), idle);
  }

  // begin makes room for other sound, of a rate in Hz.
  begin(rate) {
    this.stop();
    this.prepare(rate);
    this.wake();
    [this.#rate, this.#pieces, this.#samples, this.#first, this.#complete, this.#playing] = [rate, [], 0, null, false, true];
    this.#restart(0);
  }

  // add takes the next samples.
  add(pcm) {
    if (pcm.length === 0 || this.#complete) return;
    this.#pieces.push({ pcm, at: this.#samples });
    if (!this.#first) {
      const i = pcm.findIndex((s) => Math.abs(s) >= audible);
      if (i >= 0) this.#first = { at: (this.#samples + i) / this.#rate, told: false };
    }
    this.#samples += pcm.length;
    this.#pump();
  }

  // end says that no more sound comes.
  end() { this.#complete = true; }

  get playing() { return this.#playing; }
  get paused() { return this.#playing && this.#context.state === "suspended"; }
  get length() { return (1000 * this.#samples) / (this.#rate || 1); } // milliseconds that came
  get pcm() { return this.#pieces.map((p) => p.pcm); }

  pause() { return this.#context.suspend(); }

  // seek goes on from a time in milliseconds.
  seek(ms) {
    this.#playing = true;
    this.#restart(Math.round((ms * this.#rate) / 1000));
    this.wake();
    this.#pump();
  }

  stop() {
    this.#silence();
    this.#playing = false;
    this.#complete = true;
    this.#tire();
  }

  // tick keeps the sound going and returns how far it was heard, in milliseconds. It is
  // to be called all the time.
  tick() {
    if (!this.#playing) return 0;
    this.#pump();
    this.#tell();
    const heard = this.#position();
    if (this.#complete && heard >= this.length - 1) {
      this.stop();
      return this.length;
    }
    return heard;
  }

  #restart(sample) {
    this.#silence();
    this.#next = this.#pieces.findIndex((p) => p.at + p.pcm.length > sample);
    if (this.#next < 0) this.#next = this.#pieces.length;
    this.#skip = Math.max(0, sample - (this.#pieces[this.#next]?.at ?? sample));
    this.#spans = [];
    this.#free = 0;
  }

  #silence() {
    for (const node of this.#nodes) {
      node.onended = null;
      node.stop();
      node.disconnect();
    }
    this.#nodes.clear();
  }

  #pump() {
    const now = this.#context.currentTime;
    while (this.#playing && this.#next < this.#pieces.length && this.#free < now + ahead) {
      const { pcm, at } = this.#pieces[this.#next];
      this.#hand(this.#skip ? pcm.subarray(this.#skip) : pcm, (at + this.#skip) / this.#rate, now);
      this.#next += 1;
      this.#skip = 0;
    }
  }

  // hand gives samples to the system, to be heard right after those before them, or soon
  // where those have ended.
  #hand(pcm, at, now) {
    const buffer = this.#context.createBuffer(1, pcm.length, this.#rate);
    const channel = buffer.getChannelData(0);
    for (let i = 0; i < pcm.length; i += 1) channel[i] = pcm[i] / 32768;
    const node = this.#context.createBufferSource();
    node.buffer = buffer;
    node.connect(this.#context.destination);
    node.onended = () => this.#nodes.delete(node);
    if (this.#free < now) this.#free = now + lead;
    node.start(this.#free);
    this.#nodes.add(node);
    this.#spans.push({ when: this.#free, at, length: buffer.duration });
    this.#free += buffer.duration;
  }

  // heardAt returns when a time of the context is heard, on the clock of the page.
  #heardAt(time) {
    const stamp = this.#context.getOutputTimestamp?.();
    if (stamp?.performanceTime > 0) return stamp.performanceTime + 1000 * (time - stamp.contextTime);
    const late = this.#context.outputLatency || this.#context.baseLatency || 0;
    return performance.now() + 1000 * (time - this.#context.currentTime + late);
  }

  // position returns how much of the sound was heard, in milliseconds.
  #position() {
    const now = Math.min(performance.now(), this.#heardAt(this.#context.currentTime));
    let heard = this.#spans[0]?.at ?? 0;
    for (const span of this.#spans) {
      const since = (now - this.#heardAt(span.when)) / 1000;
      if (since < 0) break;
      heard = span.at + Math.min(since, span.length);
    }
    while (this.#spans.length > 1 && this.#heardAt(this.#spans[1].when) < now - 1000) this.#spans.shift();
    return 1000 * heard;
  }

  // tell marks when the first audible sample left the output.
  #tell() {
    if (!this.#first || this.#first.told) return;
    const span = this.#spans.find((s) => this.#first.at >= s.at && this.#first.at < s.at + s.length);
    if (!span || this.#context.state !== "running") return;
    const startTime = this.#heardAt(span.when + this.#first.at - span.at);
    if (startTime > performance.now()) return;
    this.#first.told = true;
    performance.clearMarks("vaak-sound");
    performance.mark("vaak-sound", { startTime: Math.max(0, startTime) });
  }
};
