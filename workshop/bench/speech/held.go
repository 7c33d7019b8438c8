package speech

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/listeners"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// heldStreams is how many streams run while memory is looked at, format by
// format.
const heldStreams = 200

// settleTime is how long a crowd's first seconds last, in which buffers fill.
const settleTime = 3 * time.Second

// heldMemory measures what a stream more costs in each format.
func heldMemory(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	n := b.Plan.Scaled(heldStreams)
	long, err := corpus.New(corpus.English, 5000)
	if err != nil {
		return nil, err
	}
	out := &report.Table{Header: []string{"format", "server, idle", fmt.Sprintf("server, %d streams", n), "worker", "an utterance's process", "utterances that run", "server, a stream more", "in all, a stream more"}}
	for _, f := range b.Formats {
		idle, busy, err := weighHeld(ctx, b.Vaak.In(f), long, n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Codec, err)
		}
		server := busy.Server - idle.Server
		all := server + busy.Workers - idle.Workers + busy.Utterances
		out.Add(string(f.Codec), report.Mebibytes(idle.Server), report.Mebibytes(busy.Server), report.Mebibytes(busy.Workers),
			report.Mebibytes(busy.Utterances/max(busy.Running, 1)), fmt.Sprint(busy.Running),
			mebibytesEach(server, n), mebibytesEach(all, n))
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("The same of Vaak with %d streams of 5,000 characters in each format, at playback speed, %s after the last has come. "+
			"What the server keeps for later of what it has needed before shows in the idle figures of the formats that follow.", n, settleTime)),
		out,
	}, nil
}

// weighHeld looks at a server that is idle and at one that serves n streams.
func weighHeld(ctx context.Context, s *server.Server, t corpus.Sample, n int) (idle, busy server.Footprint, err error) {
	if err := s.WaitIdle(); err != nil {
		return idle, busy, err
	}
	if idle, err = s.Footprint(); err != nil {
		return idle, busy, err
	}
	a, err := listeners.Assemble(s, t, n)
	if err != nil {
		return idle, busy, err
	}
	server.Pause(ctx, settleTime)
	busy, err = s.Footprint()
	return idle, busy, errors.Join(err, ctx.Err(), a.Stop(s))
}

// mebibytesEach prints a share of an amount in KiB, which may be small.
func mebibytesEach(kib int64, n int) string { return fmt.Sprintf("%.2f", float64(kib)/1024/float64(n)) }
