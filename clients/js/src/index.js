// The client of a Vaak server: speech, live sessions, and the catalogue.
/** @import * as Types from "./types.js" */

export { captions } from "./captions.js";
export { VaakError } from "./error.js";
export { Live } from "./live.js";
export { Player } from "./player.js";
export { SpeechStream, Vaak } from "./vaak.js";

/** @typedef {Types.Dataset} Dataset */
/** @typedef {Types.DatasetBrief} DatasetBrief */
/** @typedef {Types.DatasetList} DatasetList */
/** @typedef {Types.DatasetQuery} DatasetQuery */
/** @typedef {Types.EnquiryReceipt} EnquiryReceipt */
/** @typedef {Types.EnquiryRequest} EnquiryRequest */
/** @typedef {Types.FacetCounts} FacetCounts */
/** @typedef {Types.FacetQuery} FacetQuery */
/** @typedef {Types.Language} Language */
/** @typedef {Types.LiveCancelled} LiveCancelled */
/** @typedef {Types.LiveDone} LiveDone */
/** @typedef {Types.LiveQuery} LiveQuery */
/** @typedef {Types.LiveWord} LiveWord */
/** @typedef {Types.NewToken} NewToken */
/** @typedef {Types.Reading} Reading */
/** @typedef {Types.SpeechRequest} SpeechRequest */
/** @typedef {Types.Token} Token */
/** @typedef {Types.TokenRequest} TokenRequest */
/** @typedef {Types.Voice} Voice */
/** @typedef {import("./http.js").CallOptions} CallOptions */
/** @typedef {import("./live.js").LiveEvent} LiveEvent */
/** @typedef {import("./vaak.js").LiveOptions} LiveOptions */
/** @typedef {import("./vaak.js").Speech} Speech */
/** @typedef {import("./vaak.js").SpeechAbout} SpeechAbout */
