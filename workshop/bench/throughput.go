package main

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// crowds are the numbers of clients that throughput is measured with.
var crowds = []int{1, 2, 8, 32}

// throughput measures the seconds of audio that come out in a second.
func throughput(ctx context.Context, b *bench) ([]part, error) {
	t, err := newSample(english, 500)
	if err != nil {
		return nil, err
	}
	naive, vaak := make([][]float64, len(crowds)), make([][]float64, len(crowds))
	var bare, ceiling []float64
	pcm, rate, err := b.library.record(ctx, t)
	if err != nil {
		return nil, err
	}
	for range b.plan.rounds {
		alone, err := b.library.speak(ctx, t, 20, false, "")
		if err != nil {
			return nil, err
		}
		resampling, err := resampleCost(pcm, rate, vaakRate)
		if err != nil {
			return nil, err
		}
		speaking := alone.cost()
		bare = append(bare, over(time.Second, speaking.wall))
		ceiling = append(ceiling, float64(runtime.NumCPU())*over(time.Second, speaking.cpu+resampling))
		for i, clients := range crowds {
			slow, err := sustain(b.naive, t, clients, b.plan.warm, b.plan.throughput)
			if err != nil {
				return nil, err
			}
			fast, err := sustain(b.vaak, t, clients, b.plan.warm, b.plan.throughput)
			if err != nil {
				return nil, err
			}
			naive[i] = append(naive[i], slow.audio/slow.wall.Seconds())
			vaak[i] = append(vaak[i], fast.audio/fast.wall.Seconds())
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
	}
	out := &table{header: []string{"clients", "naive", "Vaak", "Vaak ÷ naive", "Vaak ÷ ceiling"}}
	for i, clients := range crowds {
		n, v := median(naive[i]), median(vaak[i])
		out.add(fmt.Sprint(clients), whole(n), whole(v), ratio(v/max(n, 1)), ratio(v/max(median(ceiling), 1)))
	}
	return []part{
		prose(fmt.Sprintf("Seconds of audio per second, English, 500 characters, clients that send one request after the other, over %s after a warm-up. "+
			"Clients run on the same cores and take their share.", b.plan.throughput)),
		out,
		prose(fmt.Sprintf("The bare library, one process on one core, makes %s. The ceiling is %s: %d cores of bare library and bare resampler, and no server at all.",
			whole(median(bare)), whole(median(ceiling)), runtime.NumCPU())),
	}, nil
}
