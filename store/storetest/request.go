package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vaak/account"
)

// RunRequests runs the part of the suite that is about request records.
func RunRequests(t *testing.T, open func(t *testing.T) account.UsageStore) {
	for name, test := range map[string]func(*testing.T, account.UsageStore){
		"Requests": testRequests, "RequestPages": testRequestPages, "RequestFilters": testRequestFilters, "Outcomes": testOutcomes,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func requestsOf(test func(*testing.T, account.UsageStore)) func(*testing.T, Opened) {
	return func(t *testing.T, o Opened) { test(t, o.Accounts) }
}

func testRequests(t *testing.T, s account.UsageStore) {
	ctx := t.Context()
	check(t, "AddRequests of none", s.AddRequests(ctx, nil))
	records := make([]account.RequestRecord, 1500)
	for i := range records {
		records[i] = account.RequestRecord{
			ID: "the same", At: created.Add(time.Duration(i) * time.Second), OrgID: "o", KeyID: "k", Route: "/v1/audio/speech",
			Voice: "sv_a", Language: "en", Characters: 5, FirstAudio: time.Millisecond, Audio: time.Second, Status: 200,
		}
	}
	check(t, "AddRequests", s.AddRequests(ctx, records))
	for _, tt := range []struct {
		before time.Time
		want   int
	}{{created, 0}, {created.Add(1200 * time.Second), 1200}, {created.Add(time.Hour), 300}, {created.Add(time.Hour), 0}} {
		if n, err := s.PruneRequests(ctx, tt.before); n != tt.want || err != nil {
			t.Errorf("PruneRequests(%v) = %d, %v, want %d", tt.before, n, err, tt.want)
		}
	}
}

// record returns request n, of one of two organisations and three keys. Three requests have the
// same time, and every fifth has failed.
func record(n int) account.RequestRecord {
	r := account.RequestRecord{
		ID: fmt.Sprint("request ", n), At: created.Add(time.Duration(n/3) * time.Microsecond), OrgID: id("org_", 1+n%4/3),
		KeyID: id("key_", n%3), Route: "/v1/audio/speech", Voice: "sv_a", Language: "hi", Engine: "remote/east", Characters: int64(n),
		FirstAudio: time.Duration(n) * time.Microsecond, Audio: time.Duration(n) * time.Millisecond, Status: 200,
	}
	if n%5 == 0 {
		r.Status, r.Code = 429, []string{"rate_limited", "quota_exceeded"}[n/5%2]
	}
	return r
}

// recorded adds n records and returns those of organisation 1, the latest first.
func recorded(t *testing.T, s account.UsageStore, n int) (want []account.RequestRecord) {
	t.Helper()
	for i := range n {
		r := record(i)
		check(t, "AddRequests", s.AddRequests(t.Context(), []account.RequestRecord{r}))
		if r.OrgID == id("org_", 1) {
			want = append(want, r)
		}
	}
	slices.Reverse(want)
	return want
}

// pagesOf reads all records of a query in pages, and returns them without their Seq.
func pagesOf(t *testing.T, s account.UsageStore, q account.RequestQuery) (all []account.RequestRecord) {
	t.Helper()
	for {
		page, err := s.Requests(t.Context(), id("org_", 1), q)
		check(t, "Requests", err)
		if len(page) > q.Limit {
			t.Fatalf("Requests returns %d, want at most %d", len(page), q.Limit)
		}
		for _, r := range page {
			q.Before = r.Mark()
			r.Seq = 0
			all = append(all, r)
		}
		if len(page) < q.Limit {
			return all
		}
	}
}

// testRequestPages checks that pages of any size have every record once and in order, although
// several have the same time.
func testRequestPages(t *testing.T, s account.UsageStore) {
	want := recorded(t, s, 60)
	for _, size := range []int{1, 2, 7, len(want), account.MaxRequests} {
		same(t, fmt.Sprint("pages of ", size), pagesOf(t, s, account.RequestQuery{Limit: size}), want)
	}
	none, err := s.Requests(t.Context(), id("org_", 9), account.RequestQuery{Limit: 5})
	if err != nil || len(none) > 0 {
		t.Errorf("Requests of another organisation = %v, %v, want none", none, err)
	}
}

// testRequestFilters checks filters alone and together, over pages.
func testRequestFilters(t *testing.T, s account.UsageStore) {
	all := recorded(t, s, 120)
	for _, key := range []string{"", id("key_", 1), id("key_", 9), "a\x00b", "\xff"} {
		for _, code := range []string{"", "rate_limited", "none", "\x00"} {
			for _, failed := range []bool{false, true} {
				testRequestFilter(t, s, all, account.RequestQuery{Key: key, Code: code, Failed: failed})
			}
		}
	}
	for _, request := range []string{all[0].ID, all[1].ID, all[40].ID, "request", "\x00", "\xff"} {
		for _, q := range []account.RequestQuery{{}, {Failed: true}, {Code: "rate_limited"}, {Key: all[0].KeyID}, {Key: all[40].KeyID, Failed: true}} {
			q.ID = request
			testRequestFilter(t, s, all, q)
		}
	}
}

// testRequestFilter checks that a query returns the records that match it, and no others.
func testRequestFilter(t *testing.T, s account.UsageStore, all []account.RequestRecord, q account.RequestQuery) {
	t.Helper()
	var want []account.RequestRecord
	for _, r := range all {
		if (q.ID == "" || r.ID == q.ID) && (q.Key == "" || r.KeyID == q.Key) && (q.Code == "" || r.Code == q.Code) && (!q.Failed || r.Code != "") {
			want = append(want, r)
		}
	}
	for _, q.Limit = range []int{3, 100} {
		same(t, fmt.Sprintf("Requests(%+v)", q), pagesOf(t, s, q), want)
	}
}

// testOutcomes checks that Outcomes returns the latest of an organisation, within a span of time
// and a number.
func testOutcomes(t *testing.T, s account.UsageStore) {
	all := recorded(t, s, 60)
	for _, tt := range []struct {
		since time.Time
		limit int
	}{{created, 100}, {created, 7}, {all[9].At, 100}, {all[9].At, 3}, {all[0].At.Add(time.Microsecond), 5}} {
		var want []account.Outcome
		for _, r := range all {
			if !r.At.Before(tt.since) && len(want) < tt.limit {
				want = append(want, account.Outcome{At: r.At, FirstAudio: r.FirstAudio, Code: r.Code})
			}
		}
		got, err := s.Outcomes(t.Context(), id("org_", 1), tt.since, tt.limit)
		check(t, "Outcomes", err)
		same(t, fmt.Sprintf("Outcomes(%v, %d)", tt.since, tt.limit), got, want)
	}
}
