package worker

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"vaak/engine/onnx/graph"
	"vaak/engine/onnx/ort"
	"vaak/internal/flight"
	"vaak/internal/recent"
)

// Settings configure a worker.
type Settings struct {
	// Library is the path of ONNX Runtime; "" looks where the dynamic linker does.
	Library string
	// Memory is how many bytes the models may take; 0 is no limit.
	Memory int64
	// Idle is after how long models are dropped that nobody uses; 0 is never.
	Idle time.Duration
}

// listenerFD is the descriptor on which the worker finds its listener.
const listenerFD = 3

// ownMemory is what the worker may take beside the models. A model that eats more memory than it
// should meets the limit of the process.
const ownMemory = 512 << 20

// niceness is how much the worker yields to others: to a server whose other voices are cheap, and
// to the programs that encode its sound.
const niceness = 5

// Main runs the worker: it serves jobs on the inherited listener until standard input ends, which
// is when the server has ended.
func Main(set Settings) error {
	f := os.NewFile(listenerFD, "listener")
	l, err := net.FileListener(f)
	if err != nil {
		return fmt.Errorf("this command is started by the server: %w", err)
	}
	// Of the group, which is this process alone: of the process it would be one thread's.
	_ = unix.Setpriority(unix.PRIO_PGRP, 0, niceness)
	if set.Memory > 0 {
		most := uint64(set.Memory + ownMemory)
		_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most})
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	lib, err := openLibrary(set.Library)
	return (&server{
		lib: lib, failed: err,
		shelf: shelf{lib: lib, most: set.Memory, held: map[modelName]*held{}},
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
		idle:  set.Idle,
		noise: noise{kept: recent.New[uint64, tapes](keptTapes, nil)},
	}).serve(l)
}

func openLibrary(path string) (*ort.Library, error) {
	if path != "" {
		return ort.Open(path)
	}
	return ort.Open("libonnxruntime.so.1", "libonnxruntime.so")
}

// server is the worker.
type server struct {
	lib    *ort.Library
	failed error // why there is no library
	shelf  shelf
	slots  chan struct{} // of computations
	idle   time.Duration
	noise  noise
}

func (s *server) serve(l net.Listener) error {
	if s.idle > 0 {
		go func() {
			for range time.Tick(s.idle / 4) {
				s.shelf.dropIdle(s.idle)
			}
		}()
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			s.answer(conn)
		}()
	}
}

// answer does the job of a connection.
func (s *server) answer(conn net.Conn) {
	// Tells the client that a worker is there, however long the job will take.
	if _, err := conn.Write([]byte{greeting}); err != nil {
		return
	}
	x := newExchange(conn)
	var j Job
	if x.dec.Decode(&j) != nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	demands := make(chan struct{}, 1)
	go func() {
		// Ends with the connection, and so does the computation.
		defer stop()
		for {
			var d demand
			if x.dec.Decode(&d) != nil {
				return
			}
			select {
			case demands <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	last, err := s.do(ctx, x.enc, j, demands)
	if err != nil {
		last = reply{Err: err.Error(), Bad: errors.As(err, new(badModel))}
	}
	if ctx.Err() == nil {
		_ = x.enc.Encode(last) // a client that has left needs none
	}
}

// version returns the version of the library; "" if there is none.
func (s *server) version() string {
	if s.lib == nil {
		return ""
	}
	return s.lib.Version()
}

// do does a job and returns its last reply, which is sent when the model has been given back: what a
// client asks next finds the memory as it will be.
func (s *server) do(ctx context.Context, to *gob.Encoder, j Job, demands <-chan struct{}) (last reply, err error) {
	if s.failed != nil {
		return last, s.failed
	}
	if j.Model == "" { // only asks for the version
		return reply{Version: s.version(), Done: true}, nil
	}
	h, err := s.shelf.get(ctx, modelName{j.Kind, j.Model, j.Digest, j.Whole})
	if err != nil {
		return last, err
	}
	spoiled := false
	defer func() { s.shelf.put(h, spoiled) }()
	m := h.model
	if len(j.IDs) == 0 { // only asks for the facts
		return reply{Facts: m.facts, Done: true}, nil
	}
	if err := j.check(); err != nil {
		return last, err
	}
	var made *sound
	var first reply
	first.Busy, err = s.compute(ctx, func(ctx context.Context) error {
		var err error
		made, err = begin(ctx, m, j, s.noise.of(j.Seed))
		return err
	})
	if err != nil {
		spoiled = ctx.Err() == nil
		return last, err
	}
	first.Ends = made.ends
	if err := to.Encode(first); err != nil {
		return last, err
	}
	for {
		select {
		case <-demands:
		case <-ctx.Done():
			return last, context.Cause(ctx)
		}
		var r reply
		next := func(ctx context.Context) error {
			var err error
			r.Part, r.PCM, r.Done, err = made.chunk(ctx)
			return err
		}
		if made.computed() { // what is there already does not wait behind others
			err = next(ctx)
		} else {
			r.Busy, err = s.compute(ctx, next)
		}
		if err != nil {
			spoiled = ctx.Err() == nil
			return last, err
		}
		if r.Done {
			return r, nil
		}
		if err := to.Encode(r); err != nil {
			return last, err
		}
	}
}

// mostComputing is how long one computation may take. A Kokoro of 20 s takes 15 s of a processor; a
// model that takes longer than this may never end.
const mostComputing = 2 * time.Minute

// compute does some work in a slot, and returns how much of a processor it took.
func (s *server) compute(ctx context.Context, work func(context.Context) error) (time.Duration, error) {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	defer func() { <-s.slots }()
	ctx, stop := context.WithTimeoutCause(ctx, mostComputing, badf("it computes for more than %v without a result", mostComputing))
	defer stop()
	// The time of the thread, since others who use the processor make the work longer but not
	// dearer.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began, before := time.Now(), threadTime()
	err := work(ctx)
	if before == 0 {
		return time.Since(began), err
	}
	return threadTime() - before, err
}

// threadTime returns how long a processor has worked for the calling thread.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// tapes are the noise of a job.
type tapes struct{ normal, uniform []float32 }

// noise keeps the tapes of the seeds that were used of late. Nearly all jobs have the usual seed.
type noise struct {
	kept   *recent.Memory[uint64, tapes]
	making flight.Group[uint64, tapes]
}

// keptTapes is of how many seeds the noise is kept at most, 8 MiB each.
const keptTapes = 4

// of returns the noise of a seed.
func (n *noise) of(seed uint64) tapes {
	if t, ok := n.kept.Get(seed); ok {
		return t
	}
	t, _ := n.making.Do(seed, func() (tapes, error) { // it has no error
		if t, ok := n.kept.Get(seed); ok { // it was made since
			return t, nil
		}
		normal, uniform := graph.Tapes(seed, tapeLength)
		t := tapes{normal, uniform}
		n.kept.Put(seed, t)
		return t, nil
	})
	return t
}

// logFailure reports why a worker has ended.
func logFailure(log *slog.Logger, err error) {
	log.Error("the worker of neural voices has ended; another is started", "error", err)
}
