/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The protocol between Vaak and its espeak worker. One connection is one
 * utterance: the client writes one request, the worker answers with frames and
 * closes. The first frame of audio comes unasked; for each one after it the
 * client writes a demand, so that the worker makes no more than is wanted.
 * Closing the connection early cancels. Integers are little-endian.
 *
 * Request
 *   u32 magic, u32 flags, u32 rate, u32 pitch, u32 range, u32 volume,
 *   u32 voice_len, u32 text_len, voice bytes, text bytes (UTF-8)
 *
 *   With FLAG_TRANSCRIBE the text is not spoken: the answer is how it would be
 *   read. The numbers are ignored, and there is no demand.
 *
 * Demand
 *   u32 bytes of audio that the next frame is to have, at most MAX_AUDIO_FRAME;
 *   demands may be written ahead, right behind the request even
 *
 * Frame
 *   u32 head = type << 24 | payload length, payload
 *
 *   hello  u32 process id of the child; always the first frame, sent at once, so
 *          that the client knows whom it waits for
 *   words  n times { u32 position, u32 length, u32 sample }: a word of `length`
 *          code points at code point `position` begins at `sample`; sent before
 *          the audio that it begins in
 *   audio  mono s16 samples at the rate that the worker announced
 *   clause u32 end, phonemes in UTF-8: how the next clause is read, a space
 *          between two words and a bar between two phonemes; `end` is the byte
 *          of the text behind the first character of the clause that follows, or
 *          the length of the text
 *   end    u32 number of samples sent; the last frame of a whole utterance
 *   error  a sentence in UTF-8; the last frame of a refused request
 *   crash  u32 signal: the library could not speak the text; the last frame
 *
 * A connection that ends with none of the three belongs to a child that was
 * killed from outside, or that never came to be.
 */
#ifndef VAAK_PROTOCOL_H
#define VAAK_PROTOCOL_H

#include <stdint.h>

#define REQUEST_MAGIC 0x31454b56u /* "VKE1" */

enum {
	FLAG_PHONEMES = 1 << 0, /* text is espeak phoneme mnemonics, one word a bracket */
	FLAG_END_PAUSE = 1 << 1, /* keep the pause that ends a sentence */
	FLAG_TRANSCRIBE = 1 << 2 /* clauses, not audio; in IPA, with FLAG_PHONEMES in mnemonics */
};

enum { FRAME_HELLO = 1, FRAME_WORDS = 2, FRAME_AUDIO = 3, FRAME_END = 4, FRAME_ERROR = 5, FRAME_CRASH = 6, FRAME_CLAUSE = 7 };

enum { MAX_VOICE = 64, MAX_TEXT = 1 << 20, MAX_AUDIO_FRAME = 32 << 10, MAX_WORDS = 1024, MAX_CLAUSE = 16 << 10 };

struct request {
	uint32_t magic, flags, rate, pitch, range, volume, voice_len, text_len;
};

struct word {
	uint32_t position, length, sample;
};

/* speak answers the one request that comes over fd. It runs in a child that
 * does nothing else and exits with the status returned. If `loaded` is not "",
 * it is the voice that is set already, and the only one that can be asked for. */
int speak(int fd, const char *loaded);

#endif
