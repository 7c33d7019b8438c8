// Package measure measures recordings: what they are, how they sound, and how the people on
// them talk to each other.
//
// Every figure is computed from the decoded samples and never copied from a header or a card.
// Each group of figures names its method and version. The same bytes always give the same
// figures. A file is read once, as a stream. Memory does not grow with its length, except for 3
// bytes per channel and 10 ms, for 16 bytes per channel and second of the first hour, for 128 bytes
// per channel and second to find tones, and for the list of who spoke when. An hour of one processor
// measures at least 400 hours of calls of two channels at 8 kHz.
package measure

import (
	"context"
	"io"
	"io/fs"

	"vaak/catalogue"
	"vaak/catalogue/measure/fingerprint"
	"vaak/catalogue/measure/talk"
	"vaak/catalogue/measure/tune"
)

// Method is the name and version of the method that measures a file. It must change whenever a
// figure may change: the cache is keyed by it.
const Method = "vaak-audio/1.3"

// The method of a conversation profile; see [catalogue.Method].
const (
	ProfileMethod  = "conv"
	ProfileVersion = "1.3"
	Tool           = "vaak"
)

// Interval is a stretch of time, in seconds from the start of a recording.
type Interval = talk.Interval

// Recording has the measurements of one file. It holds only what follows from the bytes and
// from [Method], and is cached as JSON.
type Recording struct {
	Method       string  `json:"method"`
	SHA256       string  `json:"sha256"` // hex
	SizeBytes    int64   `json:"sizeBytes"`
	Container    string  `json:"container"`
	Codec        string  `json:"codec"`
	SampleRateHz int     `json:"sampleRateHz"`
	Bits         int     `json:"bitsPerSample,omitempty"` // 0 for lossy codecs
	Channels     int     `json:"channels"`
	Frames       int64   `json:"frames"` // samples per channel, counted by decoding all of them
	DurationS    float64 `json:"durationS"`

	// Layout is what the channels hold: "dual" (one speaker each), "stereo" or
	// "multichannel" (a mix), or "mono".
	Layout string `json:"layout"`
	// Profile is without the figures of a transcript. Its Method.MeasuredAt is empty.
	Profile catalogue.Profile `json:"profile"`
	// Speech has the inter-pausal units of each channel.
	Speech [][]Interval `json:"speech"`
	// Unspoken has the tones and the music of each channel.
	Unspoken [][]tune.Stretch `json:"unspoken,omitempty"`
	// Prints are the fingerprints of the channels, by which other recordings of the same sound
	// are found. See [Duplicates].
	Prints []fingerprint.Print `json:"prints,omitempty"`
	// Peaks are the highest magnitudes (0 to 1) of 200 equal parts of each channel. A
	// recording with fewer samples has fewer parts.
	Peaks [][]float64 `json:"peaks"`
}

// Cache keeps measurements by the SHA-256 of the file and by [Method].
type Cache interface {
	// Measured returns the JSON of a measurement, and false if there is none.
	Measured(ctx context.Context, sha256, method string) ([]byte, bool, error)
	// KeepMeasured stores the JSON of a measurement.
	KeepMeasured(ctx context.Context, sha256, method string, report []byte) error
}

// Opener opens a file by its path in its folder.
type Opener interface {
	Open(path string) (File, error)
}

// File is an open audio file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
	Stat() (fs.FileInfo, error)
}
