package machines

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vaak/store"
	"vaak/store/files/bucket/s3test"
)

var (
	writes = flag.Bool("write", false, "write the tables of docs/scale.md")
	only   = flag.String("only", "", "run the events whose names match this expression alone")
)

// Times of an event.
const (
	before  = 5 * time.Second  // of load before anything happens
	operate = 3 * time.Second  // from the loss of a database until its standby is promoted
	after   = 15 * time.Second // of load after the last act
	away    = 20 * time.Second // the object storage
)

// event is something that happens to a deployment.
type event struct {
	name string
	act  func(t *testing.T, d *deployment)
	// spares are the sorts of requests of which none may fail.
	spares []string
	// gap is how long there may be no success of any sort that it may hit.
	gap time.Duration
}

var everything = []event{
	{"nothing", func(*testing.T, *deployment) {}, sorts, 5 * time.Second},
	{"the database falls silent, its standby is promoted 3 s later", silenceDatabase, []string{read, file}, 10 * time.Second},
	{"the database is killed, its standby is promoted 3 s later", killDatabase, []string{read, file}, 10 * time.Second},
	{"each server is stopped and started (SIGTERM)", rollStopping, sorts, 8 * time.Second},
	{"each server is replaced (`vaak takeover`)", rollTaking, sorts, 5 * time.Second},
	{"one server is killed, and started 5 s later", killReplica, nil, 8 * time.Second},
	{"object storage is away for 20 s", loseObjects, []string{short, stream, socket, read, question}, away + 5*time.Second},
}

func soak(t *testing.T) {
	t.Helper()
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("make soak runs it")
	}
}

// pass lets time go by.
func pass(d time.Duration) { <-time.After(d) }

// TestSoakMachines takes parts of a deployment away while clients use it. It fails where anything
// that was acknowledged is lost or charged twice, and where what must go on does not.
func TestSoakMachines(t *testing.T) {
	soak(t)
	d := deploy(t)
	d.catalogue()
	wanted, err := regexp.Compile(*only)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, e := range everything {
		if !wanted.MatchString(e.name) {
			continue
		}
		t.Logf("event: %s", e.name)
		charged := d.charged()
		l := d.begin()
		pass(before)
		e.act(t, d)
		pass(after)
		l.end()
		lost := d.settle(t, e, l, charged)
		rows = append(rows, d.judge(t, e, l, lost)...)
		d.repair(t)
	}
	table := "| what happens | requests | number | refused | broken off | lost | longest gap, s | latest mail, s |\n|---|---|--:|---|--:|--:|--:|--:|\n" + strings.Join(rows, "\n") + "\n"
	t.Logf("\n%s", table)
	again, different := d.mails.twice()
	t.Logf("%d mails came twice, %d enquiries have several Message-IDs", again, different)
	if different > 0 {
		t.Errorf("%d enquiries have mails with different Message-IDs", different)
	}
	if *writes && !t.Failed() {
		put(t, "machines", table)
	}
}

// fileOf returns the path of a WAV file of a dataset.
func (d *deployment) fileOf(slug string) string {
	d.t.Helper()
	path := "/api/catalogue/datasets/" + slug
	for _, r := range d.replicas {
		d.soon(r.name+" knows the dataset", 10*time.Second, func() bool { return statusOf("http://"+r.public+path, d.key) == http.StatusOK })
	}
	res, err := http.Get(d.entrance + path)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	m := regexp.MustCompile(`"` + regexp.QuoteMeta(d.entrance) + `(/[^"]*\.wav[^"]*)"`).FindSubmatch(text)
	if m == nil {
		d.t.Fatalf("the record has no address of a WAV file: %s", text)
	}
	return string(m[1])
}

func killDatabase(t *testing.T, d *deployment) {
	if err := d.primary.Kill(); err != nil {
		t.Fatal(err)
	}
	d.promote(t)
}

func silenceDatabase(t *testing.T, d *deployment) {
	if err := d.primary.Hang(t); err != nil {
		t.Fatal(err)
	}
	d.promote(t)
}

func (d *deployment) promote(t *testing.T) {
	pass(operate)
	if err := d.standby.Promote(); err != nil {
		t.Fatal(err)
	}
	d.primary, d.standby = d.standby, d.primary
	d.mails.putOff(1) // sent again by the scheduler of the jobs, whose leader must be there
	t.Logf("promoted; a change of a key reaches all servers within %v", d.revoke().Round(time.Millisecond))
}

// revoke revokes a key, and returns how long it was valid on any server.
func (d *deployment) revoke() time.Duration {
	key := d.command("key", "create", "--org", d.org, "--name", "brief")
	ids := strings.Split(d.command("key", "list", "--org", d.org), "\n")
	id := strings.Split(ids[slices.IndexFunc(ids, func(s string) bool { return strings.Contains(s, "brief") && strings.Contains(s, "active") })], "\t")[0]
	for _, r := range d.replicas {
		d.soon(r.name+" knows a new key", 10*time.Second, func() bool { return statusOf("http://"+r.public+"/v1/usage", key) == http.StatusOK })
	}
	d.command("key", "revoke", id)
	began := time.Now()
	for _, r := range d.replicas {
		d.soon(r.name+" refuses a revoked key", 5*time.Second, func() bool { return statusOf("http://"+r.public+"/v1/usage", key) == http.StatusUnauthorized })
	}
	return time.Since(began)
}

// repair gives the primary a standby again, as an operator does.
func (d *deployment) repair(t *testing.T) {
	if d.followed(t) {
		return
	}
	_ = d.standby.Kill() // it may have ended; one that was silent must not come back by itself
	if err := d.standby.Follow(d.primary); err != nil {
		t.Fatal(err)
	}
}

func (d *deployment) followed(t *testing.T) bool {
	ok, err := d.primary.Followed()
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func rollStopping(_ *testing.T, d *deployment) {
	for _, r := range d.replicas {
		r.end(syscall.SIGTERM)
		r.start()
		pass(3 * time.Second) // until the proxy gives it requests
	}
}

func rollTaking(_ *testing.T, d *deployment) {
	for _, r := range d.replicas {
		r.takeover()
		pass(time.Second)
	}
}

func killReplica(_ *testing.T, d *deployment) {
	r := d.replicas[1]
	r.end(syscall.SIGKILL)
	pass(5 * time.Second)
	r.start()
}

// loseObjects has object storage refuse connections for half of the time, and be silent for the other.
func loseObjects(_ *testing.T, d *deployment) {
	back := make(chan struct{})
	d.objects.Break(func(w http.ResponseWriter, _ *http.Request) bool {
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = c.Close() // the client sees it
		}
		return true
	})
	pass(away / 2)
	d.objects.Break(func(w http.ResponseWriter, r *http.Request) bool {
		select {
		case <-back:
		case <-r.Context().Done():
		}
		s3test.Error(w, http.StatusServiceUnavailable, "SlowDown")
		return true
	})
	pass(away / 2)
	d.objects.Break(nil)
	close(back)
}

// charged returns how many characters the organisation was charged.
func (d *deployment) charged() int64 {
	d.t.Helper()
	var u struct {
		Month struct {
			CharactersUsed int64 `json:"characters_used"`
		}
	}
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.entrance+"/v1/usage", nil)
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Error(err)
		return 0
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&u); err != nil {
		d.t.Error(err)
	}
	return u.Month.CharactersUsed
}

// settle waits until nothing runs any more, checks the books, and returns what was lost.
func (d *deployment) settle(t *testing.T, e event, l *load, charged int64) map[string]int {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DSN: d.dsn})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var acknowledged, flying int64
	for _, one := range l.tallies {
		acknowledged, flying = acknowledged+one.chars, flying+one.flying
	}
	d.soon("no hold is open and no charge waits", 60*time.Second, func() bool {
		a, err := db.Audit(t.Context())
		if err != nil || !a.Sound() {
			t.Errorf("%s: audit: %v, %q", e.name, err, a.Faults)
			return true
		}
		return a.OpenHolds == 0 && d.waiting() == 0
	})
	got := d.charged() - charged
	if got < acknowledged || got > acknowledged+flying {
		t.Errorf("%s: %d characters were charged; %d were acknowledged, and %d more were under way when their request broke off", e.name, got, acknowledged, flying)
	}
	t.Logf("%d characters charged, %d acknowledged, %d under way when their request broke off; broken off: %v", got, acknowledged, flying, l.reasons)
	missing := func() (n int) {
		for name := range l.taken {
			if _, came, _ := d.mails.arrived(name); !came {
				n++
			}
		}
		return n
	}
	// A mail that was under way when its server was killed is sent again minutes later.
	d.soon("all enquiries are delivered", 5*time.Minute, func() bool { return missing() == 0 })
	lost := map[string]int{question: missing()}
	if got < acknowledged {
		lost[short] = 1
	}
	return lost
}

// waiting returns how many charges wait on the disks of the servers.
func (d *deployment) waiting() (n int) {
	for _, r := range d.replicas {
		n += int(r.figure("vaak_charges_waiting"))
	}
	return n
}

// figure returns a metric; -1 where it cannot be read.
func (r *replica) figure(name string) float64 {
	res, err := http.Get("http://" + r.admin + "/metrics")
	if err != nil {
		return -1
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			f, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return -1
			}
			return f
		}
	}
	return -1
}

// judge checks what became of the requests, and returns the rows of the table.
func (d *deployment) judge(t *testing.T, e event, l *load, lost map[string]int) (rows []string) {
	t.Helper()
	name := e.name
	for _, sort := range sorts {
		one := l.tallies[sort]
		var refused []string
		for _, why := range slices.Sorted(maps.Keys(one.refused)) {
			refused = append(refused, fmt.Sprintf("%d × %s", one.refused[why], why))
		}
		mail := ""
		if sort == question {
			var latest time.Duration
			for name, at := range l.taken {
				if came, _, later := d.mails.arrived(name); !later {
					latest = max(latest, came.Sub(at))
				}
			}
			mail = fmt.Sprintf("%.1f", latest.Seconds())
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %d | %s | %d | %d | %.1f | %s |", name, sort, one.requests, strings.Join(refused, ", "), one.broken, lost[sort], l.gap(sort).Seconds(), mail))
		name = ""
		if slices.Contains(e.spares, sort) && len(one.refused)+one.broken > 0 {
			t.Errorf("%s: %s: %v refused and %d broken off, want none", e.name, sort, refused, one.broken)
		}
		if gap := l.gap(sort); gap > e.gap {
			t.Errorf("%s: %s: no success for %.1f s, want at most %v", e.name, sort, gap.Seconds(), e.gap)
		}
	}
	t.Logf("\n%s", strings.Join(rows, "\n"))
	return rows
}

// put writes a table between its marks in docs/scale.md.
func put(t *testing.T, name, table string) {
	t.Helper()
	const page = "../../docs/scale.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, rest, ok := strings.Cut(string(text), "<!-- "+name+": written by")
	mark, rest, ok2 := strings.Cut(rest, "\n")
	_, end, ok3 := strings.Cut(rest, "<!-- "+name+": end -->")
	if !ok || !ok2 || !ok3 {
		t.Fatalf("%s has no marks of the table %s", page, name)
	}
	write(t, page, begin+"<!-- "+name+": written by"+mark+"\n"+table+"<!-- "+name+": end -->"+end)
}
