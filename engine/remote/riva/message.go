package riva

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	"vaak/engine/remote/wire"
)

// The numbers of the fields of Riva's messages, as riva_tts.proto of the protocol defines them.
const (
	requestText          = 1
	requestLanguage      = 2
	requestEncoding      = 3
	requestRate          = 4
	requestVoice         = 5
	requestZeroShot      = 6
	requestDictionary    = 7
	requestConfiguration = 8
	requestTimes         = 9

	zeroShotAudio    = 1
	zeroShotRate     = 2
	zeroShotEncoding = 3
	zeroShotQuality  = 4

	responseAudio = 1
	responseMeta  = 2
	metaWord      = 9
	wordText      = 1
	wordStart     = 2 // ms
	wordEnd       = 3 // ms

	configName = 1 // of RivaSynthesisConfigRequest

	configModel      = 1 // of RivaSynthesisConfigResponse
	modelName        = 1
	modelParameters  = 2
	mapKey, mapValue = 1, 2

	linearPCM = 1 // of AudioEncoding: signed 16 bit samples, little-endian
)

// message is a message of the protocol, which is either sent or received.
type message interface {
	marshal() []byte
	// unmarshal reads a message. It keeps nothing of b.
	unmarshal(b []byte)
}

// codec hands messages to gRPC. It is given to each call, not registered, so that other users of
// gRPC in the program keep theirs.
type codec struct{}

func (codec) Name() string { return "proto" }

func (codec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(message)
	if !ok {
		return nil, fmt.Errorf("%T is no message of Riva", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(m.marshal())}, nil
}

func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(message)
	if !ok {
		return fmt.Errorf("%T is no message of Riva", v)
	}
	b := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer b.Free()
	m.unmarshal(b.ReadOnlyData())
	return nil
}

// request is a SynthesizeSpeechRequest.
type request struct {
	text, language, voice string
	rate                  int // Hz
	reference             []byte
	referenceRate         int // Hz, 0 where it is not known
	quality               int // 0 is the server's own
	dictionary            string
	configuration         [][2]string
	times                 bool // of words are wanted
}

func (r *request) marshal() []byte {
	b := make([]byte, 0, len(r.text)+len(r.reference)+len(r.dictionary)+256)
	b = appendString(b, requestText, r.text)
	b = appendString(b, requestLanguage, r.language)
	b = appendInt(b, requestEncoding, linearPCM)
	b = appendInt(b, requestRate, r.rate)
	b = appendString(b, requestVoice, r.voice)
	if r.reference != nil {
		var z []byte
		z = protowire.AppendTag(z, zeroShotAudio, protowire.BytesType)
		z = protowire.AppendBytes(z, r.reference)
		z = appendInt(z, zeroShotRate, r.referenceRate)
		z = appendInt(z, zeroShotEncoding, linearPCM)
		z = appendInt(z, zeroShotQuality, r.quality)
		b = protowire.AppendTag(b, requestZeroShot, protowire.BytesType)
		b = protowire.AppendBytes(b, z)
	}
	b = appendString(b, requestDictionary, r.dictionary)
	for _, pair := range r.configuration {
		var entry []byte
		entry = appendString(entry, mapKey, pair[0])
		entry = appendString(entry, mapValue, pair[1])
		b = protowire.AppendTag(b, requestConfiguration, protowire.BytesType)
		b = protowire.AppendBytes(b, entry)
	}
	if r.times {
		b = appendInt(b, requestTimes, 1)
	}
	return b
}

func (*request) unmarshal([]byte) {}

// response is a SynthesizeSpeechResponse.
type response struct {
	audio []byte      // grown and used again by the next message
	words []wire.Word // that begin in this audio, or before
	bad   error       // the message is none of the protocol
}

func (*response) marshal() []byte { return nil }

func (r *response) unmarshal(b []byte) {
	r.audio, r.words = r.audio[:0], r.words[:0]
	r.bad = fields(b, func(n protowire.Number, v []byte) error {
		switch n {
		case responseAudio:
			r.audio = append(r.audio[:0], v...) // the last one counts
		case responseMeta:
			return fields(v, func(n protowire.Number, v []byte) error {
				if n != metaWord {
					return nil
				}
				if len(r.words) == maxWords {
					return errTooMany
				}
				w, err := readWord(v)
				r.words = append(r.words, w)
				return err
			}, nil)
		}
		return nil
	}, nil)
}

// readWord reads a WordTiming.
func readWord(b []byte) (w wire.Word, err error) {
	err = fields(b, func(n protowire.Number, v []byte) error {
		if n == wordText {
			return text(&w.Text, v)
		}
		return nil
	}, func(n protowire.Number, v uint64) {
		at := time.Duration(int32(v)) * time.Millisecond
		switch n {
		case wordStart:
			w.Start = at
		case wordEnd:
			w.End = at
		}
	})
	return w, err
}

// configRequest is a RivaSynthesisConfigRequest.
type configRequest struct {
	model string // "" asks for all
}

func (r *configRequest) marshal() []byte { return appendString(nil, configName, r.model) }

func (*configRequest) unmarshal([]byte) {}

// configResponse is a RivaSynthesisConfigResponse.
type configResponse struct {
	models []modelConfig
	bad    error // the message is none of the protocol
}

type modelConfig struct {
	name       string
	parameters map[string]string
}

// Bounds of what a server can tell.
const (
	maxModels     = 1000
	maxParameters = 200
	maxWords      = 10_000 // of an answer
)

var errTooMany = errors.New("too many models, parameters or words")

func (*configResponse) marshal() []byte { return nil }

func (r *configResponse) unmarshal(b []byte) {
	r.models = nil
	r.bad = fields(b, func(n protowire.Number, v []byte) error {
		if n != configModel {
			return nil
		}
		if len(r.models) == maxModels {
			return errTooMany
		}
		m := modelConfig{parameters: map[string]string{}}
		err := fields(v, func(n protowire.Number, v []byte) error {
			switch n {
			case modelName:
				return text(&m.name, v)
			case modelParameters:
				if len(m.parameters) == maxParameters {
					return errTooMany
				}
				var key, value string
				err := fields(v, func(n protowire.Number, v []byte) error {
					switch n {
					case mapKey:
						return text(&key, v)
					case mapValue:
						return text(&value, v)
					}
					return nil
				}, nil)
				m.parameters[key] = value
				return err
			}
			return nil
		}, nil)
		r.models = append(r.models, m)
		return err
	}, nil)
}

// fields calls f for each field of a message that has bytes, and number, unless that is nil, for
// each that has a varint. It skips the others.
func fields(b []byte, f func(protowire.Number, []byte) error, number func(protowire.Number, uint64)) error {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		length := protowire.ConsumeFieldValue(field, kind, b)
		if length < 0 {
			return protowire.ParseError(length)
		}
		switch kind {
		case protowire.BytesType:
			v, _ := protowire.ConsumeBytes(b)
			if err := f(field, v); err != nil {
				return err
			}
		case protowire.VarintType:
			if number != nil {
				v, _ := protowire.ConsumeVarint(b)
				number(field, v)
			}
		}
		b = b[length:]
	}
	return nil
}

func text(to *string, v []byte) error {
	if !utf8.Valid(v) {
		return errors.New("a string is not UTF-8")
	}
	*to = string(v)
	return nil
}

// appendString appends a field, unless it has its default.
func appendString(b []byte, n protowire.Number, v string) []byte {
	if v == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), v)
}

// appendInt appends a field, unless it has its default. v is not negative.
func appendInt(b []byte, n protowire.Number, v int) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), uint64(v))
}

// wavRate returns the sample rate that a WAV file tells, in Hz, or 0.
func wavRate(b []byte) int {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WAVE" {
		return 0
	}
	for b = b[12:]; len(b) >= 16; {
		size := int64(binary.LittleEndian.Uint32(b[4:]))
		if string(b[:4]) == "fmt " {
			if rate := binary.LittleEndian.Uint32(b[12:]); rate <= 384000 {
				return int(rate)
			}
			return 0
		}
		size += 8 + size%2 // chunks begin at even places
		if size > int64(len(b)) {
			return 0
		}
		b = b[size:]
	}
	return 0
}
