/** @import { Dataset, DatasetBrief, DatasetList, DatasetQuery, EnquiryReceipt, EnquiryRequest, FacetCounts, FacetQuery, LanguageList, LiveQuery, NewToken, Reading, SpeechRequest, Token, TokenRequest, Voice } from "./types.js" */
/** @import { CallOptions } from "./http.js" */
import { VaakError } from "./error.js";
import { Transport } from "./http.js";
import { Live } from "./live.js";

/**
 * What is known of speech before its sound.
 * @typedef {object} SpeechAbout
 * @property {string} contentType
 * @property {string} voice The id of the voice that speaks.
 * @property {string} language The language that is spoken: asked for, or told from the text.
 * @property {string} engine What makes the sound.
 * @property {number} characters What is charged for, once all is spoken.
 * @property {string[]} notices What is not done as it was asked, in sentences.
 * @property {string} requestId
 */

/** @typedef {SpeechAbout & {audio: Uint8Array}} Speech */

/**
 * @typedef {CallOptions & {
 *   token?: string | (() => string | Promise<string>) | undefined,
 *   WebSocket?: unknown,
 * }} LiveOptions Token is a single-use token, or what gets one; without it the key is used.
 */

/** A Vaak server. */
export class Vaak {
  #http;
  #WebSocket;

  /**
   * @param {object} [config]
   * @param {string} [config.url] The server; of a page, by default its own.
   * @param {string} [config.key] The API key. Pages have none: see `live`.
   * @param {typeof fetch} [config.fetch] Another fetch.
   * @param {unknown} [config.WebSocket] Another WebSocket. Node.js has one of its own from 22 on;
   *   before, pass that of the package ws.
   * @param {number} [config.retries] How often a call is tried again after 429 and 503; 2.
   * @param {number} [config.maxWait] The longest wait before that, in seconds; 10.
   */
  constructor({ url, key, fetch: given, WebSocket: socket, retries, maxWait } = {}) {
    const here = url ?? globalThis.location?.origin;
    if (!here) throw new TypeError("url is missing: outside of a page it says where the server is");
    this.#http = new Transport({ url: here, key, fetch: given, retries, maxWait });
    this.#WebSocket = socket;
    this.catalogue = new Catalogue(this.#http);
    this.tokens = new Tokens(this.#http);
  }

  /**
   * speak returns all of the audio of a text.
   * @param {SpeechRequest} request
   * @param {CallOptions} [options]
   * @returns {Promise<Speech>}
   */
  async speak(request, { signal } = {}) {
    const answer = await this.#http.call("POST", "/v1/audio/speech", { body: request, signal });
    try {
      return { ...about(answer), audio: new Uint8Array(await answer.arrayBuffer()) };
    } catch (cause) {
      signal?.throwIfAborted();
      throw broken(answer, cause);
    }
  }

  /**
   * stream returns the audio of a text while it is made, as soon as the first of it is there.
   * @param {SpeechRequest} request
   * @param {CallOptions} [options]
   * @returns {Promise<SpeechStream>}
   */
  async stream(request, { signal } = {}) {
    const answer = await this.#http.call("POST", "/v1/audio/speech", { body: { ...request, stream: true }, signal });
    return new SpeechStream(answer, signal);
  }

  /**
   * live opens a session in which text is spoken while it is written. It returns at once: what is
   * sent before the socket is open waits for it.
   *
   * With a key in a page the session asks for a single-use token first, since browsers send no
   * headers with a socket. A page that others see has no key: its server makes the token.
   * @param {LiveQuery} [query]
   * @param {LiveOptions} [options]
   */
  live(query = {}, { token, WebSocket: socket = this.#WebSocket, signal } = {}) {
    const Socket = /** @type {typeof WebSocket | undefined} */ (socket ?? globalThis.WebSocket);
    if (!Socket) throw new TypeError("there is no WebSocket here: pass one, such as that of the package ws");
    const page = typeof globalThis.document === "object" || "WorkerGlobalScope" in globalThis;
    const path = "/v1/audio/speech/stream-input";
    const http = this.#http;
    /** @type {object} */
    let asked = query;
    const dial = async () => {
      let secret = typeof token === "function" ? await token() : token;
      if (secret === undefined && !http.key) throw new VaakError("missing_api_key", "a session needs a key or a single-use token");
      if (secret === undefined && page) secret = (await this.tokens.create({}, { signal })).token;
      if (secret !== undefined) asked = { ...query, single_use_token: secret };
      const address = http.address(path, asked).replace(/^http/, "ws");
      if (secret !== undefined) return new Socket(address);
      // Those of Node.js and of the package ws take headers; the type of browsers does not know them.
      return new Socket(address, /** @type {any} */ ({ headers: { authorization: `Bearer ${http.key}` } }));
    };
    const explain = async () => {
      try {
        await http.call("GET", path, { query: asked, retries: 0, keyless: "single_use_token" in asked, signal });
      } catch (error) {
        // A page of another origin cannot read the answer: it does not know more than that it failed.
        const silent = error instanceof VaakError && (error.code === "upgrade_required" || (page && error.code === "network_error"));
        if (!silent) return error;
      }
      return new VaakError("connection_refused", "the session was refused, or the server could not be reached: pages of this origin may not open any, or the key has too many");
    };
    return new Live(dial, explain, signal);
  }

  /**
   * preview says how a text would be read, and what it would cost. Nothing is charged.
   * @param {SpeechRequest} request
   * @param {CallOptions} [options]
   * @returns {Promise<Reading>}
   */
  preview(request, options) {
    return this.#http.json("POST", "/v1/audio/speech/preview-text", { ...options, body: request });
  }

  /**
   * voices lists all voices.
   * @param {CallOptions} [options]
   * @returns {Promise<Voice[]>}
   */
  async voices(options) {
    return (await this.#http.json("GET", "/v1/voices", options)).voices;
  }

  /**
   * voice returns a voice, by its id or name.
   * @param {string} id
   * @param {CallOptions} [options]
   * @returns {Promise<Voice>}
   */
  voice(id, options) {
    return this.#http.json("GET", `/v1/voices/${encodeURIComponent(id)}`, options);
  }

  /**
   * languages lists the languages that are spoken.
   * @param {CallOptions} [options]
   * @returns {Promise<LanguageList["languages"]>}
   */
  async languages(options) {
    return (await this.#http.json("GET", "/v1/languages", options)).languages;
  }
}

/** Single-use tokens: a program that has a key makes one, and a page opens a session with it. */
class Tokens {
  #http;

  /** @param {Transport} http */
  constructor(http) {
    this.#http = http;
  }

  /**
   * create makes a token, whose `token` can never be read again.
   * @param {TokenRequest} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<NewToken>}
   */
  create(request = {}, options = {}) {
    return this.#http.json("POST", "/v1/audio/speech/tokens", { ...options, body: request });
  }

  /**
   * list returns the tokens of the organisation that wait for their session.
   * @param {CallOptions} [options]
   * @returns {Promise<Token[]>}
   */
  async list(options) {
    return (await this.#http.json("GET", "/v1/audio/speech/tokens", options)).tokens;
  }

  /**
   * revoke ends a token that waits for its session, by its `token_id`.
   * @param {string} id
   * @param {CallOptions} [options]
   * @returns {Promise<void>}
   */
  async revoke(id, options) {
    await this.#http.call("DELETE", `/v1/audio/speech/tokens/${encodeURIComponent(id)}`, options);
  }
}

/** The catalogue of datasets. It needs no key. */
class Catalogue {
  #http;

  /** @param {Transport} http */
  constructor(http) {
    this.#http = http;
  }

  /**
   * list returns a page of the datasets that match.
   * @param {DatasetQuery} [query]
   * @param {CallOptions} [options]
   * @returns {Promise<DatasetList>}
   */
  list(query, options) {
    return this.#http.json("GET", "/api/catalogue/datasets", { ...options, query });
  }

  /**
   * all goes through all datasets that match, page by page.
   * @param {DatasetQuery} [query]
   * @param {CallOptions} [options]
   * @returns {AsyncGenerator<DatasetBrief, void, undefined>}
   */
  async *all(query = {}, options = {}) {
    let { cursor } = query;
    do {
      const page = await this.list(cursor === undefined ? query : { ...query, cursor }, options);
      yield* page.datasets;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  /**
   * get returns the record of a dataset, by its slug or id.
   * @param {string} slug
   * @param {CallOptions} [options]
   * @returns {Promise<Dataset>}
   */
  get(slug, options) {
    return this.#http.json("GET", `/api/catalogue/datasets/${encodeURIComponent(slug)}`, options);
  }

  /**
   * similar returns the other datasets, those first that are most like one.
   * @param {string} slug
   * @param {DatasetQuery} [query]
   * @param {CallOptions} [options]
   * @returns {Promise<DatasetList>}
   */
  similar(slug, query, options) {
    return this.list({ ...query, similar: slug }, options);
  }

  /**
   * facets counts the datasets of each value of a property.
   * @param {FacetQuery} [query]
   * @param {CallOptions} [options]
   * @returns {Promise<FacetCounts>}
   */
  facets(query, options) {
    return this.#http.json("GET", "/api/catalogue/facets", { ...options, query });
  }

  /**
   * croissant returns a dataset in the format Croissant, in JSON-LD.
   * @param {string} slug
   * @param {CallOptions & {version?: "1.0" | "1.1" | undefined}} [options]
   * @returns {Promise<Record<string, unknown>>}
   */
  croissant(slug, { version, signal } = {}) {
    return this.#http.json("GET", `/catalogue/datasets/${encodeURIComponent(slug)}/croissant.json`, { query: { version }, signal });
  }

  /**
   * enquire sends a person's question to the people who license the datasets. The person has seen
   * what is sent, and has agreed to it.
   * @param {EnquiryRequest} request
   * @param {CallOptions} [options]
   * @returns {Promise<EnquiryReceipt>}
   */
  enquire(request, options) {
    return this.#http.json("POST", "/api/catalogue/enquiry", { ...options, body: request });
  }
}

/** Audio that is still being made. It is gone through once. */
export class SpeechStream {
  #answer;
  #signal;

  /**
   * @param {Response} answer
   * @param {AbortSignal} [signal]
   */
  constructor(answer, signal) {
    this.#answer = answer;
    this.#signal = signal;
    this.about = about(answer);
  }

  /**
   * The pieces of the audio, as they come; of raw PCM they may split a sample. To leave early
   * stops the speech.
   * @returns {AsyncGenerator<Uint8Array, void, undefined>}
   */
  async *[Symbol.asyncIterator]() {
    const reader = /** @type {ReadableStream<Uint8Array>} */ (this.#answer.body).getReader();
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        yield value;
      }
    } catch (cause) {
      this.#signal?.throwIfAborted();
      throw broken(this.#answer, cause);
    } finally {
      reader.cancel().catch(() => {});
    }
  }
}

/**
 * @param {Response} answer
 * @param {unknown} cause
 */
function broken(answer, cause) {
  return new VaakError("connection_lost", "the audio broke off before its end", {
    status: answer.status, requestId: answer.headers.get("x-request-id") ?? undefined, cause,
  });
}

/**
 * @param {Response} answer
 * @returns {SpeechAbout}
 */
function about({ headers }) {
  const of = (/** @type {string} */ name) => headers.get(name) ?? "";
  return {
    contentType: of("content-type"),
    voice: of("x-voice-id"),
    language: of("x-language"),
    engine: of("x-engine"),
    characters: Number(of("character-cost")),
    notices: of("x-notice") ? of("x-notice").split(", ") : [],
    requestId: of("x-request-id"),
  };
}
