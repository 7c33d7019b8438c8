package measure

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vaak/audio/audiotest"
	"vaak/audio/codec"
)

// folder opens files of a directory.
type folder string

func (f folder) Open(path string) (File, error) { return os.Open(filepath.Join(string(f), path)) }

// memory is a [Cache].
type memory struct {
	mu   sync.Mutex
	kept map[string][]byte
	puts int
}

func (m *memory) Measured(_ context.Context, sum, method string) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.kept[sum+method]
	return text, ok, nil
}

func (m *memory) KeepMeasured(_ context.Context, sum, method string, report []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = map[string][]byte{}
	}
	m.kept[sum+method] = report
	m.puts++
	return nil
}

// conversation returns two channels whose speakers take turns.
func conversation(rate, seconds int) (a, b []int16) {
	n := rate * seconds
	a, b = make([]int16, n), make([]int16, n)
	for at, first := 0, true; at+2*rate < n; at, first = at+3*rate, !first {
		to := a
		if !first {
			to = b
		}
		copy(to[at:], audiotest.Speech(rate, 2*rate))
	}
	return a, b
}

func writeFLAC(t testing.TB, path string, rate int, channels ...[]int16) {
	t.Helper()
	file, err := codec.FLACFile(rate, channels...)
	if err == nil {
		err = os.WriteFile(path, file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// newFolder makes a folder with recordings and one file that is none.
func newFolder(t testing.TB) (folder, []string) {
	t.Helper()
	dir := t.TempDir()
	a, b := conversation(8000, 20)
	writeFLAC(t, filepath.Join(dir, "dual.flac"), 8000, a, b)
	writeFLAC(t, filepath.Join(dir, "mono.flac"), 16000, audiotest.Speech(16000, 40000))
	writeFLAC(t, filepath.Join(dir, "again.flac"), 8000, a, b)
	if err := os.WriteFile(filepath.Join(dir, "text.flac"), []byte("no audio"), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder(dir), []string{"dual.flac", "text.flac", "mono.flac", "again.flac", "gone.flac"}
}

// The same figures come from one goroutine and from many, from the cache and from
// others, and one file that cannot be measured spoils no other.
func TestFilesHoweverTheyAreMeasured(t *testing.T) {
	t.Parallel()
	from, paths := newFolder(t)
	want, faults, err := Files(t.Context(), from, string(from), paths, Config{Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, wrong := range []bool{false, true, false, false, true} {
		if (faults[i] != nil) != wrong {
			t.Errorf("%s: %v; want an error: %v", paths[i], faults[i], wrong)
		}
	}
	if want[0].Layout != "dual" || want[2].Layout != "mono" || want[0].DurationS != 20 || want[0].SHA256 != want[3].SHA256 {
		t.Errorf("measured %+v", want)
	}
	shared := &memory{}
	for name, cfg := range map[string]Config{
		"many at once": {Jobs: 8},
		"cached":       {Cache: &memory{}},
		"shared": {Cache: shared, Share: func(ctx context.Context, tasks []Task) error {
			for _, task := range tasks {
				if err := Work(ctx, from, task, shared); err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		for _, again := range []string{"", ", again"} {
			last := Progress{}
			cfg.Progress = func(p Progress) { last = p }
			got, gotFaults, err := Files(t.Context(), from, string(from), paths, cfg)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s%s (-one by one +got):\n%s", name, again, diff)
			}
			for i := range faults {
				if (faults[i] == nil) != (gotFaults[i] == nil) {
					t.Errorf("%s%s: %s: %v, want %v", name, again, paths[i], gotFaults[i], faults[i])
				}
			}
			if last.Done != len(paths) || again != "" && cfg.Cache != nil && last.Cached != 4 {
				t.Errorf("%s%s: progress ended at %+v", name, again, last)
			}
		}
	}
}

// What is measured when the work is broken off need not be measured again.
func TestFilesCanBeGoneOnWith(t *testing.T) {
	t.Parallel()
	from, paths := newFolder(t)
	cache := &memory{}
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := Files(ctx, from, string(from), paths[:3], Config{Jobs: 1, Cache: cache, Progress: func(p Progress) {
		if p.Done == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Files = %v, want %v", err, context.Canceled)
	}
	if cache.puts != 2 {
		t.Fatalf("%d reports were kept, want 2", cache.puts)
	}
	if _, _, err := Files(t.Context(), from, string(from), paths[:3], Config{Cache: cache}); err != nil || cache.puts != 3 {
		t.Errorf("Files again = %v with %d reports, want 3: one more", err, cache.puts)
	}
}

func BenchmarkAnalyse(b *testing.B) {
	dir := b.TempDir()
	x, y := conversation(8000, 300)
	path := filepath.Join(dir, "a.flac")
	writeFLAC(b, path, 8000, x, y)
	b.ReportAllocs()
	for b.Loop() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := analyse(b.Context(), f); err != nil {
			b.Fatal(err)
		}
		_ = f.Close() // read only
	}
	b.ReportMetric(300*float64(b.N)/b.Elapsed().Seconds(), "hours/core-hour")
}
