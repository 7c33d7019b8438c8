package transport

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// TestOpenQuestionsHoldNoPlace has a client leave more questions open than it may have
// calls run: it can call all the same, from whatever session, and everybody is answered.
func TestOpenQuestionsHoldNoPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(t, Config{Server: asking(), Sessions: true, calls: 2})
		type open struct {
			session, id string
			s           *stream
			done        chan struct{}
		}
		var all []open
		begin := func() string { return record(h, http.MethodPost, hello).header.Get(sessionName) }
		session := begin()
		for i := range maxQuestionsOfClient {
			if i%maxQuestions == 0 {
				session = begin()
			}
			s, done := consult(t.Context(), h, session, call(i, "consult", nil))
			synctest.Wait()
			all = append(all, open{session, s.questionID(t), s, done})
		}
		for _, session := range []string{begin(), session} { // one too many for the client, and for a session
			s, done := consult(t.Context(), h, session, call("more", "consult", nil))
			<-done
			if !strings.Contains(s.String(), "unanswered") || strings.Contains(s.String(), "elicitation/create") {
				t.Errorf("a question too many = %s, want none, at once", s)
			}
		}
		if a := record(h, http.MethodPost, call("other", "consult", nil)); text(a.last()) != "cannot ask" {
			t.Errorf("a call beside %d questions = %d %s", len(all), a.status, a.last())
		}
		for _, q := range all {
			if a := record(h, http.MethodPost, `{"jsonrpc":"2.0","id":`+q.id+`,"result":{"n":1}}`, sessionName, q.session); a.status != http.StatusAccepted {
				t.Errorf("answer = %d %s", a.status, a.last())
			}
		}
		for _, q := range all {
			<-q.done
			if last := q.s.events(); text(last[len(last)-1]) != `tester says {"n":1}` {
				t.Errorf("result = %s", last[len(last)-1])
			}
		}
		if a := record(h, http.MethodPost, call(1, "consult", nil)); text(a.last()) != "cannot ask" {
			t.Errorf("a call afterwards = %d %s", a.status, a.last())
		}
	})
}

// TestPlaces wants each place given back once, and calls counted that go on after a
// question.
func TestPlaces(t *testing.T) {
	t.Parallel()
	p := newPlaces(1)
	counts := func(step string, running, asking int) {
		t.Helper()
		if r, a := p.running.Running("a"), p.asking.Running("a"); r != running || a != asking {
			t.Fatalf("%s: %d run and %d ask, want %d and %d", step, r, a, running, asking)
		}
	}
	one := p.enter("a")
	if p.enter("a") != nil || p.enter("b") == nil {
		t.Fatal("a client has not its one place")
	}
	back, ok := one.wait()
	if counts("a question", 0, 1); !ok {
		t.Fatal("a call may not ask")
	}
	if _, ok := one.wait(); ok {
		t.Error("a call asks two things at once")
	}
	two := p.enter("a")
	counts("a call beside it", 1, 1)
	back()
	back()
	counts("an answer", 2, 0)
	if p.enter("a") != nil {
		t.Error("there is room beside a call that goes on")
	}
	two.leave()
	counts("an end", 1, 0)
	back, _ = one.wait()
	one.leave()
	one.leave()
	back()
	counts("the end of a call that waits", 0, 0)
	if _, ok := one.wait(); ok {
		t.Error("a call that is over asks")
	}
}

// TestLateAnswers are told that they came too late, in our words.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Server: asking(), Sessions: true})
	session := record(h, http.MethodPost, hello).header.Get(sessionName)
	for _, member := range []string{`"result":{"action":"accept","content":{"send":true}}`, `"error":{"code":-1,"message":"no"}`} {
		a := record(h, http.MethodPost, `{"jsonrpc":"2.0","id":"ask-gone",`+member+`}`, sessionName, session)
		if a.status != http.StatusBadRequest || !strings.Contains(a.last(), `"id":null`) || !strings.Contains(a.last(), "this answers no question that is open") || !strings.Contains(a.last(), "nothing was sent by it") {
			t.Errorf("a late answer with %s = %d %s", member, a.status, a.last())
		}
	}
}
