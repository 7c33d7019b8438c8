package live

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"vaak/audio"
	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/rest/elevenlabs"
	"vaak/rest/live/message"
	"vaak/speech"
	"vaak/speech/chunk"
)

// query reads the parameters of an address and keeps the first error.
type query struct {
	values url.Values
	err    error
}

func (q *query) fail(name, format string, args ...any) {
	if q.err == nil {
		q.err = fault.BadParameter(name, format, args...)
	}
}

// number returns a parameter, or nil when it is absent or empty.
func (q *query) number(name string) *float64 {
	s := q.values.Get(name)
	if s == "" {
		return nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		q.fail(name, "%s %.40q is not a number", name, s)
		return nil
	}
	return &v
}

// seed returns the seed, or nil when it is absent.
func (q *query) seed() *int64 {
	v := q.number("seed")
	if v == nil {
		return nil
	}
	seed, err := speech.Seed(*v)
	if q.err == nil {
		q.err = err
	}
	return seed
}

// words returns a number of words, which must be within the bounds; 0 when it is absent.
func (q *query) words(name string, least, most int) int {
	v := q.number(name)
	if v == nil {
		return 0
	}
	if *v != math.Trunc(*v) {
		q.fail(name, "%s %g is not a whole number", name, *v)
	}
	// A number out of range is clamped and not refused, as in the dialect.
	return int(message.Clamp(*v, float64(least), float64(most)))
}

// style returns how the text is read.
func (q *query) style() speech.Style {
	var markdown *bool
	if q.values.Get("markdown") != "" {
		v := q.bool("markdown")
		markdown = &v
	}
	style, err := speech.ParseStyle(markdown, q.values.Get("emoji"), q.values.Get("urls"))
	if q.err == nil {
		q.err = err
	}
	return style
}

func (q *query) bool(name string) bool {
	s := q.values.Get(name)
	if s == "" {
		return false
	}
	v, err := strconv.ParseBool(s)
	if err != nil {
		q.fail(name, "%s %.40q is not true or false", name, s)
	}
	return v
}

// idle returns inactivity_timeout, clamped to its range.
func (q *query) idle() time.Duration {
	seconds := float64(message.DefaultIdle)
	if v := q.number("inactivity_timeout"); v != nil {
		seconds = message.Clamp(*v, message.MinIdle, message.MaxIdle)
	}
	return time.Duration(seconds * float64(time.Second))
}

// chunks returns how the text is cut: the mode, and the numbers of words of a chunk.
func (q *query) chunks() chunk.Config {
	c := chunk.Config{
		ChunkWords:    q.words("chunk_words", 1, message.MaxChunkWords),
		PeekWords:     q.words("peek_words", 1, message.MaxPeekWords),
		MaxChunkWords: q.words("max_chunk_words", 1, message.MaxMaxChunkWords),
	}
	// The most must not be below the least, which is 4 where it is absent: see chunk.Config.
	if least := c.ChunkWords; c.MaxChunkWords > 0 {
		if least == 0 {
			least = 4
		}
		c.MaxChunkWords = max(c.MaxChunkWords, least)
	}
	switch mode := q.values.Get("mode"); mode {
	case "", "sentence":
	case "eager":
		c.Mode = chunk.Eager
	default:
		q.fail("mode", "mode %.40q is not one of sentence, eager", mode)
	}
	return c
}

// dictionaries returns the pronunciation dictionary that is asked for, if one is.
func (q *query) dictionaries() []dictionary.Locator {
	id := q.values.Get("pronunciation_dictionary_id")
	if id == "" {
		return nil
	}
	return []dictionary.Locator{{ID: id}}
}

// nativeParameters reads the address of the native socket.
func nativeParameters(_ *http.Request, values url.Values) (parameters, error) {
	q := &query{values: values}
	p := parameters{dictionaries: q.dictionaries(), words: q.bool("words")}
	p.request = speech.SessionRequest{
		Voice:    values.Get("voice"),
		Language: values.Get("lang"),
		Format:   audio.Format{Codec: audio.PCM, SampleRate: audio.DefaultSampleRate},
		Chunks:   q.chunks(),
		Style:    q.style(),
		Idle:     q.idle(),
		Strict:   true,
		Sampling: speech.Sampling{
			Temperature:       q.number("temperature"),
			TopP:              q.number("top_p"),
			TopK:              q.number("top_k"),
			MinP:              q.number("min_p"),
			RepetitionPenalty: q.number("repetition_penalty"),
			PresencePenalty:   q.number("presence_penalty"),
			Seed:              q.seed(),
		},
	}
	if speed := q.number("speed"); speed != nil {
		if p.request.Speed = *speed; *speed == 0 { // the session would take 0 for the default
			q.fail("speed", "speed 0 is outside %g to %g", speech.MinSpeed, speech.MaxSpeed)
		}
	}
	return p, q.err
}

// dialectParameters reads the address of a socket of the ElevenLabs dialect. It ignores parameters
// that this service does not have.
func dialectParameters(r *http.Request, values url.Values) (parameters, error) {
	q := &query{values: values}
	p := parameters{dictionaries: q.dictionaries()}
	format, err := elevenlabs.ParseFormat(values.Get(elevenlabs.FieldFormat))
	if err != nil {
		return p, err
	}
	p.request = speech.SessionRequest{
		Voice:    r.PathValue("voice_id"),
		Language: values.Get("language_code"),
		Format:   format,
		Chunks:   chunk.Config{Mode: chunk.Schedule},
		Style:    q.style(),
		Idle:     q.idle(),
	}
	if q.bool("auto_mode") {
		p.request.Chunks.Mode = chunk.Auto
	}
	// A seed that cannot be used is ignored, as over HTTP. Notices go into a header, so what was
	// sent is quoted in ASCII.
	lenient := &query{values: values}
	if p.request.Sampling.Seed = lenient.seed(); lenient.err != nil {
		p.notices = append(p.notices, fmt.Sprintf("seed %+.40q is not a whole number from 0 to %d; it is ignored", values.Get("seed"), speech.MaxSeed))
	}
	return p, q.err
}
