// Package decode reads recordings as samples per channel: WAV in its many variants, FLAC, MP3,
// Ogg Opus and SPHERE.
//
// Recordings are other people's files, so no header is believed. The declared length is
// compared with the real one, memory does not grow with the length of the file, and a file that
// would decode to endless samples is refused. If the library for a format is missing,
// recordings in it are refused with a message that names the library.
//
// Each format is a package below this one and a row of the table in this file. They share the
// package recording, which also has the types that callers see.
package decode

import (
	"vaak/audio/decode/flac"
	"vaak/audio/decode/mp3"
	"vaak/audio/decode/ogg"
	"vaak/audio/decode/recording"
	"vaak/audio/decode/sphere"
	"vaak/audio/decode/wav"
)

// formats returns the formats; the first one that matches is used. FLAC stands before MP3 because
// MP3 takes every file that begins with an ID3 tag, and such a tag may precede FLAC too.
func formats() []recording.Format {
	return []recording.Format{
		wav.Format(),
		flac.Format(),
		ogg.Format(),
		sphere.Format(),
		mp3.Format(),
	}
}

// Open returns the stream of a recording. It recognizes the format by the first bytes, never by
// a file name. It reads src from its beginning, wherever src is positioned, and leaves it
// positioned anywhere. If the file is not a recording, is of a kind that is not supported, or
// exceeds the limits, the error is a [*fault.Error] with a code of package recording.
func Open(src recording.Source, limits recording.Limits) (recording.Stream, error) {
	return recording.Open(src, limits, formats())
}
