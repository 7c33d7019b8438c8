package elevenlabs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vaak/audio"
	"vaak/internal/fault"
)

// DefaultFormat is the output_format of a request that names none.
const DefaultFormat = "mp3_44100_128"

// FieldFormat is the parameter that names a format, in the query or the body.
const FieldFormat = "output_format"

// Parameters that name pronunciation dictionaries.
const (
	FieldDictionary = "pronunciation_dictionary_id"
	FieldLocators   = "pronunciation_dictionary_locators"
	FieldVersion    = "version_id"
)

// usualMP3 is the bit rate of mp3 when the format names none, in kbps. Below usualMP3From Hz the
// codec cannot make it and chooses its own.
const (
	usualMP3     = 128
	usualMP3From = 16000
)

// ParseFormat returns the format that an output_format names: a codec, a sample
// rate in Hz and, of the lossy codecs, a bit rate in kbps, as in mp3_44100_128,
// pcm_16000 or ulaw_8000. Every codec goes with every rate of
// [audio.SampleRates]; "" is [DefaultFormat]. Without a bit rate, mp3 has 128 and
// the other codecs their own.
//
// Whether a codec can make the bit rate at the sample rate is left to package
// codec; see [Rename] for what it answers. The error is a *fault.Error of kind
// Invalid that names output_format.
func ParseFormat(s string) (audio.Format, error) {
	if s == "" {
		s = DefaultFormat
	}
	parts := strings.Split(s, "_")
	if len(parts) < 2 || len(parts) > 3 {
		return audio.Format{}, badFormat(s, "it is not of the shape codec_rate or codec_rate_bitrate")
	}
	f := audio.Format{Codec: audio.Codec(parts[0])}
	if !f.Codec.Known() {
		return audio.Format{}, badFormat(s, "there is no such codec")
	}
	if f.SampleRate = natural(parts[1]); !slices.Contains(audio.SampleRates, f.SampleRate) {
		return audio.Format{}, badFormat(s, "there is no such sample rate")
	}
	if len(parts) == 2 {
		if f.Codec == audio.MP3 && f.SampleRate >= usualMP3From {
			f.BitrateKbps = usualMP3
		}
		return f, nil
	}
	if !f.Codec.Lossy() {
		return audio.Format{}, badFormat(s, string(f.Codec)+" has no bit rate")
	}
	if f.BitrateKbps = natural(parts[2]); f.BitrateKbps == 0 {
		return audio.Format{}, badFormat(s, "its bit rate is not a whole number of kbps")
	}
	return f, nil
}

// natural returns the number that s holds in decimal digits. It returns 0 for everything else:
// a sign, leading zeros, or more than 6 digits.
func natural(s string) int {
	// Written back and compared, so that mp3_044100 is not another name of the same format.
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || len(s) > 6 || strconv.Itoa(n) != s {
		return 0
	}
	return n
}

func badFormat(sent, why string) error {
	return fault.BadParameter(FieldFormat, "output_format %.64q cannot be had: %s; allowed: %s with a rate of %s Hz, as in pcm_24000, "+
		"and for %s a bit rate in kbps if you like, as in mp3_44100_128", sent, why, joined(audio.Codecs), joined(audio.SampleRates), audio.LossyNames)
}

func joined[T any](all []T) string {
	words := make([]string, len(all))
	for i, x := range all {
		words[i] = fmt.Sprint(x)
	}
	return strings.Join(words, ", ")
}
