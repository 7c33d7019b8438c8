/** @import { LiveEvent } from "./live.js" */

const rest = 30_000; // milliseconds without sound after which the system gets its output back
const audible = 328 / 32768; // the least level that counts as sound: -40 dBFS

/**
 * Plays mono sound in a page while it is made, without gaps, through an AudioWorklet.
 *
 * One sound at a time: `begin` starts another one. Browsers let a page sound only after the
 * reader has pressed something: call `wake` there.
 */
export class Player {
  /** @type {AudioContext} */
  context;
  /** @type {Promise<void>} */
  ready;

  /** @type {AudioWorkletNode | undefined} */
  #node;
  /** @type {[object, Transferable[]][]} */
  #unsent = []; // before the worklet is there
  /** @type {{at: number, time: number, until: number}[]} */
  #spans = []; // what was played when: samples of the sound, seconds of the context
  #samples = 0;
  #complete = true;
  #playing = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #idle;
  /** @type {number | undefined} */
  #half; // the byte of a sample that was split
  /** @type {number | undefined} */
  #first; // the first audible sample
  /** @type {(played: number) => void} */
  #finish = () => {};
  /** @type {(at: number) => void} */
  #hear = () => {};
  #sounds = 0; // so that messages of an old sound are told from those of this one

  /** @type {Promise<number>} When the sound ends or was stopped: milliseconds that were heard. */
  finished = Promise.resolve(0);

  /**
   * When the first audible sample of the sound leaves the output, on the clock of
   * performance.now(). It may never come.
   * @type {Promise<number>}
   */
  heard = new Promise(() => {});

  /**
   * @param {object} [config]
   * @param {number} [config.sampleRate] Of the sound in Hz; 24,000, as live sessions have.
   * @param {number} [config.lead] Milliseconds of sound that wait before it starts; 20.
   * @param {string | URL} [config.worklet] Where worklet.js is; by default beside this module.
   */
  constructor({ sampleRate = 24_000, lead = 20, worklet = new URL("./worklet.js", import.meta.url) } = {}) {
    this.context = new AudioContext({ sampleRate, latencyHint: "interactive" });
    this.ready = this.context.audioWorklet.addModule(worklet).then(() => {
      const node = new AudioWorkletNode(this.context, "vaak-speech", { numberOfInputs: 0, outputChannelCount: [1] });
      node.port.onmessage = ({ data }) => this.#take(data);
      node.connect(this.context.destination);
      this.#node = node;
      this.#post({ lead: (lead * sampleRate) / 1000 });
      for (const [message, transfer] of this.#unsent.splice(0)) node.port.postMessage(message, transfer);
    });
    this.ready.catch(() => {}); // told to those who ask
  }

  /** wake starts the output, where the reader has pressed something, or after a pause. */
  wake() {
    this.#rest();
    return this.context.resume();
  }

  /** pause stops the output until `wake`. */
  pause() {
    return this.context.suspend();
  }

  /** rest gives the output back to the system when nothing was played for a while. */
  #rest() {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      if (this.#playing) this.#rest();
      else if (this.context.state === "running") void this.context.suspend();
    }, rest);
  }

  /** begin makes room for another sound. What is playing stops. */
  begin() {
    this.stop();
    this.#sounds += 1;
    this.#post({ clear: true, sound: this.#sounds });
    [this.#spans, this.#samples, this.#complete, this.#half, this.#first] = [[], 0, false, undefined, undefined];
    this.#playing = true;
    this.finished = new Promise((resolve) => {
      this.#finish = (played) => {
        this.#playing = false;
        resolve(played);
      };
    });
    this.heard = new Promise((resolve) => { this.#hear = resolve; });
    void this.wake();
  }

  /**
   * write adds the next samples: as numbers, or as bytes of 16-bit little-endian PCM, which may
   * split a sample.
   * @param {Int16Array | Uint8Array} data
   */
  write(data) {
    if (this.#complete) return;
    const samples = data instanceof Int16Array ? Float32Array.from(data, (s) => s / 32768) : this.#decode(data);
    if (samples.length === 0) return;
    if (this.#first === undefined) {
      const i = samples.findIndex((s) => Math.abs(s) >= audible);
      if (i >= 0) this.#first = this.#samples + i;
      this.#tell();
    }
    this.#samples += samples.length;
    this.#post({ samples }, [samples.buffer]);
  }

  /** end says that no more sound comes. */
  end() {
    if (this.#complete) return;
    this.#complete = true;
    this.#post({ end: true });
  }

  /**
   * stop ends the sound at once, and returns how many milliseconds of it were heard.
   * @returns {number}
   */
  stop() {
    const played = this.played;
    this.#complete = true;
    this.#post({ clear: true, sound: ++this.#sounds });
    this.#spans = [{ at: (played * this.context.sampleRate) / 1000, time: 0, until: -1 }];
    this.#finish(played);
    return played;
  }

  /**
   * play plays a live session, or a stream of raw PCM at the rate of this player, to its end.
   * @param {AsyncIterable<LiveEvent | Uint8Array>} sound
   * @returns {Promise<number>} Milliseconds that were heard.
   */
  async play(sound) {
    this.begin();
    const { finished } = this;
    try {
      for await (const piece of sound) {
        if (this.finished !== finished) break; // another sound has begun
        if (piece instanceof Uint8Array) this.write(piece);
        else if (piece.type === "audio") this.write(piece.samples);
      }
    } finally {
      if (this.finished === finished) this.end();
    }
    return finished;
  }

  /** Milliseconds of the sound that have left the output. */
  get played() {
    const now = this.#now();
    let heard = 0;
    for (const { at, time, until } of this.#spans) {
      if (until < 0) heard = at; // stopped there
      else if (now >= time) heard = Math.min(at + (now - time) * this.context.sampleRate, until);
    }
    return (1000 * heard) / this.context.sampleRate;
  }

  /** Milliseconds of the sound that came. */
  get received() {
    return (1000 * this.#samples) / this.context.sampleRate;
  }

  /** close gives the output back. */
  async close() {
    this.stop();
    clearTimeout(this.#idle);
    await this.context.close();
  }

  /** now is the time of the context that is heard now, in seconds. */
  #now() {
    const { contextTime, performanceTime } = this.context.getOutputTimestamp?.() ?? {};
    if (!performanceTime || contextTime === undefined) return this.context.currentTime - (this.context.outputLatency || this.context.baseLatency || 0);
    // The stamp is of the past: since then time went on, unless the output is suspended.
    const since = this.context.state === "running" ? (performance.now() - performanceTime) / 1000 : 0;
    return Math.min(contextTime + since, this.context.currentTime);
  }

  /**
   * @param {object} message
   * @param {Transferable[]} [transfer]
   */
  #post(message, transfer = []) {
    if (this.#node) this.#node.port.postMessage(message, transfer);
    else this.#unsent.push([message, transfer]);
  }

  /** @param {{sound: number, start?: number, stop?: number, time: number, ended?: boolean}} message */
  #take({ sound, start, stop, time, ended }) {
    if (sound !== this.#sounds) return;
    if (start !== undefined) {
      this.#spans.push({ at: start, time, until: Infinity });
      this.#tell();
    }
    if (stop !== undefined) {
      const span = this.#spans.at(-1);
      if (span) span.until = stop;
      // Not yet heard: the output is late.
      if (ended) setTimeout(() => sound === this.#sounds && this.#finish(this.received), Math.max(0, 1000 * (time - this.#now())));
    }
  }

  /** tell says when the first audible sample is heard, once both are known. */
  #tell() {
    const first = this.#first;
    const span = first === undefined ? undefined : this.#spans.find(({ at, until }) => first >= at && first < until);
    if (span && first !== undefined) {
      this.#hear(performance.now() + 1000 * (span.time + (first - span.at) / this.context.sampleRate - this.#now()));
    }
  }

  /** @param {Uint8Array} data */
  #decode(data) {
    const bytes = new Uint8Array(data.length + (this.#half === undefined ? 0 : 1));
    if (this.#half !== undefined) bytes[0] = this.#half;
    bytes.set(data, bytes.length - data.length);
    this.#half = bytes.length % 2 ? bytes.at(-1) : undefined;
    const view = new DataView(bytes.buffer);
    return Float32Array.from({ length: bytes.length >> 1 }, (_, i) => view.getInt16(2 * i, true) / 32768);
  }
}
