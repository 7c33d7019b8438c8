/** @import { LiveCancelled, LiveDone, LiveLeftOut, LiveWord, LiveWords } from "./types.js" */
import { VaakError } from "./error.js";

const open = 1; // the state of a WebSocket
const rate = 24_000; // samples in a second, always

/**
 * A piece of the sound: mono samples at 24,000 Hz. At is where it begins, in milliseconds.
 * @typedef {{type: "audio", samples: Int16Array, at: number}} LiveAudio
 */

/** @typedef {LiveAudio | LiveWords | LiveLeftOut | LiveDone | LiveCancelled} LiveEvent */

/**
 * Speech while it is written: one utterance, over the native socket. To go through it gives what
 * happens, up to `done` or `cancelled`; it can be gone through once.
 * @implements {AsyncIterable<LiveEvent>}
 */
export class Live {
  /** @type {WebSocket | undefined} */
  #socket;
  /** @type {string[]} */
  #unsent = []; // before the socket is open
  /** @type {LiveEvent[]} */
  #events = []; // that nobody has taken yet
  /** @type {(() => void) | undefined} */
  #awake; // wakes who waits for events
  /** @type {unknown} */
  #error;
  #over = false;
  #explain;
  #samples = 0;
  /** @type {(value: LiveDone | LiveCancelled) => void} */
  #resolve = () => {};
  /** @type {(reason: unknown) => void} */
  #reject = () => {};
  /** @type {() => void} */
  #forget = () => {}; // the signal

  /** @type {LiveWord[]} The words that were told so far, where the session asks for `words`. */
  words = [];

  /** @type {Promise<LiveDone | LiveCancelled>} How it ended. */
  finished;

  /**
   * @param {() => Promise<WebSocket>} dial
   * @param {() => Promise<unknown>} explain Returns why the handshake was refused: a socket does not tell.
   * @param {AbortSignal | undefined} signal
   */
  constructor(dial, explain, signal) {
    this.#explain = explain;
    this.finished = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.finished.catch(() => {}); // told to those who ask
    if (signal) {
      const stop = () => this.#fail(signal.reason);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      this.#forget = () => signal.removeEventListener("abort", stop);
    }
    if (!this.#over) dial().then((socket) => this.#attend(socket), (error) => this.#fail(error));
  }

  /** Milliseconds of audio that came. */
  get received() {
    return (1000 * this.#samples) / rate;
  }

  /**
   * send adds text, of any length: words may be cut anywhere.
   * @param {string} text
   * @param {{flush?: boolean | undefined}} [options] With flush, what was sent is spoken now.
   */
  send(text, { flush = false } = {}) {
    // The empty text would end the session.
    if (text !== "") this.#write(flush ? { text, flush } : { text });
    else if (flush) this.flush();
  }

  /** flush speaks what was sent, now. */
  flush() {
    this.#write({ flush: true });
  }

  /** keepAlive says that more will come; without a message a session ends after 20 s of silence. */
  keepAlive() {
    this.#write({ keepalive: true });
  }

  /** end says that this was all the text: the rest is spoken. */
  end() {
    this.#write({ text: "" });
  }

  /**
   * cancel stops at once, and returns how much of the text was heard. Played is how many
   * milliseconds of the audio were heard; without it, all that was sent.
   * @param {number} [played]
   * @returns {Promise<LiveCancelled | LiveDone>} LiveDone if the session had ended before.
   */
  async cancel(played) {
    if (!this.#over) this.#write(played === undefined ? { cancel: true } : { cancel: true, played_ms: Math.max(0, played) });
    return this.finished;
  }

  /** close ends the session without asking how far it came. */
  close() {
    this.#fail(new VaakError("closed", "the session was closed"));
  }

  /** @returns {AsyncGenerator<LiveEvent, void, undefined>} */
  async *[Symbol.asyncIterator]() {
    try {
      for (;;) {
        const event = this.#events.shift();
        if (event) {
          yield event;
        } else if (this.#error !== undefined) {
          throw this.#error;
        } else if (this.#over) {
          return;
        } else {
          await /** @type {Promise<void>} */ (new Promise((resolve) => { this.#awake = resolve; }));
        }
      }
    } finally {
      if (!this.#over) this.close();
    }
  }

  /** @param {object} message */
  #write(message) {
    if (this.#over) throw this.#error ?? new VaakError("closed", "the session is over");
    const text = JSON.stringify(message);
    if (this.#socket?.readyState === open) this.#socket.send(text);
    else this.#unsent.push(text);
  }

  /** @param {WebSocket} socket */
  #attend(socket) {
    socket.onerror = () => {}; // the close, which follows, says as much
    if (this.#over) return socket.close();
    this.#socket = socket;
    let opened = false;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      opened = true;
      for (const text of this.#unsent.splice(0)) socket.send(text);
    };
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onclose = async ({ code, reason }) => {
      if (!opened && !this.#over) return this.#fail(await this.#explain());
      this.#fail(new VaakError("connection_lost", `the connection was closed before the end of the speech (${code}${reason ? ` ${reason}` : ""})`));
    };
  }

  /** @param {string | ArrayBuffer} data */
  #take(data) {
    if (this.#over) return;
    if (typeof data !== "string") {
      const at = this.received;
      const samples = littleEndian(data);
      this.#samples += samples.length;
      return this.#tell({ type: "audio", samples, at });
    }
    const message = JSON.parse(data);
    switch (message.type) {
      case "words":
        this.words.push(...message.words);
        return this.#tell(message);
      case "done":
      case "cancelled":
        this.#end();
        this.#tell(message);
        return this.#resolve(message);
      case "error":
        return this.#fail(new VaakError(message.code, message.message));
      case "left_out":
        return this.#tell(message);
    }
    // Later versions may tell more.
  }

  /** @param {LiveEvent} event */
  #tell(event) {
    this.#events.push(event);
    this.#wake();
  }

  #wake() {
    this.#awake?.();
    this.#awake = undefined;
  }

  /** @param {unknown} error */
  #fail(error) {
    if (this.#over) return;
    this.#error = error;
    this.#end();
    this.#wake();
    this.#reject(error);
  }

  #end() {
    this.#over = true;
    this.#forget();
    this.#unsent = [];
    this.#socket?.close();
  }
}

const bigEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 0;

/**
 * littleEndian reads samples.
 * @param {ArrayBuffer} data
 */
function littleEndian(data) {
  if (!bigEndian) return new Int16Array(data);
  const view = new DataView(data);
  return Int16Array.from({ length: data.byteLength / 2 }, (_, i) => view.getInt16(2 * i, true));
}
