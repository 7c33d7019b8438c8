package speech

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/library"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// crowds are the numbers of clients that throughput is measured with.
var crowds = []int{1, 2, 8, 32}

// Throughput measures the seconds of audio that come out in a second.
func Throughput(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	t, err := corpus.New(corpus.English, 500)
	if err != nil {
		return nil, err
	}
	naive, vaak := make([][]float64, len(crowds)), make([][]float64, len(crowds))
	var bare, ceiling []float64
	pcm, rate, err := b.Library.Record(ctx, t)
	if err != nil {
		return nil, err
	}
	for range b.Plan.Rounds {
		alone, err := b.Library.Speak(ctx, t, 20, false, "")
		if err != nil {
			return nil, err
		}
		resampling, err := library.ResampleCost(pcm, rate, server.VaakRate)
		if err != nil {
			return nil, err
		}
		speaking := alone.Cost()
		bare = append(bare, report.Over(time.Second, speaking.Wall))
		ceiling = append(ceiling, float64(runtime.NumCPU())*report.Over(time.Second, speaking.CPU+resampling))
		for i, clients := range crowds {
			slow, err := client.Sustain(b.Naive, t, clients, b.Plan.Warm, b.Plan.Throughput)
			if err != nil {
				return nil, err
			}
			fast, err := client.Sustain(b.Vaak, t, clients, b.Plan.Warm, b.Plan.Throughput)
			if err != nil {
				return nil, err
			}
			naive[i] = append(naive[i], slow.Audio/slow.Wall.Seconds())
			vaak[i] = append(vaak[i], fast.Audio/fast.Wall.Seconds())
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
	}
	out := &report.Table{Header: []string{"clients", "naive", "Vaak", "Vaak ÷ naive", "Vaak ÷ ceiling"}}
	for i, clients := range crowds {
		n, v := report.Median(naive[i]), report.Median(vaak[i])
		out.Add(fmt.Sprint(clients), report.Whole(n), report.Whole(v), report.Ratio(v/max(n, 1)), report.Ratio(v/max(report.Median(ceiling), 1)))
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("Seconds of audio per second, English, 500 characters, clients that send one request after the other, over %s after a warm-up. "+
			"Clients run on the same cores and take their share.", b.Plan.Throughput)),
		out,
		report.Prose(fmt.Sprintf("The bare library, one process on one core, makes %s. The ceiling is %s: %d cores of bare library and bare resampler, and no server at all.",
			report.Whole(report.Median(bare)), report.Whole(report.Median(ceiling)), runtime.NumCPU())),
	}, nil
}
