package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The steps of a request at which a server is killed, beside those of a delivery.
const (
	stepBefore    step = "before the request"
	stepSending   step = "while the request is sent"
	stepRequested step = "after the request"
	stepAccepted  step = "after 202"
)

// killSteps are all steps between a request and the delivery of its mails.
var killSteps = []step{
	stepBefore, stepConnect, stepSending, stepHello, stepRequested, stepMail, stepAccepted, stepRcpt,
	stepRequested, stepData, stepReceived, stepAnswered, stepQuit,
}

// TestLengthyEnquiryKills kills the server once at every step between request and delivery,
// and lets the time that a job of a killed process is left alone pass at once.
func TestLengthyEnquiryKills(t *testing.T) {
	slow(t)
	t.Parallel()
	k := startKilling(t)
	for _, at := range killSteps {
		k.kill(at)
	}
	k.pass()
	k.settles(time.Minute)
}

// TestSoakEnquiryKills does so a hundred times, and waits as long as it takes.
func TestSoakEnquiryKills(t *testing.T) {
	soak(t)
	k := startKilling(t)
	for i := range 100 {
		k.kill(killSteps[i%len(killSteps)])
	}
	k.settles(10 * time.Minute)
}

// killing is a server that is killed while enquiries come in.
type killing struct {
	*server
	t        *testing.T
	mails    *mailServer
	flags    []string
	asked    int          // enquiries
	accepted map[int]bool // by number: answered 202
	repeated int          // requests that were sent again
	killedAt map[step]int
}

func startKilling(t *testing.T) *killing {
	t.Helper()
	mails := startMailServer(t)
	flags := append(mails.flags(mailConfig(t, "enquiry_acknowledge = true\n")), "--trusted-proxies", "127.0.0.1/32")
	s := startCatalogue(t, "", flags...)
	return &killing{server: s, t: t, mails: mails, flags: flags, accepted: map[int]bool{}, killedAt: map[step]int{}}
}

// form is enquiry number n, of a person of its own.
func (k *killing) form(n int) map[string]string {
	return map[string]string{
		"name": fmt.Sprint("Person ", n), "email": fmt.Sprintf("person%d@example.org", n),
		"intent": "question", "message": fmt.Sprintf("This is question %d.", n),
	}
}

// send sends enquiry number n from an address of its own.
func (k *killing) send(n int) int {
	return k.enquire(k.form(n), k.forwarded(n)).status
}

func (k *killing) forwarded(n int) string {
	return fmt.Sprintf("X-Forwarded-For: 198.51.%d.%d", n/200, n%200+1)
}

// kill kills the server at a step of a new enquiry, and starts it again. What was not
// answered is sent again.
func (k *killing) kill(at step) {
	k.t.Helper()
	k.killedAt[at]++
	n := k.asked
	k.asked++
	pid := k.cmd.Process.Pid
	die := sync.OnceFunc(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	k.mails.at(func(s step) error {
		if s == at {
			die()
		}
		return nil
	})
	k.accepted[n] = k.request(at, n, die) == http.StatusAccepted
	select {
	case <-k.done:
	case <-time.After(time.Minute):
		k.t.Fatalf("kill %d, %s: no mail came so far", n, at)
	}
	k.mails.at(nil)
	k.serve(append([]string{"--services", "catalogue"}, k.flags...)...)
	for tries := 0; !k.accepted[n]; tries++ {
		if tries == 3 {
			k.t.Fatalf("enquiry %d is not taken", n)
		}
		k.repeated++
		k.accepted[n] = k.send(n) == http.StatusAccepted
	}
}

// request sends enquiry number n, and has the server killed when that is at a step of
// the request. It returns the status, 0 without an answer.
func (k *killing) request(at step, n int, die func()) int {
	k.t.Helper()
	switch at {
	case stepBefore:
		die()
	case stepSending, stepRequested:
		return k.cut(at, n, die)
	case stepAccepted:
		defer die()
	}
	return k.send(n)
}

// cut sends a request in two parts and kills in between, or after the second: at once
// or a few milliseconds later, so that it is committed or not.
func (k *killing) cut(at step, n int, die func()) int {
	k.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(k.public, "http://"))
	if err != nil {
		k.t.Fatal(err)
	}
	defer c.Close()
	body := string(jsonOf(k.t, k.form(n)))
	text := fmt.Sprintf("POST /api/catalogue/enquiry HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\nConnection: close\r\n\r\n%s",
		len(body), k.forwarded(n), body)
	half := len(text) - len(body)/2
	_, err = io.WriteString(c, text[:half])
	if at == stepSending {
		die()
	}
	if err == nil {
		_, err = io.WriteString(c, text[half:])
	}
	timer := time.AfterFunc(rand.N(15*time.Millisecond), die)
	defer timer.Stop()
	answer, _ := io.ReadAll(c) // up to wherever it was killed
	die()
	if err == nil && strings.HasPrefix(string(answer), "HTTP/1.1 202 ") {
		return http.StatusAccepted
	}
	return 0
}

// pass lets the time pass that a job is left to a process that may be dead.
func (k *killing) pass() {
	k.t.Helper()
	k.end(syscall.SIGKILL)
	onDatabase(k.t, k.path(), "UPDATE river_job SET attempted_at = datetime('now', '-1 hour') WHERE state = 'running'", "DELETE FROM river_leader")
	k.serve(append([]string{"--services", "catalogue"}, k.flags...)...)
	soon(k.t, "jobs of killed processes are tried again", func() bool {
		onDatabase(k.t, k.path(), dueNow)
		return countRows(k.t, k.path(), "SELECT count(*) FROM river_job WHERE state = 'running' AND attempted_at < datetime('now', '-30 minutes')") == 0
	})
	onDatabase(k.t, k.path(), dueNow)
}

func (k *killing) path() string { return filepath.Join(k.dir, "vaak.db") }

// settles waits until every enquiry is delivered, and checks what was.
func (k *killing) settles(within time.Duration) {
	k.t.Helper()
	began := time.Now()
	for missing := -1; missing != 0; {
		if time.Since(began) > within {
			k.t.Fatalf("%d mails are not delivered after %s: %s", missing, within, k.vaak("enquiry", "list", "--limit", "1000"))
		}
		eventually(func() bool {
			missing = k.missing()
			return missing == 0
		})
	}
	twice := k.checksMails()
	k.checksList()
	k.stop()
	k.t.Logf("%d enquiries, %d requests sent again, killed %v; all is delivered after %s, %d mails more than once",
		k.asked, k.repeated, k.killedAt, time.Since(began).Round(time.Second), twice)
}

// missing is how many mails were not delivered so far.
func (k *killing) missing() (n int) {
	operator, receipts := map[string]bool{}, map[string]bool{}
	for _, m := range k.mails.mails() {
		operator[m.header.Get("Reply-To")] = true
		receipts[m.to] = true
	}
	for i := range k.asked {
		address := k.form(i)["email"]
		if !operator["<"+address+">"] {
			n++
		}
		if !receipts[address] {
			n++
		}
	}
	return n
}

// checksMails returns how many mails came more than once: those have the same bytes.
func (k *killing) checksMails() (twice int) {
	k.t.Helper()
	first := map[string]takenMail{}
	of := map[string]string{} // Message-ID by whom the mail is about and to
	for _, m := range k.mails.mails() {
		id := m.header.Get("Message-Id")
		if old, ok := first[id]; ok {
			twice++
			if old.raw != m.raw || old.to != m.to || old.from != m.from {
				k.t.Errorf("%s came as\n%s\nand as\n%s", id, old.raw, m.raw)
			}
			continue
		}
		first[id] = m
		about := m.header.Get("Reply-To") + " to " + m.to
		if other := of[about]; other != "" {
			k.t.Errorf("there are two mails %s: %s and %s", about, other, id)
		}
		of[about] = id
	}
	if len(first) != 2*k.asked {
		k.t.Errorf("%d mails were delivered, want two for each of %d enquiries", len(first), k.asked)
	}
	return twice
}

// checksList checks that each enquiry is there once.
func (k *killing) checksList() {
	k.t.Helper()
	times := map[string]int{}
	for line := range strings.Lines(k.vaak("enquiry", "list", "--limit", "1000")) {
		times[strings.Split(line, "\t")[8]]++
	}
	for i := range k.asked {
		if address := k.form(i)["email"]; times[address] != 1 {
			k.t.Errorf("%s is in the list %d times, want once", address, times[address])
		}
	}
	if len(times) != k.asked {
		k.t.Errorf("the list has %d persons, want %d", len(times), k.asked)
	}
}
