package speech

import (
	"context"
	"runtime"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/library"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
)

// busyClients is how many clients keep all cores busy.
const busyClients = 8

// Utilisation measures whether all cores work when there is work for them.
func Utilisation(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	const wanted = 0.93
	out := &report.Table{Header: []string{"characters", "audio s per s", "server and workers, µs per audio s", "clients, µs per audio s", "possible audio s per s", "share"}}
	cores := float64(runtime.NumCPU())
	for _, size := range []int{5000, 500} {
		t, err := corpus.New(corpus.English, size)
		if err != nil {
			return nil, err
		}
		var speed, possible, share []float64
		var served, load []time.Duration
		for range b.Plan.Rounds {
			st, err := client.Sustain(b.Vaak, t, busyClients, b.Plan.Warm, b.Plan.Utilisation)
			if err != nil {
				return nil, err
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			s, l := library.PerSecond(st.Served, st.Audio), library.PerSecond(st.Load, st.Audio)
			is, could := st.Audio/st.Wall.Seconds(), cores*report.Over(time.Second, s+l)
			speed, possible, share = append(speed, is), append(possible, could), append(share, is/could)
			served, load = append(served, s), append(load, l)
		}
		out.Add(report.Characters(size), report.Whole(report.Median(speed)), report.Micros(report.Median(served)), report.Micros(report.Median(load)), report.Whole(report.Median(possible)), report.Ratio(report.Median(share)))
		report.AtLeast(&b.Report, "Share of what the cores can do, 8 clients, "+report.Characters(size)+" characters", report.Median(share), wanted, report.Ratio)
	}
	return []report.Part{
		report.Prose("Vaak, English, 8 clients that send one request after the other. What is possible is the number of cores divided by " +
			"the processor time of a second of audio, that of the clients counted in. The share is what was reached of it."),
		out,
	}, nil
}
