// Package speech turns text into spoken audio: requests, texts of any length, live
// sessions whose text is still being written, and previews of voices.
//
// Every transport calls the same methods of the same [Service]. Data flows one way: from
// text to spans of one language, to utterances, to PCM samples, to bytes of a format.
package speech

import (
	"time"

	"vaak/audio"
	"vaak/engine"
	"vaak/lang"
	"vaak/text/frontend"
	"vaak/text/respell"
	"vaak/voice"
)

// Limits of a request.
const (
	MaxCharacters = 5000 // Unicode code points of Request.Text
	MinSpeed      = 0.7
	MaxSpeed      = 1.5
)

// Model is the id of the only model. A request may name any other; the name is ignored.
const Model = "speech-tts-turbo"

// Sampling holds the parameters of engines that sample.
type Sampling = engine.Sampling

// Request is one text to be spoken. Text is required; the zero value of every other field
// is its default.
type Request struct {
	// Text is what is spoken and charged: 1 to MaxCharacters code points.
	Text string
	// Voice is the id of a voice or an alias that the operator configured; "" is the
	// default voice of the language.
	Voice string
	// Language is a language in any form that [lang.Resolve] knows; "" and "auto" detect it
	// from the text.
	Language string
	// Format is the format of the answer. Zero fields are codec WAV, 24,000 Hz, and the
	// codec's default bit rate.
	Format audio.Format
	// Speed is the factor of the speaking rate, MinSpeed to MaxSpeed; pitch is kept. 0 is 1.
	Speed float64
	// Stream asks for bytes as they are made. Otherwise the answer is written when it is
	// complete, with exact sizes in its header.
	Stream bool
	// Sampling is for engines that sample; see [engine.Traits].
	Sampling Sampling
	// PreviousText and NextText are the text around Text. They shape the prosody and are
	// not spoken.
	PreviousText, NextText string
	// Style says how the text is read.
	Style frontend.Style
	// Dictionaries replace words by the way they are to be read, before any other step.
	Dictionaries respell.Dictionaries
}

// Info is what is known of an answer when its first byte is ready.
type Info struct {
	Voice      voice.ID
	Language   lang.Code
	Format     audio.Format
	Characters int      // the most that the answer can be charged
	LeftOut    int      // characters that the engine cannot speak; they are not charged
	Notices    []string // sentences for the caller, such as what is not done as asked
	Unused     []string // parameters of the request that have no effect
	Fallback   voice.ID // of the voice that speaks because Voice cannot be used now; "" if Voice speaks
	// Engine is who makes the first sound: the name of an engine, with the place where the engine
	// has it made, as in "remote/east".
	Engine string
	Cache  CacheUse // how the answer used the cache

	// These tell where the time until the first byte went.
	QueueTime, TextTime, FirstAudio time.Duration
}

// Result is what is known of an answer when it has ended, also with an error. It is empty
// if the request was invalid. If a valid request was refused it holds the Info alone.
type Result struct {
	Info
	Charged  int           // characters: all, those that a listener who left was sent, or 0
	Duration time.Duration // of the audio that was sent
	Bytes    int64         // written
	Total    time.Duration // from the call to the last byte; 0 if the answer is incomplete
}

// Starter is implemented by writers that want to know of an answer before its first byte.
// Start is called once. After it the answer may still fail, but it is not refused.
type Starter interface {
	Start(Info)
}

// Finisher is implemented by writers that store what they receive. Finish is called after
// the last byte and before the charge; its error counts like one of the last Write. If
// Write or Finish returns a *fault.Error of kind Unavailable or Internal, the server is at
// fault and nothing is charged.
type Finisher interface {
	Finish() error
}
