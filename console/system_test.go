package console

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"vaak/account/accounttest"
	"vaak/account/ledger"
	"vaak/console/system"
	"vaak/identity"
)

func TestSystem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	has(t, shown(t, b.get("/system"), http.StatusOK), "has not checked them yet", "usage can be written", "Waiting")

	w.system = system.State{
		Engine: &system.EngineState{Name: "espeak-ng", Workers: 4, Crashes: 12, LeftOut: 1, Probed: 2500 * time.Microsecond},
		Neural: &system.NeuralState{Runtime: "1.32.0", Voices: 3, Models: 1, Audio: 65 * time.Second, Factor: 0.125, Replaced: 5, Dropped: 2},
		Pools: []system.PoolState{
			{Name: "gpu", Kind: "vllm-omni", Rate: 24000, Voices: 1, Open: 1, Audio: 65 * time.Second, Retries: 21, Resumed: 22, Replaced: 23, Members: []system.MemberState{
				{Address: "http://10.0.0.5:8000", State: "up", Busy: true, Streams: 4, MostStreams: 8, Outstanding: 1500 * time.Millisecond, P50: 80 * time.Millisecond, P99: 250 * time.Millisecond, Requests: 1234},
				{
					Address: "http://<6>:8000", State: "ejected", Wait: 12 * time.Second, Requests: 9,
					Failures: []system.Count{{Name: "wrong rate", N: 4}, {Name: "late", N: 2}}, LastFailure: "late", LastAt: time.Now().Add(-time.Minute),
				},
			}},
			{Name: "lost", Kind: "fish", Rate: 44100, Error: "no such <host>"},
		},
		Jobs:     system.JobState{Waiting: 3, Discarded: 7, Oldest: 65 * time.Second},
		Replicas: []system.Replica{{Address: "10.0.0.1:8080", Program: "v7.8.9", Started: time.Now().Add(-3 * time.Hour), Self: true}, {Address: "<b>:1"}},
		Ledger:   system.LedgerState{At: time.Now().Add(-2 * time.Minute), Audit: ledger.Audit{Lots: 12345, Faults: []string{"lot <1> does not add up"}}},
		Versions: []system.Fact{{Name: "Program", Value: "v1.2"}}, Figures: []system.Fact{{Name: "Answers kept", Value: "17 MB"}},
	}
	has(t, shown(t, b.get("/system"), http.StatusOK),
		"espeak-ng", "2.5 ms", `good">working<`, "Charges lost", "1:05", `badge warn">7<`, "10.0.0.1:8080", "v7.8.9", "this one", "3 hours ago", "&lt;b&gt;:1",
		"They do not add up", "lot &lt;1&gt; does not add up", "12,345", "2 minutes ago", "v1.2", "17 MB", "1.32.0", "3, of 1 model<", "0.125 s", "5 replaced, 2 dropped",
		"Pool gpu", `warn">partly working<`, "1 of 2 members get requests. vllm-omni, 24,000 Hz, 1 voice.", `good">up<`, `warn">busy<`, "4 of 8", "1.5 s", "80.0 ms", "250.0 ms", "1,234",
		"http://&lt;6&gt;:8000", `bad">ejected</span> tried in&nbsp;12&nbsp;s`, "4 wrong rate, 2 late", "late, 1 minute ago", ">21<", ">22<", `warn">23<`,
		"Pool lost", `bad">no members<`, "no such &lt;host&gt;")

	w.system = system.State{Engine: &system.EngineState{Error: "no worker"}, Neural: &system.NeuralState{Models: 2}, Jobs: system.JobState{Error: "no database"}, ReplicasError: "no rows"}
	has(t, shown(t, b.get("/system"), http.StatusOK), "not working</span> no worker", "not working</span> ONNX Runtime cannot be used", "0, of 2 models", "They are not known: no database", "They are not known: no rows")
}

func TestSystemAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// What the server told before is not what is found now.
	w.system.Ledger = system.LedgerState{At: time.Now().Add(-time.Hour), Audit: ledger.Audit{Faults: []string{"an old fault"}}}
	b := w.as(t, w.operator)
	body := shown(t, b.post("/system/audit"), http.StatusOK)
	has(t, body, "Everything adds up", "checked just now")
	lacks(t, body, "an old fault")
	has(t, shown(t, b.get("/system"), http.StatusOK), "an old fault", "1 hour ago")

	w.books.Fail(errors.New("the disk is gone"), accounttest.Reads)
	if got, want := w.audited(t), "ledger.audit done"; got != want {
		t.Errorf("the journal says %q, want %q", got, want)
	}
	rec := b.post("/system/audit")
	if rec.Code < 500 || strings.Contains(rec.Body.String(), "adds up") || strings.Contains(rec.Body.String(), "disk is gone") {
		t.Errorf("status %d, want a failure without its cause:\n%.500s", rec.Code, rec.Body)
	}
}

// audited returns what is in the journal, the latest first.
func (w *world) audited(t *testing.T) string {
	t.Helper()
	events, err := w.people.Events(t.Context(), identity.EventQuery{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range events {
		out = append(out, e.Action+" "+e.Outcome)
	}
	return strings.Join(out, ", ")
}

func TestSystemIsForOperators(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shown(t, w.as(t, w.member).get("/system"), http.StatusNotFound)
	shown(t, w.as(t, w.member).post("/system/audit"), http.StatusNotFound)
	if got := w.audited(t); got != "" {
		t.Errorf("%q is in the journal for who may not ask", got)
	}
}
