// Package worker runs neural models in a process of their own, so that a model that crashes, or
// eats memory, takes no server with it.
//
// A [Process] starts the worker, which is the same program with [Main] as its main function, and
// starts another when that one ends. Each utterance is a connection to it: the client sends a
// [Job], and receives how long each id lasts and then the sound, a chunk for each demand. A client
// that closes the connection ends the computation.
package worker

import (
	"encoding/gob"
	"io"
	"time"
)

// Kind is a family of models.
type Kind string

// The families.
const (
	Piper  Kind = "piper"
	Kokoro Kind = "kokoro"
)

// family is what the models of a kind have in common.
type family struct {
	name   string
	ids    []string // what the input of ids may be called, the usual name last
	others []string // the other inputs that a model must have
	hop    int      // samples of a frame, where neither model nor job tells
}

var families = map[Kind]family{
	Piper:  {"Piper", []string{"input"}, []string{"input_lengths", "scales"}, 256},
	Kokoro: {"Kokoro", []string{"input_ids", "tokens"}, []string{"style", "speed"}, 600},
}

// Name returns what people call the family.
func (k Kind) Name() string { return families[k].name }

// Job is what a model is to compute.
type Job struct {
	Kind  Kind
	Model string // path of the model
	// Hop is how many samples a frame has, for a model that does not tell; 0 is the usual number
	// of its kind.
	Hop int
	// Digest is the SHA-256 of the model, in hexadecimal; "" is not checked.
	Digest string
	// Whole has the model computed in one piece, also where its sound could be made chunk by
	// chunk.
	Whole bool
	IDs   []int64
	// From and To are the ids whose sound is wanted.
	From, To int
	// Lead and Trail are how many samples are wanted before and behind it, at most.
	Lead, Trail int
	Speaker     int64      // of Piper's models of several speakers
	Style       []float32  // of Kokoro's models
	Scales      [3]float32 // of Piper's models: noise, length and noise of the lengths
	Seed        uint64     // of the noise
	Gain        float32    // factor of the samples
	Skip        int        // samples that are known already
}

// Facts tell what a model is like.
type Facts struct {
	Cut   bool // its sound is made chunk by chunk
	Noisy bool // it draws noise, all of it from the seed
	// Fickle says that the model draws noise in a way that no seed decides, so its sound
	// differs from time to time.
	Fickle bool
}

// part tells what the samples of a reply belong to; as engine.Part.
type part uint8

const (
	body part = iota
	lead
	trail
)

// reply is an answer to a job. The first reply of a job has the facts, the ends, or why the job
// cannot be done.
type reply struct {
	Facts   Facts
	Version string // of the library
	// Ends is, for each id, the sample at which its sound ends, counted from that of the first.
	Ends []int
	Part part
	PCM  []byte // 16-bit little-endian
	Done bool
	Busy time.Duration // of a processor, for this reply
	Err  string
	Bad  bool // Err is the model's fault
}

// greeting is what a worker sends first, before all replies.
const greeting = '!'

// demand asks for another chunk.
type demand struct{}

// exchange is one side of a connection.
type exchange struct {
	enc *gob.Encoder
	dec *gob.Decoder
}

func newExchange(rw io.ReadWriter) exchange { return exchange{gob.NewEncoder(rw), gob.NewDecoder(rw)} }
