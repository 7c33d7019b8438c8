import { refusal, VaakError } from "./error.js";

/** @typedef {{signal?: AbortSignal | undefined}} CallOptions */

/** @typedef {string | number | boolean | null | undefined | Array<string | number>} QueryValue */

/** Calls the server over HTTP, and again when it asks for that. */
export class Transport {
  #fetch;
  #retries;
  #maxWait;

  /**
   * @param {{url: string, key?: string | undefined, fetch?: typeof fetch | undefined, retries?: number | undefined, maxWait?: number | undefined}} config
   */
  constructor({ url, key, fetch: given, retries = 2, maxWait = 10 }) {
    this.url = url.replace(/\/+$/, "");
    this.key = key;
    // Called as a function of its own: a browser refuses it as a method of another object.
    this.#fetch = given ?? ((/** @type {any} */ input, /** @type {any} */ init) => fetch(input, init));
    this.#retries = retries;
    this.#maxWait = maxWait;
  }

  /**
   * address returns the address of a path with a query.
   * @param {string} path
   * @param {object} [query]
   */
  address(path, query = {}) {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== undefined && one !== null) parameters.append(name, String(one));
      }
    }
    const tail = parameters.toString();
    return this.url + path + (tail ? `?${tail}` : "");
  }

  /**
   * call sends a request and returns a successful answer. It tries again after 429 and 503, which
   * the server answers before it does or charges anything, unless it asks to wait for longer than
   * maxWait.
   * @param {string} method
   * @param {string} path
   * @param {CallOptions & {query?: object | undefined, body?: object | undefined, retries?: number | undefined, keyless?: boolean | undefined}} [options] Keyless leaves the key out.
   */
  async call(method, path, { query, body, retries = this.#retries, keyless = false, signal } = {}) {
    /** @type {Record<string, string>} */
    const headers = {};
    if (this.key && !keyless) headers["authorization"] = `Bearer ${this.key}`;
    if (body) headers["content-type"] = "application/json";
    /** @type {RequestInit} */
    const init = { method, headers, signal: signal ?? null, body: body ? JSON.stringify(body) : null };
    for (let tries = 0; ; tries += 1) {
      let answer;
      try {
        answer = await this.#fetch(this.address(path, query), init);
      } catch (cause) {
        signal?.throwIfAborted();
        throw new VaakError("network_error", `${this.url} could not be reached`, { cause });
      }
      if (answer.ok) return answer;
      const error = await refusal(answer);
      signal?.throwIfAborted();
      const wait = error.retryAfter ?? 0.25 * 2 ** tries;
      if (![429, 503].includes(answer.status) || tries >= retries || wait > this.#maxWait) throw error;
      await sleep(wait, signal);
    }
  }

  /**
   * json is call for an answer in JSON.
   * @param {string} method
   * @param {string} path
   * @param {CallOptions & {query?: object | undefined, body?: object | undefined}} [options]
   * @returns {Promise<any>}
   */
  async json(method, path, options) {
    const answer = await this.call(method, path, options);
    if (answer.status === 204) return undefined;
    try {
      return await answer.json();
    } catch (cause) {
      options?.signal?.throwIfAborted();
      throw new VaakError("invalid_answer", "the answer of the server is no JSON", {
        status: answer.status, requestId: answer.headers.get("x-request-id") ?? undefined, cause,
      });
    }
  }
}

/**
 * sleep waits for a while, a little more for some than for others so that they do not come back
 * together.
 * @param {number} seconds
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<void>}
 */
function sleep(seconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, 1000 * seconds * (1 + Math.random() / 10));
    signal?.addEventListener("abort", stop, { once: true });
  });
}
