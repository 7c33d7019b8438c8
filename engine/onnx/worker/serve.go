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
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"vaak/engine/onnx/graph"
	"vaak/engine/onnx/ort"
)

// Settings configure a worker.
type Settings struct {
	// Library is the path of ONNX Runtime; "" looks where the dynamic linker does.
	Library string
	// Memory is how many bytes the models may take; 0 is no limit.
	Memory int64
	// Idle is after how long models are dropped that nobody uses; 0 is never.
	Idle time.Duration
	// Threads is how many threads compute one job; 0 is 1.
	Threads int
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
		shelf:   shelf{lib: lib, most: set.Memory, threads: set.Threads, held: map[modelName]*held{}},
		slots:   make(chan struct{}, runtime.GOMAXPROCS(0)),
		threads: set.Threads,
		idle:    set.Idle,
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
	// threads is how many threads compute one job; 0 is 1.
	threads int
	noise   tapeCache
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
	if err := s.do(ctx, x.enc, j, demands); err != nil && ctx.Err() == nil {
		_ = x.enc.Encode(reply{Err: err.Error(), Bad: errors.As(err, new(badModel))})
	}
}

// version returns the version of the library; "" if there is none.
func (s *server) version() string {
	if s.lib == nil {
		return ""
	}
	return s.lib.Version()
}

func (s *server) do(ctx context.Context, to *gob.Encoder, j Job, demands <-chan struct{}) error {
	if s.failed != nil {
		return s.failed
	}
	if j.Model == "" { // only asks for the version
		return to.Encode(reply{Version: s.version(), Done: true})
	}
	h, err := s.shelf.get(ctx, modelName{j.Kind, j.Model, j.Digest, j.Whole})
	if err != nil {
		return err
	}
	spoiled := false
	defer func() { s.shelf.put(h, spoiled) }()
	m := h.model
	if len(j.IDs) == 0 { // only asks for the facts
		return to.Encode(reply{Facts: m.facts, Done: true})
	}
	if err := j.check(); err != nil {
		return err
	}
	var made *sound
	first := reply{Facts: m.facts}
	first.Busy, err = s.compute(ctx, func(ctx context.Context) error {
		var err error
		made, err = begin(ctx, m, j, s.noise.get(j.Seed))
		return err
	})
	if err != nil {
		spoiled = ctx.Err() == nil
		return err
	}
	first.Ends = made.ends
	if err := to.Encode(first); err != nil {
		return err
	}
	for {
		select {
		case <-demands:
		case <-ctx.Done():
			return context.Cause(ctx)
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
			return err
		}
		if err := to.Encode(r); err != nil || r.Done {
			return err
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
	// dearer. Runs of several threads have only the time of the clock.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began, before := time.Now(), threadTime()
	err := work(ctx)
	if s.threads > 1 || before == 0 {
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

// tapeCache keeps the noise of the seeds that were used of late. Nearly all jobs have the usual
// seed.
type tapeCache struct {
	mu   sync.Mutex
	kept []seeded // the latest last
}

type seeded struct {
	seed uint64
	tapes
}

const keptTapes = 4

func (c *tapeCache) get(seed uint64) tapes {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.kept {
		if k.seed == seed {
			return k.tapes
		}
	}
	normal, uniform := graph.Tapes(seed, tapeLength)
	k := seeded{seed, tapes{normal, uniform}}
	if len(c.kept) == keptTapes {
		// The first one stays: it is that of the usual seed.
		c.kept = append(c.kept[:1], c.kept[2:]...)
	}
	c.kept = append(c.kept, k)
	return k.tapes
}

// logFailure reports why a worker has ended.
func logFailure(log *slog.Logger, err error) {
	log.Error("the worker of neural voices has ended; another is started", "error", err)
}
