package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/app/deployment"
	"vaak/app/work"
	"vaak/catalogue/measure"
	"vaak/store"
	"vaak/store/storetest/pgtest"
)

// shown returns the record of a dataset without what each catalogue gives it.
func (s *server) shown(slug string) map[string]any {
	s.t.Helper()
	var record map[string]any
	if err := json.Unmarshal([]byte(s.vaak("dataset", "show", slug)), &record); err != nil {
		s.t.Fatal(err)
	}
	for _, field := range []string{"id", "dateModified", "datePublished"} {
		delete(record, field)
	}
	for _, part := range []any{record["specification"], record["measurements"], record["sample"]} {
		forget(part, "measuredAt")
	}
	return record
}

// elsewhere is a data directory that no server runs on.
func elsewhere(t testing.TB) *server {
	s := &server{t: t, dir: t.TempDir()}
	s.env = append(os.Environ(), "VAAK_DATA_DIR="+s.dir)
	return s
}

// onBothDatabases runs a test with "" for SQLite, and with a database of PostgreSQL.
func onBothDatabases(t *testing.T, test func(t *testing.T, database string)) {
	t.Run("SQLite", func(t *testing.T) { t.Parallel(); test(t, "") })
	t.Run("PostgreSQL", func(t *testing.T) { t.Parallel(); test(t, pgtest.DSN(t)) })
}

// TestLengthyShareMeasuring leaves the measuring to two servers, of which one may be killed
// in the middle: the record is what measuring alone gives.
func TestLengthyShareMeasuring(t *testing.T) {
	slow(t)
	t.Parallel()
	for _, kill := range []bool{false, true} {
		t.Run(fmt.Sprint("kill ", kill), func(t *testing.T) {
			t.Parallel()
			onBothDatabases(t, func(t *testing.T, database string) { sharesMeasuring(t, database, kill) })
		})
	}
}

func sharesMeasuring(t *testing.T, database string, kill bool) {
	data := corpus{slug: "hindi-calls", calls: 12, seconds: 60, format: "wav"}
	folder := data.folder(t)
	alone := elsewhere(t)
	alone.vaak("dataset", "ingest", folder)
	want := alone.shown("hindi-calls")

	first := startCatalogue(t, database, "--dataset-root", filepath.Dir(folder))
	second := *first
	second.serve("--services", "catalogue", "--dataset-root", filepath.Dir(folder))
	flags := []string{"dataset", "ingest", folder, "--share", "--patience", "10m"} // the servers, or nobody
	if kill {
		flags[len(flags)-1] = "1s"
	}
	var done sync.WaitGroup
	done.Go(func() { first.vaak(flags...) })
	if kill {
		soon(t, "something is measured", first.measures(database, data, folder))
		_ = second.end(syscall.SIGKILL)
	}
	done.Wait()
	if diff := cmp.Diff(want, first.shown("hindi-calls")); diff != "" {
		t.Errorf("shared (-alone +shared):\n%s", diff)
	}
	first.stop()
	noFaults(t, first)
	if !kill {
		second.stop()
		noFaults(t, &second)
	}
}

// measures returns what reports whether any file of a folder is measured.
func (s *server) measures(database string, data corpus, folder string) func() bool {
	db, err := deployment.Place{DataDir: s.dir, Database: database}.Open(s.t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = db.Close() })
	sums := digests(s.t, data, folder)
	return func() bool { return measured(s.t, db, sums) > 0 }
}

func digests(t testing.TB, data corpus, folder string) (sums []string) {
	t.Helper()
	for i := range data.calls {
		b, err := os.ReadFile(filepath.Join(folder, "audio", fmt.Sprintf("call-%d.%s", i+1, data.format)))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(b)
		sums = append(sums, hex.EncodeToString(sum[:]))
	}
	return sums
}

// measured returns how many of the files with these digests are measured.
func measured(t testing.TB, db *store.Store, sums []string) (n int) {
	t.Helper()
	for _, sum := range sums {
		_, ok, err := db.Catalogue().Measured(t.Context(), sum, measure.Method)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			n++
		}
	}
	return n
}

// TestLengthyShareWithNobody shares with servers that see other folders, and with none: the
// command does the work itself.
func TestLengthyShareWithNobody(t *testing.T) {
	slow(t)
	t.Parallel()
	s := startCatalogue(t, "", "--dataset-root", t.TempDir())
	s.vaak("dataset", "ingest", corpus{slug: "hindi-calls", calls: 2, seconds: 4, format: "wav"}.folder(t), "--share", "--patience", "500ms")
	soon(t, "the server refuses the folder", func() bool {
		return strings.Contains(s.log.String(), "whose files this server measures")
	})
	s.stop()
	other := elsewhere(t)
	if got := other.vaak("dataset", "ingest", corpus{slug: "hindi-calls", calls: 2, seconds: 4, format: "flac"}.folder(t), "--share", "--patience", "10ms"); got != "hindi-calls\tdraft" {
		t.Errorf("dataset ingest = %q", got)
	}
}

// TestMeasureJobsStayBelowRoot hands jobs on for files that a server must not read.
func TestMeasureJobsStayBelowRoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, outside := filepath.Join(dir, "root"), filepath.Join(dir, "outside")
	data := corpus{slug: "x", calls: 1, seconds: 4, format: "wav"}
	for _, at := range []string{filepath.Join(root, "in"), outside} {
		if err := data.write(at); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		filepath.Join(root, "folder"): outside, filepath.Join(root, "in/audio/file.wav"): "call-1.wav",
		filepath.Join(root, "in/audio/far.wav"): filepath.Join(outside, "audio/call-1.wav"), filepath.Join(root, "in/far"): outside,
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "in/audio/pipe.wav"), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := deployment.Place{DataDir: t.TempDir()}.Open(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := work.Measure(db, ""); len(got) != 0 {
		t.Errorf("without a root there are %d handlers, want none", len(got))
	}
	work := work.Measure(db, root)[0].Work
	sum := digests(t, data, outside)[0]
	for _, at := range [][2]string{
		{outside, "audio/call-1.wav"}, {root + "/../outside", "audio/call-1.wav"}, {"../outside", "audio/call-1.wav"}, {"in", "audio/call-1.wav"}, {root + "x", "a"},
		{filepath.Join(root, "folder"), "audio/call-1.wav"}, {filepath.Join(root, "in"), "audio/file.wav"}, {filepath.Join(root, "in"), "audio/far.wav"},
		{filepath.Join(root, "in"), "audio/pipe.wav"}, {filepath.Join(root, "in"), "../../outside/audio/call-1.wav"}, {filepath.Join(root, "in"), outside + "/audio/call-1.wav"},
		{filepath.Join(root, "in"), "far/audio/call-1.wav"}, {filepath.Join(root, "in"), "audio"}, {filepath.Join(root, "in"), ""}, {"", ""}, {root, "\x00"},
	} {
		args, err := json.Marshal(measure.Task{Folder: at[0], Path: at[1], SHA256: sum})
		if err != nil {
			t.Fatal(err)
		}
		if err := work(t.Context(), args); err == nil || measured(t, db, []string{sum}) > 0 {
			t.Errorf("a job for %q in %q = %v, want it refused", at[1], at[0], err)
		}
	}
	args, err := json.Marshal(measure.Task{Folder: filepath.Join(root, "in"), Path: "audio/call-1.wav", SHA256: sum})
	if err != nil {
		t.Fatal(err)
	}
	if err := work(t.Context(), args); err != nil || measured(t, db, []string{sum}) != 1 {
		t.Errorf("a job below the root = %v, want it done", err)
	}
	if err := work(t.Context(), []byte("{")); err == nil {
		t.Error("a job without arguments is done")
	}
}

// TestMeasureTakesWhatIsKnown changes what is known of a file: measuring again
// tells that, so it was not decoded again.
func TestMeasureTakesWhatIsKnown(t *testing.T) {
	t.Parallel()
	s := elsewhere(t)
	data := corpus{slug: "hindi-calls", calls: 2, seconds: 4, format: "wav"}
	folder := data.folder(t)
	before := s.vaak("dataset", "measure", folder)
	db, err := deployment.Place{DataDir: s.dir}.Open(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sum := digests(t, data, folder)[1]
	text, ok, err := db.Catalogue().Measured(t.Context(), sum, measure.Method)
	if err != nil || !ok {
		t.Fatalf("Measured = %v, %v", ok, err)
	}
	other := strings.Replace(string(text), `"codec":"pcm_s16"`, `"codec":"remembered"`, 1)
	if err := db.Catalogue().KeepMeasured(t.Context(), sum, measure.Method, []byte(other)); err != nil {
		t.Fatal(err)
	}
	after := s.vaak("dataset", "measure", folder)
	if want := strings.Replace(before, "call-2\tdual\tpcm_s16", "call-2\tdual\tremembered", 1); after != want || after == before {
		t.Errorf("measured again: %s, want %s", after, want)
	}
}

// command returns a command that was not started.
func (s *server) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), "vaak", args...)
	cmd.Env = s.env
	return cmd
}

// forget removes a member wherever it stands.
func forget(v any, name string) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, name)
		for _, x := range v {
			forget(x, name)
		}
	case []any:
		for _, x := range v {
			forget(x, name)
		}
	}
}
