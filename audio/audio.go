// Package audio describes mono 16-bit PCM and the formats it can be sent in.
//
// Audio flows through chained writers: an engine writes PCM into tempo, tempo
// into resample, resample into codec, codec into the response. A write that
// blocks is the backpressure, and Close flushes down the chain.
package audio

import (
	"fmt"
	"slices"
)

// Writer takes mono signed 16-bit samples at a rate agreed on beforehand.
//
// WritePCM does not keep pcm after it returns. Close flushes what the writer
// holds back, closes the writer it feeds, and must be called once; after an
// error of WritePCM it releases resources and returns an error.
type Writer interface {
	WritePCM(pcm []int16) error
	Close() error
}

// Codec names an audio format as the response_format parameter does.
type Codec string

// The eight formats of the service.
const (
	MP3  Codec = "mp3"
	Opus Codec = "opus"
	AAC  Codec = "aac"
	FLAC Codec = "flac"
	WAV  Codec = "wav"
	PCM  Codec = "pcm"
	ULaw Codec = "ulaw"
	ALaw Codec = "alaw"
)

// Codecs lists every format of the contract, in the order in which it names them.
var Codecs = []Codec{MP3, Opus, AAC, FLAC, WAV, PCM, ULaw, ALaw}

// DefaultSampleRate is used when a request names none, in Hz.
const DefaultSampleRate = 24000

// SampleRates lists the rates that can be asked for, in Hz, ascending.
var SampleRates = []int{8000, 16000, 22050, 24000, 32000, 44100, 48000}

// Lossy reports whether the codec has a bit rate that can be chosen.
func (c Codec) Lossy() bool { return c == MP3 || c == Opus || c == AAC }

// Known reports whether c is one of [Codecs].
func (c Codec) Known() bool { return slices.Contains(Codecs, c) }

// Format is what a response is encoded as.
type Format struct {
	Codec       Codec
	SampleRate  int // Hz, one of SampleRates
	BitrateKbps int // of the lossy codecs; 0 = the codec's default
}

// ContentType returns the media type of the format. It is always true of the
// bytes: raw formats carry their rate as a parameter.
func (f Format) ContentType() string {
	switch f.Codec {
	case MP3:
		return "audio/mpeg"
	case Opus:
		return "audio/ogg"
	case AAC:
		return "audio/aac"
	case FLAC:
		return "audio/flac"
	case WAV:
		return "audio/wav"
	case ULaw:
		if f.SampleRate == 8000 {
			return "audio/basic"
		}
		return fmt.Sprintf("audio/PCMU; rate=%d", f.SampleRate)
	case ALaw:
		if f.SampleRate == 8000 {
			return "audio/x-alaw-basic"
		}
		return fmt.Sprintf("audio/PCMA; rate=%d", f.SampleRate)
	default:
		return fmt.Sprintf("audio/pcm; rate=%d; channels=1", f.SampleRate)
	}
}

// Extension returns the usual file name extension, without the dot.
func (f Format) Extension() string {
	if f.Codec == Opus {
		return "ogg"
	}
	return string(f.Codec)
}
