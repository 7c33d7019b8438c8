// Package measure measures recordings: what they are, how they sound, and how the
// people on them talk to each other.
//
// Each figure is computed from the decoded samples, never taken from a header or
// a card, and each block says by which method and version. The same bytes give
// the same figures. A file is read once, in a stream; memory does not grow with
// its length, but for 2.5 bytes of each channel every 10 ms and the list of who spoke
// when.
package measure

import (
	"context"
	"io"
	"io/fs"

	"vaak/catalogue"
	"vaak/catalogue/measure/talk"
)

// Method is the name and version of what measures a file. It changes whenever a
// figure may: what was kept under another name is measured again.
const Method = "vaak-audio/1.2"

// The method of a conversation profile, as [catalogue.Method] tells it.
const (
	ProfileMethod  = "conv"
	ProfileVersion = "1.2"
	Tool           = "vaak"
)

// Interval is a stretch of time, in seconds from the start of a recording.
type Interval = talk.Interval

// Recording is what one file measures. It holds nothing but what follows from
// the bytes and [Method], and is kept as JSON.
type Recording struct {
	Method       string  `json:"method"`
	SHA256       string  `json:"sha256"` // hex
	SizeBytes    int64   `json:"sizeBytes"`
	Container    string  `json:"container"`
	Codec        string  `json:"codec"`
	SampleRateHz int     `json:"sampleRateHz"`
	Bits         int     `json:"bitsPerSample,omitempty"` // 0 of lossy codecs
	Channels     int     `json:"channels"`
	Frames       int64   `json:"frames"` // samples per channel, decoded to the end
	DurationS    float64 `json:"durationS"`

	// Layout is what the channels hold: "dual" (a speaker each), "stereo" or
	// "multichannel" (a mix) or "mono".
	Layout string `json:"layout"`
	// Profile is without what a transcript tells. Method.MeasuredAt is empty.
	Profile catalogue.Profile `json:"profile"`
	// Speech says when each channel speaks: its inter-pausal units.
	Speech [][]Interval `json:"speech"`
	// Peaks are the highest magnitudes (0..1) of equal parts of the recording, per
	// channel: 200 of them, fewer of a recording shorter than 200 samples.
	Peaks [][]float64 `json:"peaks"`
}

// Cache keeps recordings by the SHA-256 of their file and [Method].
type Cache interface {
	// Measured returns the JSON of a recording; false when there is none.
	Measured(ctx context.Context, sha256, method string) ([]byte, bool, error)
	// KeepMeasured keeps it.
	KeepMeasured(ctx context.Context, sha256, method string, report []byte) error
}

// Opener opens a file to be measured, by its path in its folder.
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
