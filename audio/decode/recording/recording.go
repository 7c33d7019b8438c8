// Package recording holds what all readers of recordings share: the description of a recording,
// the stream of its samples, the limits, and the errors.
//
// A format is a package of its own that returns a [Format]. Package decode lists the formats.
package recording

import "io"

// Container is the file format that holds the samples.
type Container string

// The containers.
const (
	WAV    Container = "wav" // RIFF; RF64 and BW64 are reported as "rf64"
	RF64   Container = "rf64"
	FLAC   Container = "flac"
	MP3    Container = "mp3" // frames without a container
	Ogg    Container = "ogg"
	SPHERE Container = "sphere"
)

// Info describes a recording.
type Info struct {
	Container Container
	// Codec is how samples are written: "pcm_u8", "pcm_s8", "pcm_s16", "pcm_s24", "pcm_s32",
	// "pcm_f32", "pcm_f64", "alaw", "mulaw", "flac", "mp3" or "opus".
	Codec         string
	SampleRate    int // Hz
	Channels      int // 1 to Limits.Channels
	BitsPerSample int // of lossless codecs; 0 for lossy ones
	// Frames is the number of samples per channel that the header declares, or -1 if it declares
	// none. Reading to the end verifies it.
	Frames int64
}

// Stream is an open recording. It is not safe for concurrent use.
type Stream interface {
	// Info describes the recording.
	Info() Info
	// Read fills planes, which has one slice of equal length per channel, with up to
	// len(planes[0]) samples, and returns how many. Full scale is -1 to 1; samples stored as
	// floats may exceed it, but all are finite. At the end it returns 0 and io.EOF. If the file
	// ends too early or cannot be decoded it returns a *fault.Error that says where.
	Read(planes [][]float32) (int, error)
	// Close frees the stream. It does not close the file.
	Close() error
}

// Source is a file that can be read at any offset.
type Source interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}
