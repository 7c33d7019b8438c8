// Package wire asks model servers for speech, each kind of server in its own protocol, and reads
// what they answer.
package wire

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	"vaak/engine"
	"vaak/lang"
)

// Kind is a kind of server.
type Kind struct {
	Name string // as the settings name it, such as "vllm-omni"
	// Rate is the usual sample rate of its answers, in Hz.
	Rate int
	// Parameters are those of [engine.Sampling] that the server takes, with the ranges it takes.
	Parameters []engine.Parameter
	// Times says that the server can tell when words begin.
	Times bool
	// Reference says that the server speaks like a recording that is sent along.
	Reference bool
	// Dial returns a connection to a server, without asking it anything.
	Dial func(Target) (Server, error)
}

// Target is a server and how to reach it.
type Target struct {
	URL   string // base, such as https://10.0.0.5:8091, without a slash at its end
	Host  string // of requests and of the certificate, where the address in URL has another; "" is that in URL
	Key   string // sent as a bearer token; "" sends none
	TLS   *tls.Config
	Model string // "" names none, or what the protocol demands
	Rate  int    // of the samples to ask for, where the server can be asked; 0 is its own
	// Normalize lets the server rewrite numbers and signs, where it can be told. Texts arrive in
	// words, so this is rarely wanted.
	Normalize bool
	// Languages are the server's own names for languages; others are named as its kind does, or
	// as what "" has here. An empty name sends none: some models refuse any.
	Languages map[lang.Code]string
	// Extra are further fields of each request, as the server documents them.
	Extra map[string]any
}

// Ask is a piece of text to be spoken.
type Ask struct {
	Text      string // what is heard: words, in NFC, without control characters
	Voice     string // the server's own name
	Language  lang.Code
	Region    string // as in [engine.Utterance]
	Reference *Reference
	Sampling  engine.Sampling // parameters that the kind does not take are not sent
	Times     bool            // the times of words are wanted, where the kind has them
}

// Reference is a recording whose speaker is to be heard.
type Reference struct {
	Audio []byte // a WAV file
	Text  string // what is said in it
}

// Server is one server. Its methods are safe for concurrent use.
type Server interface {
	// Speak asks for speech. It returns when the answer has begun. The error is a *[Failure],
	// or the cause of ctx when that ended. While the answer is read, ctx must live.
	Speak(ctx context.Context, ask Ask) (Answer, error)
	// Healthy asks whether the server is ready. The error is as that of Speak.
	Healthy(ctx context.Context) error
	// Close gives the connections up.
	Close()
}

// Answer is the sound of an answer. Its methods are called by one goroutine, except Close.
type Answer interface {
	// Rate is that of the samples, in Hz; 0 where the server does not say.
	Rate() int
	// Read reads samples into pcm. The error is io.EOF after the last sample of a whole answer, a
	// *[Failure] where the answer is none or breaks off, and the cause of the context when that
	// ended. An answer without samples is a failure.
	Read(pcm []int16) (int, error)
	// Words returns the words whose times the server has told so far, in order.
	Words() []Word
	// Close gives up what was not read, and has the server stop. It may be called twice.
	Close()
}

// Word is a word of an answer. Servers write words in their own way: without marks, in other
// case, as their normalization wrote them.
type Word struct {
	Text       string
	Start, End time.Duration
}

// Reason says what a failure means for who asked.
type Reason string

// The reasons.
const (
	Refused     Reason = "refused"     // the request is wrong for this server: another would refuse it too
	Denied      Reason = "denied"      // the key is not accepted
	Busy        Reason = "busy"        // the server has too much to do
	Unreachable Reason = "unreachable" // no connection: address, DNS, TLS
	Failed      Reason = "failed"      // the server says that it could not
	Broken      Reason = "broken"      // the answer ends early, or is none of this protocol
	Empty       Reason = "empty"       // a whole answer without sound
	Silent      Reason = "silent"      // silence without end
	Late        Reason = "late"        // nothing came for too long
	WrongRate   Reason = "wrong_rate"  // the answer has another sample rate than the settings say
)

// Failure is why a server did not speak.
type Failure struct {
	Reason     Reason
	Status     int           // of HTTP, or 0
	RetryAfter time.Duration // as the server says; 0 where it does not
	// Detail says what happened, for the log: at most 200 bytes, without the text that was to
	// be spoken.
	Detail string
	Err    error // may be nil
}

// Error returns the reason and the detail.
func (f *Failure) Error() string {
	switch {
	case f.Err != nil && f.Detail != "":
		return fmt.Sprintf("%s: %s: %v", f.Reason, f.Detail, f.Err)
	case f.Err != nil:
		return fmt.Sprintf("%s: %v", f.Reason, f.Err)
	}
	return string(f.Reason) + ": " + f.Detail
}

// Unwrap returns the error behind the failure.
func (f *Failure) Unwrap() error { return f.Err }
