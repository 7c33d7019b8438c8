package audio

import (
	"slices"
	"strings"
)

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

// traits is what the service says of a codec. Whatever names the formats in public (media
// types, descriptions, lists of allowed values) reads it here, so a new format is one row.
type traits struct {
	codec     Codec
	extension string // of file names, without the dot
	// sampleBytes is how many bytes a sample takes, of a lossless codec at most.
	sampleBytes int
	// standardKbps is the bit rate of a lossy codec when a request names none; 0 marks a
	// codec that has no bit rate to choose.
	standardKbps int
	// standardRate is the sample rate in Hz when a request names none.
	standardRate int
	raw          bool    // without a header: the format has to be known to play it
	media        []Media // the first that fits the sample rate counts; the last fits any
}

// Media is a media type that a codec is sent as.
type Media struct {
	Type string
	// Description says what the bytes are, for the description of the API.
	Description string

	parameters string // of the type, with the sample rate for %d
	onlyAt     int    // the only sample rate that the type stands for; 0 = any
}

// codecs has the formats in the order in which the API names them.
var codecs = []traits{
	{codec: MP3, extension: "mp3", sampleBytes: 2, standardKbps: 128, standardRate: DefaultSampleRate,
		media: []Media{{Type: "audio/mpeg", Description: "mp3."}}},
	{codec: Opus, extension: "ogg", sampleBytes: 2, standardKbps: 64, standardRate: DefaultSampleRate,
		media: []Media{{Type: "audio/ogg", Description: "opus, in Ogg."}}},
	{codec: AAC, extension: "aac", sampleBytes: 2, standardKbps: 96, standardRate: DefaultSampleRate,
		media: []Media{{Type: "audio/aac", Description: "aac, in ADTS."}}},
	{codec: FLAC, extension: "flac", sampleBytes: 2, standardRate: DefaultSampleRate,
		media: []Media{{Type: "audio/flac", Description: "flac."}}},
	{codec: WAV, extension: "wav", sampleBytes: 2, standardRate: DefaultSampleRate,
		media: []Media{{Type: "audio/wav", Description: "wav. A stream has 0xFFFFFFFF for the sizes that are not known yet."}}},
	{codec: PCM, extension: "pcm", sampleBytes: 2, standardRate: DefaultSampleRate, raw: true,
		media: []Media{{Type: "audio/pcm", parameters: "; rate=%d; channels=1",
			Description: "pcm: 16-bit little-endian mono without a header; the rate and channels are parameters of the content type."}}},
	// RFC 2046 fixes audio/basic at 8,000 Hz; RFC 3551 and RFC 4856 have a rate for the others.
	{codec: ULaw, extension: "ulaw", sampleBytes: 1, standardRate: 8000, raw: true, media: []Media{
		{Type: "audio/basic", Description: "ulaw at 8,000 Hz.", onlyAt: 8000},
		{Type: "audio/PCMU", Description: "ulaw at other rates.", parameters: "; rate=%d"}}},
	{codec: ALaw, extension: "alaw", sampleBytes: 1, standardRate: 8000, raw: true, media: []Media{
		{Type: "audio/x-alaw-basic", Description: "alaw at 8,000 Hz.", onlyAt: 8000},
		{Type: "audio/PCMA", Description: "alaw at other rates.", parameters: "; rate=%d"}}},
}

// Codecs lists all formats, in the order in which the API names them.
var Codecs = func() []Codec {
	all := make([]Codec, len(codecs))
	for i, t := range codecs {
		all[i] = t.codec
	}
	return all
}()

// LossyNames lists the codecs with a bit rate to choose, as a sentence does: "mp3, opus and aac".
var LossyNames = func() string {
	var names []string
	for _, t := range codecs {
		if t.standardKbps > 0 {
			names = append(names, string(t.codec))
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}()

// traits returns the row of c; a zero one when c is not known.
func (c Codec) traits() traits {
	if i := slices.IndexFunc(codecs, func(t traits) bool { return t.codec == c }); i >= 0 {
		return codecs[i]
	}
	return traits{extension: string(c), sampleBytes: 2, standardRate: DefaultSampleRate}
}

// Known reports whether c is one of [Codecs].
func (c Codec) Known() bool { return slices.Contains(Codecs, c) }

// Lossy reports whether a bit rate can be chosen for the codec.
func (c Codec) Lossy() bool { return c.traits().standardKbps > 0 }

// Raw reports whether the format has no header, so that a player must be told what it is.
func (c Codec) Raw() bool { return c.traits().raw }

// StandardKbps returns the bit rate when a request names none; 0 if there is none to choose.
func (c Codec) StandardKbps() int { return c.traits().standardKbps }

// StandardRate returns the sample rate in Hz when a request names none.
func (c Codec) StandardRate() int { return c.traits().standardRate }

// Extension returns the usual file name extension, without the dot.
func (c Codec) Extension() string { return c.traits().extension }

// Media returns the media types that the codec is sent as.
func (c Codec) Media() []Media { return c.traits().media }
