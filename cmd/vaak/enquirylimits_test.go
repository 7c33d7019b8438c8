package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"vaak/app/deployment"
	"vaak/store/storetest/pgtest"
)

// TestLengthyEnquiryLimitsOverReplicas has two servers take what one address may send in an
// hour: five enquiries, however it is written, and whichever server is asked.
func TestLengthyEnquiryLimitsOverReplicas(t *testing.T) {
	slow(t)
	t.Parallel()
	database, proxies := pgtest.DSN(t), []string{"--trusted-proxies", "127.0.0.1/32"}
	first := startCatalogue(t, database, proxies...)
	second := startCatalogue(t, database, append(proxies, "--secret", first.dir+"/"+deployment.Secret)...)
	servers := []*server{first, second}
	from := func(n int) string { return fmt.Sprint("X-Forwarded-For: 198.51.100.", n) }

	// Ten at once, by both, from as many clients.
	spellings := []string{"asha@example.org", "Asha@example.org", "ASHA@EXAMPLE.ORG", "asha+a@example.org", "asha+b+c@Example.Org"}
	status := make([]int, 10)
	var all sync.WaitGroup
	for i := range status {
		all.Go(func() {
			a := servers[i%2].enquire(question(spellings[i/2], fmt.Sprint("Question ", i)), from(i+1))
			status[i] = a.status
			if a.status == http.StatusTooManyRequests && a.header.Get("Retry-After") != "3600" {
				t.Errorf("%s: Retry-After %q, want 3600", a.what, a.header.Get("Retry-After"))
			}
		})
	}
	all.Wait()
	passed := 0
	for _, s := range status {
		switch s {
		case http.StatusAccepted:
			passed++
		case http.StatusTooManyRequests:
		default:
			t.Errorf("status %d, want 202 or 429", s)
		}
	}
	if passed != 5 {
		t.Errorf("%d enquiries passed of %v, want 5", passed, status)
	}
	for i, s := range servers {
		for j, spelling := range spellings {
			a := s.enquire(question(spelling, "One more"), from(20+10*i+j))
			a.refused429(t)
		}
		if a := s.enquire(question(fmt.Sprintf("ravi%d@example.org", i), "How many hours?"), from(100)); a.status != http.StatusAccepted {
			t.Errorf("%s of another address = %d %.300s, want 202", a.what, a.status, a.body)
		}
	}
	// What was taken before is the same again, and no new one.
	for i, was := range status {
		if was != http.StatusAccepted {
			continue
		}
		if a := servers[(i+1)%2].enquire(question(spellings[i/2], fmt.Sprint("Question ", i)), from(i+1)); a.status != http.StatusAccepted {
			t.Errorf("%s the same again, by the other server = %d %.300s, want 202", a.what, a.status, a.body)
		}
	}
	if list := first.vaak("enquiry", "list"); strings.Count(list, "\n") != 6 {
		t.Errorf("the list is\n%s\nwant 7 lines", list)
	}
	for _, s := range servers {
		s.stop()
	}
}

// refused429 checks that an enquiry was too many, and when there is room again.
func (a answered) refused429(t *testing.T) {
	t.Helper()
	if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "3600" || !strings.Contains(a.body, "too_many_enquiries") {
		t.Errorf("%s = %d, Retry-After %q, %.300s; want 429 too_many_enquiries with 3600", a.what, a.status, a.header.Get("Retry-After"), a.body)
	}
}

// TestLengthyEnquiryLimitOfClient has one client write for many: the 21st is refused, and
// another client is not.
func TestLengthyEnquiryLimitOfClient(t *testing.T) {
	slow(t)
	t.Parallel()
	s := startCatalogue(t, "", "--trusted-proxies", "127.0.0.1/32")
	for i := range 20 {
		s.accepted(question(fmt.Sprintf("person%d@example.org", i), "How many hours?"), "X-Forwarded-For: 2001:db8::1")
	}
	// The rest of a /64 is the same client.
	s.enquire(question("person20@example.org", "How many hours?"), "X-Forwarded-For: 2001:db8::2:1").refused429(t)
	s.accepted(question("person20@example.org", "How many hours?"), "X-Forwarded-For: 2001:db8:0:1::1")
	s.stop()
}
