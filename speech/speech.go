// Package speech turns text into spoken audio: requests, texts of any length, live
// sessions, and voice previews.
//
// Every transport calls the same methods of the same [Service]. Data flows one
// way: text → spans → utterance → PCM → bytes.
package speech

import (
	"time"

	"vaak/audio"
	"vaak/lang"
	"vaak/text/respell"
	"vaak/voice"
)

// Limits of a request.
const (
	MaxCharacters = 5000 // Unicode code points of Request.Text
	MinSpeed      = 0.7
	MaxSpeed      = 1.5
)

// Model is the id of the one model. Requests may name any other; it is ignored.
const Model = "speech-tts-turbo"

// Request is one text to be spoken. The zero value of every field but Text is
// its default.
type Request struct {
	// Text is what is spoken, 1 to MaxCharacters code points, as the caller
	// sent it; it is also what is charged.
	Text string
	// Voice is a member of the roster or an alias that the operator configured;
	// "" is the default voice of the language.
	Voice string
	// Language is a hint in any form; "" and "auto" detect it from the text.
	Language string
	// Format of the answer: codec wav, 24,000 Hz and the codec's own bit rate
	// when left out.
	Format audio.Format
	// Speed stretches time and keeps pitch: MinSpeed to MaxSpeed; 0 is 1.
	Speed float64
	// Stream asks for bytes as they are made. Otherwise the answer is written
	// whole, with exact sizes in its container.
	Stream bool
	// Sampling is for engines that sample. None does so far.
	Sampling Sampling
	// PreviousText and NextText shape the prosody and are not spoken.
	PreviousText, NextText string
	// Dictionaries say how words are to be written to be read, before anything else
	// is done with the text.
	Dictionaries respell.Dictionaries
}

// Sampling are the knobs of engines that sample; nil leaves one alone.
type Sampling struct {
	Temperature       *float64 // 0 to 2
	TopP              *float64 // 0 to 1
	TopK              *float64 // 0 to 1000
	MinP              *float64 // 0 to 1
	RepetitionPenalty *float64 // 0.5 to 2
	PresencePenalty   *float64 // -2 to 2
}

// Info is what is known of an answer when its first byte is ready.
type Info struct {
	Voice      voice.ID
	Language   lang.Code
	Format     audio.Format
	Characters int      // what the answer will be charged at most
	LeftOut    int      // characters that the engine cannot speak, which are not charged
	Notices    []string // what a caller may want to know, in sentences
	Unused     []string // parameters of the request that change nothing
	Cache      CacheUse // whether the answer was kept from an earlier time

	// Where the time went until the first byte.
	QueueTime, TextTime, FirstAudio time.Duration
}

// Result is what is known of an answer when it has ended, well or not. Of a
// request that was refused it is empty, but for the Info of one that was found
// right before it was refused.
type Result struct {
	Info
	Charged  int           // characters: all, those that a listener who left has heard, or none
	Duration time.Duration // of the audio that was handed over
	Bytes    int64         // written
	Total    time.Duration // from call to last byte; 0 of an answer that is not whole
}

// Starter is implemented by the writers that want to know of an answer before
// its first byte: Start is called once, and nothing is refused after it.
type Starter interface {
	Start(Info)
}

// Finisher is implemented by the writers that keep what they take: Finish is called
// after the last byte and before anything is charged, and an error of it is as one
// of the last Write. Where a writer fails with a *fault.Error of kind Unavailable
// or Internal the server is at fault, and nothing is charged.
type Finisher interface {
	Finish() error
}
