package catalogue

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue"
	"vaak/workshop/bench/server"
)

// TestRecordMaker checks that records are the same each time, and can be listed.
func TestRecordMaker(t *testing.T) {
	t.Parallel()
	m := newRecordMaker()
	slugs, languages, samples := map[string]bool{}, map[string]bool{}, 0
	const records = 1000
	for n := range records {
		s := m.make(n)
		d := s.Dataset
		if n%100 == 0 {
			if diff := cmp.Diff(s, m.make(n)); diff != "" {
				t.Fatalf("record %d differs from time to time:\n%s", n, diff)
			}
		}
		if !catalogue.IsID(d.ID) || !catalogue.IsSlug(d.Slug) || slugs[d.ID] || slugs[d.Slug] {
			t.Errorf("record %d has the id %q and the slug %q", n, d.ID, d.Slug)
		}
		if d.Hours < 1 || d.Hours > mostHours {
			t.Errorf("record %d has %g hours", n, d.Hours)
		}
		if d.Sample != nil {
			samples++
		}
		slugs[d.ID], slugs[d.Slug], languages[d.BCP47] = true, true, true
	}
	if len(languages) < recordLanguages*3/4 || samples != records/sampledEvery {
		t.Errorf("%d languages, want nearly %d; %d samples, want %d", len(languages), recordLanguages, samples, records/sampledEvery)
	}
}

// TestLookups checks the mix of requests.
func TestLookups(t *testing.T) {
	t.Parallel()
	m, r := newRecordMaker(), rand.New(rand.NewPCG(1, 1))
	next, counts := m.listing(100), map[string]int{}
	for range 30 {
		q := next(r).path
		if strings.ContainsAny(q, " \r\n") {
			t.Errorf("%q is no address", q)
		}
		for _, name := range []string{"q=", "language=", "channels=", "min_hours=", "limit=20"} {
			if strings.Contains(q, name) {
				counts[name]++
			}
		}
	}
	want := map[string]int{"q=": 10, "language=": 10, "channels=": 10, "min_hours=": 10, "limit=20": 30}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("parameters of 30 requests (-want +got):\n%s", diff)
	}
}

// TestLooked measures a server that answers at once.
func TestLooked(t *testing.T) {
	t.Parallel()
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(strings.Repeat("x", 10)))
	}))
	defer at.Close()
	cmd := exec.CommandContext(t.Context(), "sleep", "60") // whose processor time is looked at
	if err := cmd.Start(); err != nil {
		t.Skipf("there is no process to look at: %v", err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	}()
	s := &server.Server{Name: "test", Addr: at.Listener.Addr().String(), Cmd: cmd}
	var l looked
	for i := range 2 {
		if err := l.round(s, bare(10), 9, i); err != nil {
			t.Fatal(err)
		}
	}
	if l.took.Count() != 18 || l.mean() != 10 || len(l.rates) != 2 || l.rates[0] <= 0 || l.used[0] != 0 {
		t.Errorf("18 requests of 10 bytes: %+v", l)
	}
}

func TestGrowth(t *testing.T) {
	t.Parallel()
	small := &shelfFigures{list: looked{rates: []float64{100, 100, 100}, used: []time.Duration{10, 10, 10}}}
	large := &shelfFigures{list: looked{rates: []float64{50, 50, 10}, used: []time.Duration{30, 40, 20}}}
	byTime, byProcessor := growth([]*shelfFigures{small, large}, func(s *shelfFigures) *looked { return &s.list })
	if byTime != 2 || byProcessor != 3 {
		t.Errorf("growth = %g, %g; want 2, 3", byTime, byProcessor)
	}
}

// TestNaiveList checks that the naive server lists what was written.
func TestNaiveList(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skipf("the naive server needs it: %v", err)
	}
	m, dir := newRecordMaker(), t.TempDir()
	lines, err := writeRecords(t.Context(), filepath.Join(dir, "state"), m, 60)
	if err != nil || len(lines) != 60 {
		t.Fatalf("writeRecords = %d lines, %v; want 60", len(lines), err)
	}
	s, err := startNaiveList(t.Context(), dir, lines)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	var list, static looked
	if err := list.round(s, m.listing(60), 12, 1); err != nil {
		t.Fatal(err)
	}
	if err := static.round(s, bare(1234), 4, 1); err != nil {
		t.Fatal(err)
	}
	if list.mean() < 100 || static.mean() != 1234 {
		t.Errorf("answers have %d and %d bytes; want many and 1234", list.mean(), static.mean())
	}
}
