// Package audio defines mono 16-bit PCM and the formats in which it is sent.
//
// Audio flows through chained writers: an engine writes PCM into tempo, tempo into
// resample, resample into codec, and codec into the response. A write that blocks holds up
// all writers before it (backpressure). Close flushes all writers after it.
package audio

import (
	"cmp"
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

// DefaultSampleRate is used if a request names no rate, in Hz.
const DefaultSampleRate = 24000

// SampleRates lists the rates that a request may name, in Hz, ascending.
var SampleRates = []int{8000, 16000, 22050, 24000, 32000, 44100, 48000}

// Format is the format of a response.
type Format struct {
	Codec       Codec
	SampleRate  int // Hz, one of SampleRates
	BitrateKbps int // of a lossy codec; 0 = the codec's default
}

// ContentType returns the media type of the format. Formats without a header have their rate
// as a parameter, except where the type fixes it at 8,000 Hz.
func (f Format) ContentType() string {
	t := f.Codec.traits()
	// An unknown codec has no media type of its own; its bytes are taken for PCM.
	if len(t.media) == 0 {
		t = PCM.traits()
	}
	m := t.media[slices.IndexFunc(t.media, func(m Media) bool { return m.onlyAt == 0 || m.onlyAt == f.SampleRate })]
	if m.parameters == "" {
		return m.Type
	}
	return m.Type + fmt.Sprintf(m.parameters, f.SampleRate)
}

// Extension returns the usual file name extension, without the dot.
func (f Format) Extension() string { return f.Codec.Extension() }

// BytesPerSecond returns how many bytes a second of audio takes in the format, without headers;
// of a lossy codec at its bit rate, or at its default one. A lossless codec may take fewer.
func (f Format) BytesPerSecond() int {
	t := f.Codec.traits()
	if t.standardKbps == 0 {
		return t.sampleBytes * f.SampleRate
	}
	return cmp.Or(f.BitrateKbps, t.standardKbps) * 1000 / 8
}
