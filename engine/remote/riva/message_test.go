package riva

import (
	"bytes"
	"math"
	"testing"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"vaak/engine/remote/riva/rivatest"
	"vaak/engine/remote/wire"
)

// FuzzResponse reads messages of audio. What the protobuf library takes must be read alike.
func FuzzResponse(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x0a\x04abcd"))
	f.Add([]byte("\x0a\x02ab\x12\x05\x0a\x03abc\x0a\x02cd"))
	f.Add([]byte("\x0a\xff\xff\xff\xff\x0fab"))
	f.Add([]byte("\x12\x0b\x4a\x09\x0a\x01a\x10\x80\x01\x18\xac\x02\x12\x05\x4a\x03\x0a\x01b"))
	f.Add([]byte("\x08\x01\x0b\x0b\x0c\x0c"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := response{audio: []byte("left from before")}
		r.unmarshal(b)
		m, err := rivatest.Decode("SynthesizeSpeechResponse", b)
		if err != nil || r.bad == errTooMany {
			return
		}
		want := m.Get(m.Descriptor().Fields().ByName("audio")).Bytes()
		if r.bad != nil || !bytes.Equal(r.audio, want) {
			t.Errorf("%x was read as %x, %v, want %x", b, r.audio, r.bad, want)
		}
		meta := m.Get(m.Descriptor().Fields().ByName("meta")).Message()
		words := meta.Get(meta.Descriptor().Fields().ByName("words")).List()
		if len(r.words) != words.Len() {
			t.Fatalf("%x has %d words, want %d", b, len(r.words), words.Len())
		}
		for i, got := range r.words {
			w := words.Get(i).Message()
			get := func(name protoreflect.Name) protoreflect.Value { return w.Get(w.Descriptor().Fields().ByName(name)) }
			want := wire.Word{
				Text:  get("word").String(),
				Start: time.Duration(get("start_time").Int()) * time.Millisecond,
				End:   time.Duration(get("end_time").Int()) * time.Millisecond,
			}
			if got != want {
				t.Errorf("%x: word %d is %v, want %v", b, i, got, want)
			}
		}
		if len(r.audio) > len(b) {
			t.Errorf("%d bytes of audio in %d bytes", len(r.audio), len(b))
		}
	})
}

// FuzzConfig reads lists of models. What the protobuf library takes must be read alike.
func FuzzConfig(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x0a\x12\x0a\x01m\x12\x0d\x0a\x03key\x12\x06\xd7\xa9\xd7\x9c\xd7\x95"))
	f.Add([]byte("\x0a\x0d\x12\x00\x12\x03\x0a\x01a\x12\x04\x12\x02bc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r configResponse
		r.unmarshal(b)
		for _, m := range r.models {
			m.read()
		}
		m, err := rivatest.Decode("RivaSynthesisConfigResponse", b)
		if err != nil || r.bad == errTooMany {
			return
		}
		list := m.Get(m.Descriptor().Fields().ByName("model_config")).List()
		if r.bad != nil || len(r.models) != list.Len() {
			t.Fatalf("%x has %d models, %v, want %d", b, len(r.models), r.bad, list.Len())
		}
		for i, got := range r.models {
			want := list.Get(i).Message()
			fields := want.Descriptor().Fields()
			parameters := want.Get(fields.ByName("parameters")).Map()
			if got.name != want.Get(fields.ByName("model_name")).String() || len(got.parameters) != parameters.Len() {
				t.Errorf("%x: model %d is %+v, want %v", b, i, got, want)
			}
			for k, v := range got.parameters {
				if w := parameters.Get(protoreflect.ValueOfString(k).MapKey()); !w.IsValid() || w.String() != v {
					t.Errorf("%x: parameter %q is %q, want %v", b, k, v, w)
				}
			}
		}
	})
}

// FuzzRequest writes requests that the protobuf library must read as they were meant.
func FuzzRequest(f *testing.F) {
	f.Add("hello", "en-US", "v", 22050, []byte("RIFF"), "a  b", "k", "v")
	f.Add("", "", "", 0, []byte{}, "", "", "")
	f.Fuzz(func(t *testing.T, text, language, voice string, rate int, reference []byte, dictionary, key, value string) {
		if rate < 0 || rate > math.MaxInt32 || !utf8.ValidString(text+"|"+language+"|"+voice+"|"+dictionary+"|"+key+"|"+value) {
			return // what is sent is checked before
		}
		r := request{text: text, language: language, voice: voice, rate: rate, reference: reference, referenceRate: rate,
			quality: 7, dictionary: dictionary, configuration: [][2]string{{key, value}}}
		m, err := rivatest.Decode("SynthesizeSpeechRequest", r.marshal())
		if err != nil {
			t.Fatal(err)
		}
		get := func(name protoreflect.Name) protoreflect.Value { return m.Get(m.Descriptor().Fields().ByName(name)) }
		z := get("zero_shot_data").Message()
		if get("text").String() != text || get("language_code").String() != language || get("voice_name").String() != voice ||
			get("sample_rate_hz").Int() != int64(rate) || get("encoding").Enum() != 1 || get("custom_dictionary").String() != dictionary ||
			get("custom_configuration").Map().Get(protoreflect.ValueOfString(key).MapKey()).String() != value ||
			!bytes.Equal(z.Get(z.Descriptor().Fields().ByName("audio_prompt")).Bytes(), reference) {
			t.Errorf("%+v was read as %v", r, m)
		}
		wavRate(reference)
	})
}

func TestConfigBounds(t *testing.T) {
	t.Parallel()
	var b []byte
	for range maxModels + 1 {
		b = append(b, "\x0a\x00"...)
	}
	var r configResponse
	if r.unmarshal(b); r.bad != errTooMany || len(r.models) != maxModels {
		t.Errorf("%d models, %v, want %d and an error", len(r.models), r.bad, maxModels)
	}
}

func TestWAVRate(t *testing.T) {
	t.Parallel()
	good := wavFile(22050)
	if got := wavRate(good); got != 22050 {
		t.Errorf("wavRate = %d, want 22050", got)
	}
	for n := range 44 {
		if got := wavRate(good[:n]); got != 0 && n < 40 {
			t.Errorf("wavRate of %d bytes = %d, want 0", n, got)
		}
	}
	if got := wavRate(wavFile(1 << 31)); got != 0 {
		t.Errorf("wavRate = %d of a rate that there is not", got)
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	make := func(seconds, nanos int64) []byte {
		b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(seconds))
		return protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), uint64(nanos))
	}
	for _, tt := range []struct {
		b    []byte
		want time.Duration
	}{
		{nil, 0},
		{make(3, 5e8), 3500 * time.Millisecond},
		{make(-3, 0), 0},
		{make(3, -1), 0},
		{make(math.MaxInt64, 0), maxRetryAfter},
		{[]byte{0x08}, 0},
		{[]byte{0x0a, 0x00}, 0},
		{[]byte{0x07}, 0},
	} {
		if got := duration(tt.b); got != tt.want {
			t.Errorf("duration(%x) = %s, want %s", tt.b, got, tt.want)
		}
	}
}
