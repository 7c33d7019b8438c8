package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// probe asks whether a server is ready and returns the status and what is wrong.
func probe(t testing.TB, r *Readiness) (status int, wrong map[string]string) {
	t.Helper()
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil).WithContext(t.Context()))
	var answer struct {
		Ready  bool      `json:"ready"`
		Checks []Finding `json:"checks"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("GET /readyz = %s: %v", w.Body, err)
	}
	if answer.Ready != (w.Code == 200) {
		t.Errorf("GET /readyz = %d with %s", w.Code, w.Body)
	}
	wrong = map[string]string{}
	for _, f := range answer.Checks {
		if !f.OK {
			wrong[f.Name] = f.Error
		}
	}
	return w.Code, wrong
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tel := newTelemetry(t, Config{})
		var broken, stuck atomic.Bool
		var runs atomic.Int32
		r := tel.Readiness(
			Check{Name: "store", Run: func(context.Context) error {
				runs.Add(1)
				if broken.Load() {
					return errors.New("it is full")
				}
				return nil
			}},
			Check{Name: "engine", Keep: time.Minute, Run: func(ctx context.Context) error {
				if stuck.Load() {
					<-ctx.Done()
					return ctx.Err()
				}
				return nil
			}})
		expectProbe := func(when string, status int, wrong map[string]string) {
			t.Helper()
			got, findings := probe(t, r)
			if diff := cmp.Diff(wrong, findings); got != status || diff != "" {
				t.Errorf("%s: GET /readyz = %d, want %d; wrong (-want +got):\n%s", when, got, status, diff)
			}
		}
		none := map[string]string{}
		expectProbe("all well", 200, none)
		broken.Store(true)
		stuck.Store(true)
		expectProbe("before the results are old", 200, none)
		if n := runs.Load(); n != 1 {
			t.Errorf("two probes at once ran the check %d times, want 1", n)
		}
		time.Sleep(time.Second)
		expectProbe("a second later", 503, map[string]string{"store": "it is full"})
		broken.Store(false)
		time.Sleep(time.Minute)
		began := time.Now()
		expectProbe("when the engine is asked again", 503, map[string]string{"engine": "no result within 1s"})
		if took := time.Since(began); took != time.Second {
			t.Errorf("a stuck check took %v, want 1s", took)
		}
		stuck.Store(false)
		time.Sleep(time.Second)
		expectProbe("a failure is not kept for long", 200, none)
		synctest.Wait()
	})
}

// TestManyProbesOneRun has many probes wait for one slow check.
func TestManyProbesOneRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		r := newTelemetry(t, Config{}).Readiness(Check{Name: "slow", Run: func(context.Context) error {
			runs.Add(1)
			time.Sleep(500 * time.Millisecond)
			return nil
		}})
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if status, wrong := probe(t, r); status != 200 {
					t.Errorf("GET /readyz = %d: %v", status, wrong)
				}
			})
		}
		wg.Wait()
		if n := runs.Load(); n != 1 {
			t.Errorf("50 probes ran the check %d times, want 1", n)
		}
	})
}

// TestDeafCheck has a check that does not heed its context: it is not run twice.
func TestDeafCheck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		release := make(chan struct{})
		r := newTelemetry(t, Config{}).Readiness(Check{Name: "deaf", Run: func(context.Context) error {
			runs.Add(1)
			<-release
			return nil
		}})
		for range 3 {
			if status, _ := probe(t, r); status != 503 {
				t.Errorf("GET /readyz = %d, want 503", status)
			}
		}
		if n := runs.Load(); n != 1 {
			t.Errorf("the check runs %d times at once, want 1", n)
		}
		close(release)
		synctest.Wait()
		if status, _ := probe(t, r); status != 200 {
			t.Errorf("GET /readyz = %d once the check is over, want 200", status)
		}
	})
}

func TestSpace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		dir   string
		least uint64
		want  string
	}{
		{"enough", t.TempDir(), 1, ""},
		{"not enough", t.TempDir(), 1 << 62, "MiB are free"},
		{"no directory", t.TempDir() + "/none", 1, "find the room"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := Space(tt.dir, tt.least)(t.Context())
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Space(%q, %d) = %v, want %q", tt.dir, tt.least, err, tt.want)
			}
		})
	}
}
