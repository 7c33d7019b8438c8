package main

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
)

// memoryStreams is how many streams run while memory is looked at.
const memoryStreams = 32

// footprint is the memory of a server at one moment, in KiB.
type footprint struct {
	server, workers int64 // resident
	utterances      int64 // of all of them, as those that were looked at; shared pages counted once
	running         int64 // how many there are
}

// memoryUse measures resident memory, idle and under streams at playback speed.
func memoryUse(ctx context.Context, b *bench) ([]part, error) {
	t, err := newSample(english, 5000)
	if err != nil {
		return nil, err
	}
	s, err := b.library.speak(ctx, t, 1, false, "")
	if err != nil {
		return nil, err
	}
	out := &table{header: []string{"system", "server, idle", "worker, idle", "server, 32 streams", "worker, 32 streams", "an utterance's process", "a stream more, in all"}}
	out.add("bare library", "—", mebibytes(s.maxRSS), "—", "—", "—", "—")
	for _, s := range []*server{b.naive, b.vaak} {
		idle, busy, err := weigh(s, t)
		if err != nil {
			return nil, err
		}
		worker := func(kib int64) string {
			if !s.hasWorker {
				return "—"
			}
			return mebibytes(kib)
		}
		running := max(busy.running, 1)
		growth := busy.server + busy.workers + busy.utterances - idle.server - idle.workers
		out.add(map[*server]string{b.naive: "naive server", b.vaak: "Vaak"}[s],
			mebibytes(idle.server), worker(idle.workers), mebibytes(busy.server), worker(busy.workers),
			mebibytes(busy.utterances/running), mebibytes(growth/running))
	}
	held, err := heldMemory(ctx, b)
	if err != nil {
		return nil, err
	}
	return append([]part{
		prose("MiB resident, after all that went before in this run. Streams are 32 texts of 5,000 characters in English, read at playback speed, looked at when the buffers are full. " +
			"The processes that speak share most of their pages with each other and with the worker, so theirs is the proportional set size " +
			"(`Pss`): a page that n processes share counts 1/n to each. Buffers of the sockets are the kernel's and not in it."),
		out,
	}, held...), nil
}

// weigh looks at a server that is idle and at one that serves streams.
func weigh(s *server, t sample) (idle, busy footprint, err error) {
	if err := s.waitIdle(); err != nil {
		return idle, busy, err
	}
	if idle, err = s.footprint(); err != nil {
		return idle, busy, err
	}
	a, err := listen(s, t, memoryStreams)
	if err != nil {
		return idle, busy, err
	}
	busy, err = s.footprint()
	return idle, busy, errors.Join(err, a.stop(s))
}

func (s *server) footprint() (footprint, error) {
	var f footprint
	m, err := readMemory(s.pid())
	if err != nil {
		return f, err
	}
	f.server = m.rss
	workers, err := s.workers()
	if err != nil {
		return f, err
	}
	for _, pid := range workers {
		if m, err = readMemory(pid); err != nil {
			return f, err
		}
		f.workers += m.rss
	}
	utterances, err := s.utterances()
	if err != nil {
		return f, err
	}
	looked, step := int64(0), max(len(utterances)/mostLooked, 1)
	for i := 0; i < len(utterances); i += step {
		m, err := readMemory(utterances[i])
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it has just ended
		}
		if err != nil {
			return f, err
		}
		f.utterances += m.pss
		looked++
	}
	f.running = int64(len(utterances))
	f.utterances = f.utterances * f.running / max(looked, 1)
	return f, nil
}

// mostLooked is about how many utterances are looked at: the kernel goes through
// all pages of a process to answer, and hundreds of those would cost the server
// the time that is measured.
const mostLooked = 32
