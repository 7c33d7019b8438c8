package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
)

// Speech describes a call of the speech service that has ended. The fields from Format on are
// zero if the request was refused before they were known. Of the text it holds only the length.
type Speech struct {
	Began   time.Time
	Outcome string // Succeeded, or the kind of the error
	Failed  bool   // the server is at fault, not the caller

	Format     string // codec
	Language   string // code of a supported language
	Voice      string // id
	Engine     string // that made the first sound, and where
	Characters int    // code points of the text
	Streamed   bool   // bytes were sent as they were made
	Cached     bool   // the answer came from the cache

	// These tell where the time until the first byte went: waiting for turns, reading the text,
	// and in total since Began. FirstAudio is 0 if no byte was sent.
	Queue, Text, FirstAudio time.Duration
	Audio                   time.Duration // duration of the audio
}

// Succeeded is the outcome of a call that was answered completely.
const Succeeded = "ok"

// speechFigures are the metrics of speech.
type speechFigures struct {
	requests   CounterVec
	firstAudio HistogramVec
	characters CounterVec
	audio      CounterVec
	answers    CounterVec
	made       CounterVec
}

func newSpeechFigures(t *Telemetry) speechFigures {
	return speechFigures{
		requests: t.Counter("speech_requests_total",
			"Texts that were to be spoken, by how that ended: ok, or the kind of the error.", "outcome"),
		firstAudio: t.Histogram("speech_first_audio_seconds",
			"Time from a call of the speech service to the first byte of a stream; answers that are sent whole or were kept are left out.",
			[]float64{.0025, .005, .01, .015, .02, .03, .05, .075, .1, .15, .2, .3, .5, 1, 2.5, 5, 10}, "format"),
		characters: t.Counter("speech_characters_total",
			"Characters (code points) of the texts that were spoken to their end.", "language"),
		audio: t.Counter("speech_audio_seconds_total",
			"Seconds of audio of the texts that were spoken to their end.", "language"),
		answers: t.Counter("speech_answers_total",
			"Texts that were spoken to their end, by the engine of their first sound; kept answers are left out.", "engine"),
		made: t.Counter("speech_answer_audio_seconds_total",
			"Seconds of audio of these.", "engine"),
	}
}

// BeginSpeech records that a text is about to be spoken. If traces are on it returns a context
// with a span for it, else ctx. [Telemetry.EndSpeech] must be called with the returned context.
func (t *Telemetry) BeginSpeech(ctx context.Context) context.Context {
	if t.tracer == nil {
		return ctx
	}
	ctx, _ = t.tracer.Start(ctx, "speak")
	return ctx
}

// EndSpeech records how a call ended; ctx must come from BeginSpeech.
func (t *Telemetry) EndSpeech(ctx context.Context, s Speech) {
	if t.tracer != nil {
		endSpeech(ctx, s)
	}
	t.speech.requests.Add(1, s.Outcome)
	if s.FirstAudio > 0 && s.Streamed && !s.Cached {
		t.speech.firstAudio.Observe(s.FirstAudio.Seconds(), s.Format)
	}
	if s.Outcome == Succeeded {
		t.speech.characters.Add(float64(s.Characters), s.Language)
		t.speech.audio.Add(s.Audio.Seconds(), s.Language)
		if !s.Cached {
			t.speech.answers.Add(1, s.Engine)
			t.speech.made.Add(s.Audio.Seconds(), s.Engine)
		}
	}
}

// attributes returns the attributes of a call's span.
func (s Speech) attributes() []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		attribute.String("vaak.outcome", s.Outcome),
	}
	if s.Language == "" {
		return attrs
	}
	return append(attrs,
		attribute.String("vaak.format", s.Format),
		attribute.String("vaak.language", s.Language),
		attribute.String("vaak.voice", s.Voice),
		attribute.String("vaak.engine", s.Engine),
		attribute.Int("vaak.characters", s.Characters),
		attribute.Bool("vaak.streamed", s.Streamed),
		attribute.Bool("vaak.cached", s.Cached),
		attribute.Float64("vaak.queue_seconds", s.Queue.Seconds()),
		attribute.Float64("vaak.audio_seconds", s.Audio.Seconds()))
}
