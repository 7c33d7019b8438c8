package telemetry

import (
	"maps"
	"slices"
	"time"
)

// Pool are the metrics of a pool of model servers. Counters count since the process began, or since
// the settings reached its servers in another way.
type Pool struct {
	Name     string
	Found    bool // its members are known: names could be looked up
	Members  []PoolMember
	Retries  int64 // sentences that another member said before they were heard
	Resumed  int64 // sentences that another member went on with
	Replaced int64 // sentences that the next of a voice's fallbacks said
}

// PoolMember are the metrics of a member of a pool. Its counters begin anew when it has left the
// pool for some minutes.
type PoolMember struct {
	Address     string
	State       string        // one of poolStates
	Share       float64       // part of its weight that counts now, 0 to 1
	Streams     int           // requests that run
	Outstanding time.Duration // audio that was asked for and has not arrived
	P50, P99    time.Duration // until the first audio, of the last minute; 0 if there was none
	Audio       time.Duration // that arrived
	Ejections   int64
	// Outcomes are requests by how they ended: "ok", "cancelled", or the reason of a failure.
	Outcomes map[string]int64
}

// poolStates are the states of members, which have a value even where no member is in one.
var poolStates = []string{"up", "returning", "ejected", "trial"}

func poolFamilies() []Family {
	member := []string{"pool", "member"}
	return []Family{
		{Name: "pool_members", Kind: Gauge, Labels: []string{"pool", "state"}, Help: "Members of a pool of model servers in each state."},
		{Name: "pool_found", Kind: Gauge, Labels: []string{"pool"}, Help: "1 if the members of the pool are known, 0 while their name cannot be looked up."},
		{Name: "pool_share", Kind: Gauge, Labels: member, Help: "Part of its weight with which the member gets requests now, from 0 to 1."},
		{Name: "pool_streams", Kind: Gauge, Labels: member, Help: "Requests that the member is answering."},
		{Name: "pool_outstanding_seconds", Kind: Gauge, Labels: member, Help: "Seconds of audio that were asked of the member and have not arrived."},
		{Name: "pool_first_audio_seconds", Kind: Gauge, Labels: []string{"pool", "member", "quantile"}, Help: "From a request to the member's first audio, as a quantile of up to 128 requests of the last minute; missing without any."},
		{Name: "pool_requests_total", Kind: Counter, Labels: []string{"pool", "member", "outcome"}, Help: "Sentences asked of the member, by how the request ended: ok, cancelled, or the reason of the failure."},
		{Name: "pool_ejections_total", Kind: Counter, Labels: member, Help: "How often the member was taken out of its pool because it failed."},
		{Name: "pool_audio_seconds_total", Kind: Counter, Labels: member, Help: "Seconds of audio that the member has sent."},
		{Name: "pool_retries_total", Kind: Counter, Labels: []string{"pool"}, Help: "Sentences that another member said because the first one failed before any of it was heard."},
		{Name: "pool_resumed_total", Kind: Counter, Labels: []string{"pool"}, Help: "Sentences that another member went on with because the first one failed while it was heard."},
		{Name: "pool_replaced_total", Kind: Counter, Labels: []string{"pool"}, Help: "Sentences that the next fallback of the voice said because the pool could not."},
	}
}

func poolValues(pools []Pool) []Value {
	var vs []Value
	for _, p := range pools {
		add := func(family string, value float64, labels ...string) {
			vs = append(vs, Value{Family: family, Value: value, Labels: append([]string{p.Name}, labels...)})
		}
		states := map[string]int{}
		for _, m := range p.Members {
			states[m.State]++
		}
		for _, s := range poolStates {
			add("pool_members", float64(states[s]), s)
		}
		add("pool_found", boolValue(p.Found))
		add("pool_retries_total", float64(p.Retries))
		add("pool_resumed_total", float64(p.Resumed))
		add("pool_replaced_total", float64(p.Replaced))
		for _, m := range p.Members {
			add("pool_share", m.Share, m.Address)
			add("pool_streams", float64(m.Streams), m.Address)
			add("pool_outstanding_seconds", m.Outstanding.Seconds(), m.Address)
			add("pool_ejections_total", float64(m.Ejections), m.Address)
			add("pool_audio_seconds_total", m.Audio.Seconds(), m.Address)
			if m.P99 > 0 {
				add("pool_first_audio_seconds", m.P50.Seconds(), m.Address, "0.5")
				add("pool_first_audio_seconds", m.P99.Seconds(), m.Address, "0.99")
			}
			for _, outcome := range slices.Sorted(maps.Keys(m.Outcomes)) {
				add("pool_requests_total", float64(m.Outcomes[outcome]), m.Address, outcome)
			}
		}
	}
	return vs
}
