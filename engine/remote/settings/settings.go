// Package settings reads the file that says which pools of model servers there are, and which
// voices speak on them ([how to write one](../../../docs/pools.md)).
package settings

import (
	"time"

	"vaak/engine"
	"vaak/engine/remote/wire"
	"vaak/lang"
	"vaak/voice"
)

// Settings are what a file says, checked and with its defaults.
type Settings struct {
	Pools  []Pool  // by name
	Voices []Voice // by key
}

// Pool is a group of servers of one kind that speak the same voices.
type Pool struct {
	Name    string
	Kind    wire.Kind
	Members []Member
	// Target is what all members have in common: no URL, Host or TLS.
	Target wire.Target
	CA     string // PEM file of the authorities that sign the members' certificates; "" is those of the system
	// Languages are those that the pool speaks; empty is all.
	Languages []lang.Code
	// Times has the pool tell when words begin, where its kind can.
	Times bool
	// Queue is how long a sentence waits for a place while all members have their most streams.
	Queue time.Duration
	// FirstAudio and Stall are how long the first sound of an answer, and any further one, may take.
	FirstAudio, Stall time.Duration
	// Hedge is after how long without sound a second member is asked too; 0 never asks one.
	Hedge time.Duration
}

// Member is a server, or all servers behind a name.
type Member struct {
	URL     string
	Each    bool // every address of the name in URL is a member
	Weight  float64
	Streams int // most at once; 0 is no limit
}

// Voice is a voice that pools speak.
type Voice struct {
	Key string // in the file
	voice.Voice
	Languages []lang.Code // the native one first
	Rungs     []Rung      // who speaks, in order of preference; the first is a pool
}

// Rung is one of those that may speak for a voice: a pool, or a voice of another engine.
type Rung struct {
	Pool      string // "" is another engine
	Name      string // of the voice on the pool
	Reference *wire.Reference
	Sampling  engine.Sampling // where a request sets none
	Voice     voice.ID        // of another engine
}

// Pool returns the pool with a name.
func (s Settings) Pool(name string) (Pool, bool) {
	for _, p := range s.Pools {
		if p.Name == name {
			return p, true
		}
	}
	return Pool{}, false
}
