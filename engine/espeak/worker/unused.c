/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Functions that libespeak-ng.a needs to link and this program never calls: those
 * for sound cards, and for rates over 450 words a minute. With these stubs the
 * worker links statically. The shared library would load thirty others (sound,
 * X11, D-Bus), whose mappings every fork would copy and every exit would remove.
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
