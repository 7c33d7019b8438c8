package main

import (
	"context"
	"runtime"
	"time"
)

// utilisation measures whether all cores work when there is work for them.
func utilisation(ctx context.Context, b *bench) ([]part, error) {
	const wanted = 0.93
	out := &table{header: []string{"characters", "audio s per s", "server and workers, µs per audio s", "clients, µs per audio s", "possible audio s per s", "share"}}
	cores := float64(runtime.NumCPU())
	for _, size := range []int{5000, 500} {
		t, err := newSample(english, size)
		if err != nil {
			return nil, err
		}
		var speed, possible, share []float64
		var served, load []time.Duration
		for range b.plan.rounds {
			st, err := sustain(b.vaak, t, cpuClients, b.plan.warm, b.plan.utilisation)
			if err != nil {
				return nil, err
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			s, l := perSecond(st.served, st.audio), perSecond(st.load, st.audio)
			is, could := st.audio/st.wall.Seconds(), cores*over(time.Second, s+l)
			speed, possible, share = append(speed, is), append(possible, could), append(share, is/could)
			served, load = append(served, s), append(load, l)
		}
		out.add(characters(size), whole(median(speed)), micros(median(served)), micros(median(load)), whole(median(possible)), ratio(median(share)))
		atLeast(&b.report, "Share of what the cores can do, 8 clients, "+characters(size)+" characters", median(share), wanted, ratio)
	}
	return []part{
		prose("Vaak, English, 8 clients that send one request after the other. What is possible is the number of cores divided by " +
			"the processor time of a second of audio, that of the clients counted in. The share is what was reached of it."),
		out,
	}, nil
}
