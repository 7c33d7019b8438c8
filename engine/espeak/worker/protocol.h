/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The protocol between Vaak and its espeak worker. One connection is one
 * utterance: the client writes one request, and the worker answers with frames
 * and closes. The first audio frame comes without a demand. For each further one
 * the client writes a demand, so that the worker makes no more than is wanted.
 * Closing the connection early cancels the work. Integers are little-endian.
 *
 * Request
 *   u32 magic, u32 flags, u32 rate, u32 pitch, u32 range, u32 volume,
 *   u32 voice_len, u32 text_len, voice bytes, text bytes (UTF-8)
 *
 *   With FLAG_TRANSCRIBE the text is not spoken: the answer tells how it is
 *   read. Rate, pitch, range and volume are ignored, and there are no demands.
 *
 * Demand
 *   u32 bytes of audio for the next frame, at most MAX_AUDIO_FRAME; demands may
 *   be written ahead, even together with the request
 *
 * Frame
 *   u32 head = type << 24 | payload length, payload
 *
 *   hello  u32 process id of the child; always the first frame, sent before the
 *          request is read, so that the client knows the process it waits for.
 *          The request may come any time after it
 *   words  n times { u32 position, u32 length, u32 sample }: a word of `length`
 *          code points at code point `position` begins at `sample`; sent before
 *          the audio in which it begins
 *   audio  mono s16 samples at the rate that the worker announced
 *   clause u32 end, phonemes in UTF-8: how the next clause is read, with a space
 *          between words and a bar between phonemes; `end` is the offset after
 *          the first character of the following clause (the library reads that
 *          character too), or the length of the text
 *   end    u32 number of samples sent; the last frame of a complete utterance
 *   error  a sentence in UTF-8; the last frame of a refused request
 *   crash  u32 signal: the library crashed over the text; the last frame
 *
 * If a connection ends without one of these three, the child was killed from
 * outside or could not be forked.
 */
#ifndef VAAK_PROTOCOL_H
#define VAAK_PROTOCOL_H

#include <stdint.h>

#define REQUEST_MAGIC 0x31454b56u /* "VKE1" */

enum {
	FLAG_PHONEMES = 1 << 0, /* text is espeak phoneme mnemonics, each word in [[ ]] */
	FLAG_END_PAUSE = 1 << 1, /* keep the pause that ends a sentence */
	FLAG_TRANSCRIBE = 1 << 2 /* send clauses instead of audio: in IPA, or with FLAG_PHONEMES in mnemonics */
};

enum { FRAME_HELLO = 1, FRAME_WORDS = 2, FRAME_AUDIO = 3, FRAME_END = 4, FRAME_ERROR = 5, FRAME_CRASH = 6, FRAME_CLAUSE = 7 };

enum { MAX_VOICE = 64, MAX_TEXT = 1 << 20, MAX_AUDIO_FRAME = 32 << 10, MAX_WORDS = 1024, MAX_CLAUSE = 16 << 10 };

/* IDLE is the name of a child's process while it waits for its request. */
#define IDLE "vaak-idle-child"

struct request {
	uint32_t magic, flags, rate, pitch, range, volume, voice_len, text_len;
};

struct word {
	uint32_t position, length, sample;
};

/* speak answers the one request that comes over fd. It runs in a child process,
 * which does nothing else and exits with the returned status. If `loaded` is not
 * "", it is the voice that is set already; requests for others are refused. */
int speak(int fd, const char *loaded);

/* speak_once speaks a short text in the loaded voice, or in any if there is none, up to
 * the first frame, which nobody gets. */
int speak_once(const char *loaded);

/* rehearse has a child call `speak_once`, and remembers what memory it needed. */
void rehearse(const char *loaded);

/* make_ready gets that memory for this process. */
void make_ready(void);

#endif
