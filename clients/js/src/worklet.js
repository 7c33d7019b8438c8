// Plays samples that come in pieces, without a gap between them. It runs in an AudioWorklet.
//
// It takes {samples}, {end}, {clear, sound} and {lead}, where sound is a number for what comes next.
// It tells when it starts at a sample {sound, start, time} and stops at one {sound, stop, time,
// ended}, in samples of the sound and seconds of the context.

const fade = 0.005; // seconds in which a sound that is cleared fades out

class Speech extends AudioWorkletProcessor {
  #pieces = []; // Float32Array
  #offset = 0; // samples of the first piece that were played
  #waiting = 0; // samples that were not played
  #at = 0; // the next sample
  #lead = 0; // samples that must wait before sound starts
  #playing = false;
  #ended = false;
  #sound = 0;
  #fading = 0; // samples until silence
  #tail = null; // what is played meanwhile

  constructor() {
    super();
    this.port.onmessage = ({ data }) => this.#take(data);
  }

  #take({ samples, end, clear, sound, lead }) {
    if (lead !== undefined) this.#lead = lead;
    if (clear) {
      this.#sound = sound;
      // What was cleared is heard for the fade, so that it does not click.
      if (this.#playing && this.#waiting > 0) {
        this.#fading = Math.round(fade * sampleRate);
        this.#tail = { pieces: this.#pieces, offset: this.#offset };
      }
      [this.#pieces, this.#offset, this.#waiting, this.#at, this.#playing, this.#ended] = [[], 0, 0, 0, false, false];
    }
    if (samples) {
      this.#pieces.push(samples);
      this.#waiting += samples.length;
    }
    if (end) this.#ended = true;
  }

  process(_, [[out]]) {
    if (this.#fading > 0) this.#fadeOut(out);
    if (!this.#playing) {
      if (this.#waiting === 0 ? this.#ended : this.#waiting >= this.#lead || this.#ended) this.#start();
      if (!this.#playing) return true;
    }
    const n = Math.min(out.length, this.#waiting);
    for (let i = 0; i < n;) {
      const piece = this.#pieces[0];
      const part = piece.subarray(this.#offset, this.#offset + n - i);
      for (let j = 0; j < part.length; j += 1) out[i + j] += part[j];
      i += part.length;
      this.#offset += part.length;
      if (this.#offset === piece.length) {
        this.#pieces.shift();
        this.#offset = 0;
      }
    }
    this.#waiting -= n;
    this.#at += n;
    if (n < out.length) {
      this.#playing = false;
      this.port.postMessage({ sound: this.#sound, stop: this.#at, time: currentTime + n / sampleRate, ended: this.#ended });
      this.#ended = false;
    }
    return true;
  }

  #start() {
    this.#playing = true;
    this.port.postMessage({ sound: this.#sound, start: this.#at, time: currentTime });
  }

  #fadeOut(out) {
    const { pieces } = this.#tail;
    for (let i = 0; i < out.length && this.#fading > 0 && pieces.length > 0; i += 1) {
      out[i] += (pieces[0][this.#tail.offset] * this.#fading) / (fade * sampleRate);
      this.#fading -= 1;
      this.#tail.offset += 1;
      if (this.#tail.offset === pieces[0].length) {
        pieces.shift();
        this.#tail.offset = 0;
      }
    }
    if (pieces.length === 0) this.#fading = 0;
    if (this.#fading === 0) this.#tail = null;
  }
}

registerProcessor("vaak-speech", Speech);
