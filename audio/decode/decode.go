// Package decode reads recordings: WAV in its many kinds, FLAC, MP3, Ogg Opus
// and SPHERE, as a stream of samples per channel.
//
// Recordings are somebody else's files, so nothing that a header says is
// believed: what a stream is said to hold is compared with what it holds, memory
// does not grow with its length, and a file that would unfold without end is
// refused. A format whose library this machine lacks is refused by name.
package decode

import "io"

// Container names what the samples are wrapped in.
type Container string

// The containers.
const (
	WAV    Container = "wav" // RIFF; RF64 and BW64 are told as "rf64"
	RF64   Container = "rf64"
	FLAC   Container = "flac"
	MP3    Container = "mp3" // bare frames
	Ogg    Container = "ogg"
	SPHERE Container = "sphere"
)

// Info says what a recording is.
type Info struct {
	Container Container
	// Codec is how samples are written: "pcm_u8", "pcm_s8", "pcm_s16", "pcm_s24",
	// "pcm_s32", "pcm_f32", "pcm_f64", "alaw", "mulaw", "flac", "mp3" or "opus".
	Codec         string
	SampleRate    int // Hz
	Channels      int // 1 to Limits.Channels
	BitsPerSample int // of lossless codecs; 0 of lossy ones
	// Frames is how many samples each channel has as the header says; -1 when it
	// does not say. A header that lies is found out by reading to the end.
	Frames int64
}

// Limits bound what a recording may ask for. The zero value is the default.
type Limits struct {
	Channels   int   // most channels; 0 is 8
	SampleRate int   // highest rate in Hz; 0 is 192000
	Frames     int64 // most samples per channel; 0 is 24 hours at the rate
}

// Stream is an open recording. It is not safe for concurrent use.
type Stream interface {
	// Info says what the recording is.
	Info() Info
	// Read fills planes, one slice of the same length for each channel, with up to
	// len(planes[0]) samples, full scale at -1 and 1, and returns how many. Samples
	// that are written as floats may lie beyond full scale; all are finite. At the
	// end it returns 0 and io.EOF; when the file ends before its samples do, or
	// holds what cannot be decoded, a *fault.Error that says where.
	Read(planes [][]float32) (int, error)
	// Close releases what the stream holds, not the file.
	Close() error
}

// Source is a file that can be read from any place.
type Source interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}
