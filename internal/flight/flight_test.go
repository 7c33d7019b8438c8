package flight

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var errMaking = errors.New("it cannot be made")

// ways are those to ask for a value and wait for it.
var ways = map[string]func(*Group[string, int], string, func() (int, error)) (int, error){
	"Do": (*Group[string, int]).Do,
	"Go": func(g *Group[string, int], k string, create func() (int, error)) (int, error) {
		return g.Go(k, create).Value()
	},
}

// forgotten checks that a group keeps nothing.
func forgotten(t *testing.T, g *Group[string, int]) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := len(g.flights); n != 0 {
		t.Errorf("%d flights are remembered, want none", n)
	}
}

// TestAlone: who asks alone gets what is made, each time anew, value and error.
func TestAlone(t *testing.T) {
	t.Parallel()
	for name, ask := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var g Group[string, int]
			for i := range 3 {
				for _, want := range []error{nil, errMaking} {
					if v, err := ask(&g, "k", func() (int, error) { return i, want }); v != i || err != want {
						t.Errorf("%d, %v was made, got %d, %v", i, want, v, err)
					}
					forgotten(t, &g)
				}
			}
		})
	}
}

// TestTogether: all who ask while a value is made get that one, and nobody waits for
// that of another key.
func TestTogether(t *testing.T) {
	t.Parallel()
	for first, begin := range ways {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var g Group[string, int]
				var all sync.WaitGroup
				var made atomic.Int64
				began := time.Now()
				create := func() (int, error) {
					time.Sleep(time.Minute)
					return int(made.Add(1)), errMaking
				}
				check := func(v int, err error) {
					if took := time.Since(began); v != 1 || err != errMaking || took != time.Minute {
						t.Errorf("got %d, %v after %v, want 1, %v after a minute", v, err, took, errMaking)
					}
				}
				all.Go(func() { check(begin(&g, "k", create)) })
				synctest.Wait()
				time.Sleep(time.Second)
				for _, ask := range ways {
					for range 5 {
						all.Go(func() { check(ask(&g, "k", create)) })
					}
				}
				synctest.Wait()
				if v, err := begin(&g, "another", func() (int, error) { return 7, nil }); v != 7 || err != nil || time.Since(began) != time.Second {
					t.Errorf("the value of another key = %d, %v after %v, want 7 after a second", v, err, time.Since(began))
				}
				all.Wait()
				forgotten(t, &g)
				if v, err := begin(&g, "k", create); v != 2 || err != errMaking {
					t.Errorf("asked again = %d, %v, want another", v, err)
				}
			})
		})
	}
}

// TestLeaves: a making goes on when those who wait for it have left, and who has its
// flight gets the value later, as often as it asks.
func TestLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g Group[string, int]
		gate := make(chan struct{})
		f := g.Go("k", func() (int, error) { <-gate; return 1, nil })
		if again := g.Go("k", func() (int, error) { return 2, nil }); again != f {
			t.Error("the second to ask has a flight of its own")
		}
		synctest.Wait()
		select {
		case <-f.Done():
			t.Error("it is done before it is made")
		default:
		}
		close(gate)
		synctest.Wait()
		forgotten(t, &g)
		<-f.Done()
		for range 2 {
			if v, err := f.Value(); v != 1 || err != nil {
				t.Errorf("Value = %d, %v, want 1", v, err)
			}
		}
	})
}

// breakDown is in the stack of who panics.
func breakDown(with error) (int, error) { panic(with) }

// TestPanic: a panic is everyone's who waits, the first sees where it came from, and
// the next who asks has the value made.
func TestPanic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g Group[string, int]
		var all sync.WaitGroup
		gate := make(chan struct{})
		var stacks atomic.Int64
		ask := func(wait func() (int, error)) {
			defer func() {
				if v := recover(); v != errMaking {
					t.Errorf("recovered %v, want %v", v, errMaking)
				}
				if strings.Contains(string(debug.Stack()), "breakDown") {
					stacks.Add(1)
				}
			}()
			v, err := wait()
			t.Errorf("got %d, %v, want a panic", v, err)
		}
		create := func() (int, error) { <-gate; return breakDown(errMaking) }
		for range 5 {
			all.Go(func() { ask(func() (int, error) { return g.Do("k", create) }) })
		}
		synctest.Wait()
		f := g.Go("k", create)
		close(gate)
		all.Wait()
		ask(f.Value)
		if n := stacks.Load(); n != 1 {
			t.Errorf("%d stacks tell where it broke, want that of the first", n)
		}
		forgotten(t, &g)
		if v, err := g.Do("k", func() (int, error) { return 3, nil }); v != 3 || err != nil {
			t.Errorf("after the panic Do = %d, %v, want 3", v, err)
		}
	})
}

// TestExit: where create ends its goroutine, as a test that fails does, those who wait
// end, too.
func TestExit(t *testing.T) {
	t.Parallel()
	for first, begin := range ways {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var g Group[string, int]
				var all sync.WaitGroup
				gate := make(chan struct{})
				var ended atomic.Int64
				for range 5 {
					all.Go(func() {
						defer ended.Add(1)
						v, err := begin(&g, "k", func() (int, error) { <-gate; runtime.Goexit(); return 1, nil })
						t.Errorf("got %d, %v, want the end", v, err)
					})
				}
				synctest.Wait()
				close(gate)
				all.Wait()
				if n := ended.Load(); n != 5 {
					t.Errorf("%d of 5 who wait have ended", n)
				}
				forgotten(t, &g)
				if v, err := begin(&g, "k", func() (int, error) { return 3, nil }); v != 3 || err != nil {
					t.Errorf("afterwards = %d, %v, want 3", v, err)
				}
			})
		})
	}
}

// TestPanicAlone: a panic that nobody may be there to hear of ends the program.
func TestPanicAlone(t *testing.T) {
	t.Parallel()
	const inside = "FLIGHT_TEST_PANIC"
	if os.Getenv(inside) != "" {
		var g Group[string, int]
		g.Go("k", func() (int, error) { return breakDown(errMaking) })
		select {}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestPanicAlone$", "-test.timeout=1m")
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.CombinedOutput()
	if s := string(out); err == nil || !strings.Contains(s, "panic: "+errMaking.Error()) || !strings.Contains(s, "breakDown") {
		t.Errorf("the program ended with %v and said:\n%s\nwant the panic and where it came from", err, s)
	}
}

// TestAtOnce: nobody is handed what had been handed out before it asked, and no two
// makings of a key run at once.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	var g Group[int, int64]
	var all sync.WaitGroup
	var made, running [3]atomic.Int64
	for n := range 8 {
		all.Go(func() {
			var last [3]int64
			for i := range 3000 {
				k := (i + n) % 3
				create := func() (int64, error) {
					defer running[k].Add(-1)
					if running[k].Add(1) != 1 {
						t.Errorf("two makings of %d run at once", k)
					}
					runtime.Gosched()
					return made[k].Add(1), nil
				}
				var v int64
				if n%2 == 0 {
					v, _ = g.Do(k, create)
				} else {
					v, _ = g.Go(k, create).Value()
				}
				if v <= last[k] {
					t.Errorf("asked for %d again, got %d after %d", k, v, last[k])
				}
				last[k] = v
			}
		})
	}
	all.Wait()
	if n := len(g.flights); n != 0 {
		t.Errorf("%d flights are remembered, want none", n)
	}
}
