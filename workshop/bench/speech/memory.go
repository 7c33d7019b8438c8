package speech

import (
	"context"
	"errors"

	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/listeners"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// memoryStreams is how many streams run while memory is looked at.
const memoryStreams = 32

// Memory measures resident memory, idle and under streams at playback speed.
func Memory(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	t, err := corpus.New(corpus.English, 5000)
	if err != nil {
		return nil, err
	}
	s, err := b.Library.Speak(ctx, t, 1, false, "")
	if err != nil {
		return nil, err
	}
	out := &report.Table{Header: []string{"system", "server, idle", "worker, idle", "server, 32 streams", "worker, 32 streams", "an utterance's process", "a stream more, in all"}}
	out.Add("bare library", "—", report.Mebibytes(s.MaxRSS), "—", "—", "—", "—")
	for _, s := range []*server.Server{b.Naive, b.Vaak} {
		idle, busy, err := weigh(s, t)
		if err != nil {
			return nil, err
		}
		worker := func(kib int64) string {
			if !s.HasWorker {
				return "—"
			}
			return report.Mebibytes(kib)
		}
		running := max(busy.Running, 1)
		growth := busy.Server + busy.Workers + busy.Utterances - idle.Server - idle.Workers
		out.Add(map[*server.Server]string{b.Naive: "naive server", b.Vaak: "Vaak"}[s],
			report.Mebibytes(idle.Server), worker(idle.Workers), report.Mebibytes(busy.Server), worker(busy.Workers),
			report.Mebibytes(busy.Utterances/running), report.Mebibytes(growth/running))
	}
	held, err := heldMemory(ctx, b)
	if err != nil {
		return nil, err
	}
	return append([]report.Part{
		report.Prose("MiB resident, after all that went before in this run. Streams are 32 texts of 5,000 characters in English, read at playback speed, looked at when the buffers are full. " +
			"The processes that speak share most of their pages with each other and with the worker, so theirs is the proportional set size " +
			"(`Pss`): a page that n processes share counts 1/n to each. Buffers of the sockets are the kernel's and not in it."),
		out,
	}, held...), nil
}

// weigh looks at a server that is idle and at one that serves streams.
func weigh(s *server.Server, t corpus.Sample) (idle, busy server.Footprint, err error) {
	if err := s.WaitIdle(); err != nil {
		return idle, busy, err
	}
	if idle, err = s.Footprint(); err != nil {
		return idle, busy, err
	}
	a, err := listeners.Gather(s, t, memoryStreams)
	if err != nil {
		return idle, busy, err
	}
	busy, err = s.Footprint()
	return idle, busy, errors.Join(err, a.Stop(s))
}
