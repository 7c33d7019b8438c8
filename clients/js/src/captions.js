/** @import { LiveWord } from "./types.js" */

const columns = 42; // of a line
const lines = 2; // of a caption
const longest = 6000; // milliseconds that a caption lasts
const pause = 800; // milliseconds of silence that end a caption

/**
 * captions writes words with their times as WebVTT or SubRip. A caption has at most two lines of
 * 42 columns, lasts at most six seconds, and ends with a sentence where it can.
 * @param {Iterable<LiveWord>} words
 * @param {{format?: "vtt" | "srt" | undefined}} [options]
 */
export function captions(words, { format = "vtt" } = {}) {
  /** @type {{start: number, end: number, lines: string[]}[]} */
  const cues = [];
  /** @type {LiveWord | undefined} */
  let last;
  for (const word of words) {
    const cue = cues.at(-1);
    // Words of scripts without spaces follow each other at once.
    const gap = last && word.char_offset > last.char_offset + length(last.text) ? " " : "";
    const line = (cue?.lines.at(-1) ?? "") + gap + word.text;
    const fits = width(line) <= columns;
    if (!cue || !last || word.end_ms - cue.start > longest || word.start_ms - cue.end > pause || sentence.test(last.text) || (!fits && cue.lines.length === lines)) {
      cues.push({ start: word.start_ms, end: word.end_ms, lines: [word.text] });
    } else {
      cue.end = word.end_ms;
      if (fits) cue.lines[cue.lines.length - 1] = line;
      else cue.lines.push(word.text);
    }
    last = word;
  }
  const mark = format === "vtt" ? "." : ",";
  const written = cues.map(({ start, end, lines: text }, i) =>
    `${format === "srt" ? `${i + 1}\n` : ""}${time(start, mark)} --> ${time(end, mark)}\n${text.map((l) => (format === "vtt" ? escaped(l) : l)).join("\n")}\n`);
  return (format === "vtt" ? ["WEBVTT\n", ...written] : written).join("\n");
}

const sentence = /[.!?…。！？।॥։؟۔።]["'”’»)\]]*$/u;

const length = (/** @type {string} */ text) => [...text].length;

// A character of Chinese, Japanese or Korean has two columns, a mark none.
const width = (/** @type {string} */ text) =>
  [...text].reduce((n, c) => n + (/\p{M}/u.test(c) ? 0 : /[\u1100-\u115f\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/u.test(c) ? 2 : 1), 0);

const escaped = (/** @type {string} */ text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * @param {number} ms
 * @param {string} mark
 */
function time(ms, mark) {
  const two = (/** @type {number} */ n) => String(Math.floor(n)).padStart(2, "0");
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${mark}${String(Math.round(ms) % 1000).padStart(3, "0")}`;
}
