/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What libespeak-ng.a asks for and this program never uses: playing to a sound
 * card, and rates over 450 words a minute. With these stubs the worker links
 * statically. The shared library would bring thirty others with it (sound,
 * X11, D-Bus), whose mappings every fork would copy and every exit tear down.
 */
#include <stdlib.h>

#define UNUSED(name)          \
	void name(void);      \
	void name(void)       \
	{                     \
		abort();      \
	}

/* Called by espeak_Initialize in every mode; there is no sound card. */
void *create_audio_device_object(const char *, const char *, const char *);
void *create_audio_device_object(const char *device, const char *application, const char *description)
{
	(void)device, (void)application, (void)description;
	return NULL;
}

UNUSED(audio_object_open)
UNUSED(audio_object_close)
UNUSED(audio_object_destroy)
UNUSED(audio_object_write)
UNUSED(audio_object_drain)
UNUSED(audio_object_flush)
UNUSED(audio_object_strerror)
UNUSED(sonicCreateStream)
UNUSED(sonicDestroyStream)
UNUSED(sonicFlushStream)
UNUSED(sonicGetSpeed)
UNUSED(sonicSetSpeed)
UNUSED(sonicReadShortFromStream)
UNUSED(sonicWriteShortToStream)
