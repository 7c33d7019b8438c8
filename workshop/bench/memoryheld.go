package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// heldStreams is how many streams run while memory is looked at, format by
// format.
const heldStreams = 200

// settleTime is how long a crowd's first seconds last, in which buffers fill.
const settleTime = 3 * time.Second

// heldMemory measures what a stream more costs in each format.
func heldMemory(ctx context.Context, b *bench) ([]part, error) {
	n := b.plan.scaled(heldStreams)
	long, err := newSample(english, 5000)
	if err != nil {
		return nil, err
	}
	out := &table{header: []string{"format", "server, idle", fmt.Sprintf("server, %d streams", n), "worker", "an utterance's process", "utterances that run", "server, a stream more", "in all, a stream more"}}
	for _, f := range b.formats {
		idle, busy, err := weighHeld(ctx, b.vaak.in(f), long, n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Codec, err)
		}
		server := busy.server - idle.server
		all := server + busy.workers - idle.workers + busy.utterances
		out.add(string(f.Codec), mebibytes(idle.server), mebibytes(busy.server), mebibytes(busy.workers),
			mebibytes(busy.utterances/max(busy.running, 1)), fmt.Sprint(busy.running),
			mebibytesEach(server, n), mebibytesEach(all, n))
	}
	return []part{
		prose(fmt.Sprintf("The same of Vaak with %d streams of 5,000 characters in each format, at playback speed, %s after the last has come. "+
			"What the server keeps for later of what it has needed before shows in the idle figures of the formats that follow.", n, settleTime)),
		out,
	}, nil
}

// weighHeld looks at a server that is idle and at one that serves n streams.
func weighHeld(ctx context.Context, s *server, t sample, n int) (idle, busy footprint, err error) {
	if err := s.waitIdle(); err != nil {
		return idle, busy, err
	}
	if idle, err = s.footprint(); err != nil {
		return idle, busy, err
	}
	a, err := assemble(s, t, n)
	if err != nil {
		return idle, busy, err
	}
	pause(ctx, settleTime)
	busy, err = s.footprint()
	return idle, busy, errors.Join(err, ctx.Err(), a.stop(s))
}

// mebibytesEach prints a share of an amount in KiB, which may be small.
func mebibytesEach(kib int64, n int) string { return fmt.Sprintf("%.2f", float64(kib)/1024/float64(n)) }
