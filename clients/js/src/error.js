/**
 * What went wrong, of every call. A call that was ended by its AbortSignal fails with the reason
 * of the signal instead.
 */
export class VaakError extends Error {
  /**
   * For programs: a code of the server, such as `voice_not_found`, or one of this client:
   * `network_error`, `connection_refused`, `connection_lost`, `invalid_answer`, `closed`.
   * @type {string}
   */
  code;
  /** @type {number | undefined} The HTTP status, if there was an answer. */
  status;
  /** @type {string | undefined} The id that the log of the server has too. */
  requestId;
  /** @type {string | undefined} The parameter or field at fault. */
  field;
  /** @type {number | undefined} Seconds to wait before another try. */
  retryAfter;

  /**
   * @param {string} code
   * @param {string} message
   * @param {{status?: number | undefined, requestId?: string | undefined, field?: string | undefined, retryAfter?: number | undefined, cause?: unknown}} [about]
   */
  constructor(code, message, about = {}) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.name = "VaakError";
    this.code = code;
    this.status = about.status;
    this.requestId = about.requestId;
    this.field = about.field;
    this.retryAfter = about.retryAfter;
  }
}

/**
 * refusal reads an answer that is no success.
 * @param {Response} answer
 */
export async function refusal(answer) {
  const text = await answer.text().catch(() => "");
  /** @type {any} */
  let body = {};
  try {
    body = JSON.parse(text) ?? {};
  } catch {
    // A proxy in front of the server answers in its own words.
  }
  const detail = body.detail ?? {};
  const error = typeof body.error === "object" ? body.error ?? {} : {};
  return new VaakError(
    detail.status ?? body.code ?? error.code ?? "http_error",
    detail.message ?? body.message ?? error.message ?? `the server answered with status ${answer.status}`,
    {
      status: answer.status,
      requestId: answer.headers.get("x-request-id") ?? undefined,
      field: error.param ?? body.parameter ?? body.field ?? undefined,
      retryAfter: waitOf(answer.headers),
    },
  );
}

/**
 * waitOf returns the seconds that an answer asks to wait.
 * @param {Headers} headers
 */
function waitOf(headers) {
  const ms = Number(headers.get("retry-after-ms") ?? NaN);
  const seconds = Number(headers.get("retry-after") ?? NaN);
  const wait = Number.isFinite(ms) ? ms / 1000 : seconds;
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined;
}
