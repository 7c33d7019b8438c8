/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * rand and srand for the library, which calls rand for every sample of a voice with breath.
 *
 * The numbers are those of the C library of GNU, to the bit (random_r.c, TYPE_3: an
 * additive feedback generator, x^31 + x^3 + 1), so the samples are the same. But it locks
 * and unlocks for each number, which makes up some 7 % of the time in which such a voice
 * speaks. Here 31 numbers are made at a time, without a lock: only one thread of this
 * program speaks.
 */
#include <stdint.h>
#include <stdlib.h>

enum { DEGREE = 31, SEPARATION = 3, WARM_UP = 10 * DEGREE };

static uint32_t state[DEGREE];
static int next = DEGREE; /* the first number of `state` that was not given out */

static void refill(void)
{
	for (int i = 0; i < SEPARATION; i++)
		state[i] += state[DEGREE - SEPARATION + i];
	for (int i = SEPARATION; i < DEGREE; i++)
		state[i] += state[i - SEPARATION];
	next = 0;
}

void srand(unsigned seed)
{
	int64_t word = (int32_t)(seed ? seed : 1);

	for (int i = 0; i < DEGREE; i++) {
		state[(i + DEGREE - SEPARATION) % DEGREE] = (uint32_t)word;
		word = word * 16807 % 2147483647;
		word += word < 0 ? 2147483647 : 0;
	}
	for (int i = 0; i < WARM_UP; i += DEGREE)
		refill();
	next = DEGREE;
}

int rand(void)
{
	if (next == DEGREE)
		refill();
	return (int)(state[next++] >> 1);
}
