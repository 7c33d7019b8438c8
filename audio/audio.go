// Package audio defines mono 16-bit PCM and the formats in which it is sent.
//
// Audio flows through chained writers: an engine writes PCM into tempo, tempo into
// resample, resample into codec, and codec into the response. A write that blocks holds up
// all writers before it (backpressure). Close flushes all writers after it.
package audio

import (
	"fmt"
	"slices"
)

// Writer accepts mono signed 16-bit samples at a rate that both sides know.
//
// WritePCM does not retain pcm. Close flushes what the writer holds back, closes the writer
// that it feeds, and must be called once. After an error of WritePCM, Close frees resources
// and returns an error.
type Writer interface {
	WritePCM(pcm []int16) error
	Close() error
}

// Codec is an audio format, named as in the parameter response_format.
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

// Codecs lists all formats, in the order in which the API names them.
var Codecs = []Codec{MP3, Opus, AAC, FLAC, WAV, PCM, ULaw, ALaw}

// DefaultSampleRate is used if a request names no rate, in Hz.
const DefaultSampleRate = 24000

// SampleRates lists the rates that a request may name, in Hz, ascending.
var SampleRates = []int{8000, 16000, 22050, 24000, 32000, 44100, 48000}

// Lossy reports whether a bit rate can be chosen for the codec.
func (c Codec) Lossy() bool { return c == MP3 || c == Opus || c == AAC }

// Known reports whether c is one of [Codecs].
func (c Codec) Known() bool { return slices.Contains(Codecs, c) }

// Format is the format of a response.
type Format struct {
	Codec       Codec
	SampleRate  int // Hz, one of SampleRates
	BitrateKbps int // of a lossy codec; 0 = the codec's default
}

// ContentType returns the media type of the format. Formats without a header have their rate
// as a parameter, except where the type fixes it at 8,000 Hz.
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
