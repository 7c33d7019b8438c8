package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vaak/app/deployment"
	"vaak/engine/enginetest"
	"vaak/enquiry"
)

// TestStopWithOpenQuestion stops a server while a person is asked: the question is
// withdrawn, the agent gets the link, and nothing waits for the person.
func TestStopWithOpenQuestion(t *testing.T) {
	t.Parallel()
	s := startCatalogue(t, "")
	resp := s.asksOverMCP(question("asha@example.org", "How many hours?"))
	defer resp.Body.Close()
	stream := bufio.NewScanner(resp.Body)
	var last string
	for stream.Scan() && !strings.Contains(last, "elicitation/create") {
		last = stream.Text()
	}
	if !strings.Contains(last, "elicitation/create") {
		t.Fatalf("the stream ends with %q, %v; want a question", last, stream.Err())
	}
	ended := make(chan error, 1)
	go func() { ended <- s.end(syscall.SIGTERM) }()
	for stream.Scan() {
		if text, ok := strings.CutPrefix(stream.Text(), "data: "); ok {
			last = text
		}
	}
	var answer struct {
		Result struct {
			StructuredContent offer
		}
	}
	err := json.Unmarshal([]byte(last), &answer)
	if form := answer.Result.StructuredContent.Form; err != nil || !strings.HasPrefix(form, s.public+enquiry.FormPath) {
		t.Errorf("the last message is %s, %v, %v; want the form", last, err, stream.Err())
	}
	if err := <-ended; err != nil {
		t.Errorf("after SIGTERM: %v; log: %s", err, s.log)
	}
	quietOfPersons(t, s)
}

// asksOverMCP calls send_enquiry as an agent of the older protocol does whose host can
// ask, and returns the stream of what comes.
func (s *server) asksOverMCP(form map[string]string) *http.Response {
	s.t.Helper()
	call := func(session string, message map[string]any) *http.Response {
		message["jsonrpc"], message["id"] = "2.0", 1
		r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.public+"/api/catalogue/mcp", strings.NewReader(string(jsonOf(s.t, message))))
		if err != nil {
			s.t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			s.t.Fatal(err)
		}
		return resp
	}
	hello := call("", map[string]any{"method": "initialize", "params": map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{"elicitation": map[string]any{}}, "clientInfo": map[string]string{"name": "test", "version": "1"},
	}})
	_ = hello.Body.Close() // only its header is of interest
	return call(hello.Header.Get("Mcp-Session-Id"), map[string]any{"method": "tools/call", "params": map[string]any{"name": "send_enquiry", "arguments": form}})
}

// TestLengthyPurgeBySpeech has a server of the speech service alone be the one that makes the
// jobs of periods, and works them: old enquiries are purged all the same.
func TestLengthyPurgeBySpeech(t *testing.T) {
	slow(t)
	t.Parallel()
	s := startCatalogue(t, "")
	s.env = append(s.env, "VAAK_ESPEAK_WORKER="+enginetest.Worker(t))
	id := s.accepted(question("asha@example.org", "How many hours?"))
	s.end(syscall.SIGKILL)
	database := filepath.Join(s.dir, "vaak.db")
	onDatabase(t, database, "UPDATE enquiries SET received_at = 1", "DELETE FROM river_job WHERE kind = 'enquiry.purge'", "DELETE FROM river_leader")
	s.serve("--services", "speech")
	soon(t, "it is purged", func() bool { return countRows(t, database, "SELECT count(*) FROM enquiries WHERE purged = 1") == 1 })
	soon(t, "the job is done", func() bool {
		return countRows(t, database, "SELECT count(*) FROM river_job WHERE kind = 'enquiry.purge' AND state = 'completed'") == 1
	})
	if shown := s.vaak("enquiry", "show", id); strings.Contains(shown, "asha@") {
		t.Errorf("after a purge shown is\n%s", shown)
	}
	s.stop()
}

// TestCommandSecretIsNotMade names a secret that is not there to commands whose links servers
// are to know.
func TestCommandSecretIsNotMade(t *testing.T) {
	t.Parallel()
	s := elsewhere(t)
	none := filepath.Join(s.dir, "none")
	const public = "--public-url=https://data.example.org"
	other := "sqlite:" + filepath.Join(s.dir, "other.db")
	s.vaak("migrate")
	s.vaak("migrate", "--database", other)
	for _, args := range [][]string{
		{"enquiry", "release", "enq_x", public},
		{"enquiry", "release", "enq_x", public, "--secret", none},
		{"mcp", "--catalogue", "--secret", none},
		{"mcp", "--catalogue", public, "--database", other},
	} {
		if status, said := s.fails(args...); status != 2 || strings.Count(said, "\n") != 1 || !strings.Contains(said, "--secret") {
			t.Errorf("vaak %q = %d %q, want 2 and a line with --secret", args, status, said)
		}
	}
	for _, path := range []string{none, filepath.Join(s.dir, deployment.Secret)} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was made: %v", path, err)
		}
	}
}

// TestShowsCut shows an enquiry with more entries than are shown.
func TestShowsCut(t *testing.T) {
	t.Parallel()
	for _, cut := range []bool{true, false} {
		f := enquiry.File{Cut: cut, Journal: []enquiry.Entry{{At: time.Unix(1, 0), Outcome: enquiry.OutcomeSent, Times: 1}}}
		var out strings.Builder
		if err := (streams{out: &out}).lines(fileRows(f)); err != nil || strings.Contains(out.String(), "\ncut\tolder entries are left out\njournal\t") != cut {
			t.Errorf("Cut %v is shown as\n%s%v", cut, &out, err)
		}
		if text := string(jsonOf(t, describe(f))); strings.Contains(text, `"journalCut":true`) != cut {
			t.Errorf("Cut %v as JSON is %s", cut, text)
		}
	}
}
