package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
)

func testUsage(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := seed(t, s, 3)
	use := func(k int, day string, requests, characters int64, audio time.Duration) account.Use {
		return account.Use{OrgID: org.ID, KeyID: keys[k].ID, Day: day, Voice: "sv_a", Language: "en", Requests: requests, Characters: characters, Audio: audio}
	}
	n := 0
	for _, uses := range [][]account.Use{
		{use(0, "2026-02-01", 1, 20, 1500*time.Millisecond)},
		{use(0, "2026-02-28", 2, 30, time.Millisecond), use(1, "2026-02-01", 1, 0, 0), use(0, "2026-03-01", 1, 5000, time.Hour)},
		{use(0, "2026-02-01", 1, 1, 0), use(0, "2026-02-01", 1, 1, 0)}, // one key and day twice
		nil,
	} {
		post(t, s, org.ID, func(_ time.Time, b *ledger.Book) account.Posting {
			for _, u := range uses {
				n++
				_, err := b.Count(fmt.Sprint("hold_", n), u.KeyID, u.Characters, created)
				check(t, "Count", err)
			}
			return account.Posting{Uses: uses}
		})
	}
	month := func(k int, p ledger.Period, requests, characters int64, audio time.Duration) account.KeyUsage {
		return account.KeyUsage{KeyID: keys[k].ID, Period: p, Requests: requests, Characters: characters, Audio: audio}
	}
	for p, want := range map[ledger.Period][]account.KeyUsage{
		"2026-02": {month(0, "2026-02", 5, 52, 1501*time.Millisecond), month(1, "2026-02", 1, 0, 0)},
		"2026-03": {month(0, "2026-03", 1, 5000, time.Hour)},
		"2026-04": {},
	} {
		got, err := s.Usage(ctx, org.ID, p)
		check(t, "Usage", err)
		same(t, "Usage of "+string(p), got, want)
	}
	got, err := s.Usage(ctx, id("org_", 9), "2026-02")
	if err != nil || len(got) != 0 {
		t.Errorf("Usage of another organisation = %v, %v, want none", got, err)
	}
	check(t, "Ping", s.Ping(ctx))
	check(t, "Ping again", s.Ping(ctx))
	sound(t, s)
}

func testDaily(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := seed(t, s, 2)
	other := organisation(2)
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, other))
	check(t, "CreateKey", s.CreateKey(ctx, key(9, other.ID)))
	use := func(orgID, keyID, day, voice, language string, n int64) account.Use {
		return account.Use{OrgID: orgID, KeyID: keyID, Day: day, Voice: voice, Language: language, Requests: 1, Characters: n, Audio: time.Second}
	}
	a, b := keys[0].ID, keys[1].ID
	postTo(t, s, account.Opening{Orgs: []string{org.ID, other.ID}}, func(time.Time, *ledger.Book) account.Posting {
		return account.Posting{Uses: []account.Use{
			use(org.ID, a, "2026-02-01", "sv_a", "en", 1), use(org.ID, a, "2026-02-02", "sv_a", "hi", 2),
			use(org.ID, b, "2026-02-02", "sv_b", "hi", 4), use(org.ID, a, "2026-02-02", "sv_b", "hi", 8),
			use(org.ID, b, "2026-02-03", "sv_a", "en", 16), use(other.ID, key(9, "").ID, "2026-02-02", "sv_a", "en", 32),
		}}
	})
	sum := func(day, group string, requests, characters int64) account.DailyUsage {
		return account.DailyUsage{Day: day, Group: group, Requests: requests, Characters: characters, Audio: time.Duration(requests) * time.Second}
	}
	for _, tt := range []struct {
		q    account.DailyQuery
		want []account.DailyUsage
	}{
		{account.DailyQuery{From: "2026-02-02", To: "2026-02-02", By: account.ByKey},
			[]account.DailyUsage{sum("2026-02-02", a, 2, 10), sum("2026-02-02", b, 1, 4)}},
		{account.DailyQuery{From: "2026-02-01", To: "2026-02-02", By: account.ByVoice},
			[]account.DailyUsage{sum("2026-02-01", "sv_a", 1, 1), sum("2026-02-02", "sv_a", 1, 2), sum("2026-02-02", "sv_b", 2, 12)}},
		{account.DailyQuery{From: "2026-02-02", To: "2026-02-09", By: account.ByLanguage},
			[]account.DailyUsage{sum("2026-02-02", "hi", 3, 14), sum("2026-02-03", "en", 1, 16)}},
		{account.DailyQuery{From: "2025-02-02", To: "2025-02-09", By: account.ByLanguage}, []account.DailyUsage{}},
	} {
		got, err := s.Daily(ctx, org.ID, tt.q)
		check(t, "Daily", err)
		same(t, "Daily by "+string(tt.q.By), got, tt.want)
	}
	if _, err := s.Daily(ctx, org.ID, account.DailyQuery{From: "2026-02-02", To: "2026-02-02", By: "day; --"}); err == nil {
		t.Error("Daily by an unknown grouping: no error")
	}
}

// testDailySums compares the daily sums of two organisations with the uses that were posted, by
// several keys, one of them the console's. Some postings have uses of one organisation, others
// of both.
func testDailySums(t *testing.T, o Opened) {
	s := o.Accounts
	org, keys := seed(t, s, 3)
	other := organisation(2)
	check(t, "CreateOrganisation", s.CreateOrganisation(t.Context(), other))
	console, theirs := key(7, org.ID), key(8, other.ID)
	console.ID = "key_console_" + console.ID[len("key_"):]
	check(t, "CreateKey of the console", s.CreateKey(t.Context(), console))
	check(t, "CreateKey", s.CreateKey(t.Context(), theirs))
	keys = append(keys, console, theirs)
	var all []account.Use
	for n := range 60 {
		uses := make([]account.Use, 0, 5)
		for i := range 1 + n%5 {
			k := keys[(n+i*i)%len(keys)]
			uses = append(uses, account.Use{
				OrgID: k.OrgID, KeyID: k.ID, Day: fmt.Sprintf("2026-02-%02d", 1+n%4), Voice: fmt.Sprint("sv_", (n+i)%3),
				Language: []string{"en", "hi", "sv_1"}[(n/3+i)%3], Requests: int64(1 + i), Characters: int64(n), Audio: time.Duration(n*i) * time.Millisecond,
			})
		}
		all = append(all, uses...)
		postTo(t, s, account.Opening{Orgs: []string{org.ID, other.ID}}, func(_ time.Time, b *ledger.Book) account.Posting {
			return account.Posting{Uses: uses}
		})
	}
	for _, orgID := range []string{org.ID, other.ID, id("org_", 3)} {
		for _, by := range account.Groupings() {
			for _, q := range []account.DailyQuery{
				{From: "2026-02-01", To: "2026-02-04", By: by}, {From: "2026-02-02", To: "2026-02-03", By: by},
				{From: "2026-02-04", To: "2026-03-31", By: by}, {From: "2026-02-03", To: "2026-02-02", By: by},
			} {
				got, err := s.Daily(t.Context(), orgID, q)
				check(t, "Daily", err)
				same(t, fmt.Sprintf("Daily of %s, %+v", orgID, q), got, daysOf(all, orgID, q))
			}
		}
	}
}

// daysOf sums uses as Daily should.
func daysOf(uses []account.Use, orgID string, q account.DailyQuery) []account.DailyUsage {
	days := []account.DailyUsage{}
	for _, u := range uses {
		if u.OrgID != orgID || u.Day < q.From || u.Day > q.To {
			continue
		}
		group := u.KeyID
		if q.By == account.ByVoice {
			group = u.Voice
		}
		if q.By == account.ByLanguage {
			group = u.Language
		}
		i := slices.IndexFunc(days, func(d account.DailyUsage) bool { return d.Day == u.Day && d.Group == group })
		if i < 0 {
			i = len(days)
			days = append(days, account.DailyUsage{Day: u.Day, Group: group})
		}
		days[i].Requests += u.Requests
		days[i].Characters += u.Characters
		days[i].Audio += u.Audio
	}
	slices.SortFunc(days, func(a, b account.DailyUsage) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Group, b.Group))
	})
	return days
}

// watch watches a store until the test ends. It returns the changes, after the watch has begun.
func watch(t *testing.T, s account.Store) <-chan account.Change {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	seen, done := make(chan account.Change, 1000), make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Watch(ctx, func(c account.Change) { seen <- c }) // the end of ctx
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(10 * time.Second); ; {
		select {
		case c := <-seen:
			if c.Topic == account.TopicPlan {
				return seen
			}
		case <-tick.C:
			check(t, "SetPlan", s.SetPlan(t.Context(), ledger.Plan{ID: "watched", Name: "Watched", RequestsPerMinute: 1, MaxStreams: 1}))
		case <-deadline:
			t.Fatal("no change was seen within 10 s")
		}
	}
}

// patience is how long a change may take on a busy machine. How long it takes is
// measured by account/proof.
const patience = 20 * time.Second

// await waits for a change. The change may be reported without its id.
func await(t *testing.T, seen <-chan account.Change, want account.Change, within time.Duration) {
	t.Helper()
	for deadline := time.After(within); ; {
		select {
		case c := <-seen:
			if c.Topic == want.Topic && (c.ID == want.ID || c.ID == "") {
				return
			}
		case <-deadline:
			t.Fatalf("change %v was not seen within %v", want, within)
		}
	}
}

func testWatch(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := seed(t, s, 1)
	seen := watch(t, s)
	check(t, "RevokeKey", s.RevokeKey(ctx, keys[0].ID, created))
	await(t, seen, account.Change{Topic: account.TopicKey, ID: keys[0].ID}, patience)
	check(t, "SetCeilings", s.SetCeilings(ctx, org.ID, account.NoCeilings))
	await(t, seen, account.Change{Topic: account.TopicOrganisation, ID: org.ID}, patience)
	post(t, s, org.ID, func(time.Time, *ledger.Book) account.Posting {
		return account.Posting{Changed: []account.Change{{Topic: account.TopicKey, ID: "a b"}, {Topic: account.TopicPlan, ID: ""}, {Topic: account.TopicKey, ID: "c"}}}
	})
	await(t, seen, account.Change{Topic: account.TopicPlan}, patience)
}

func testWatchOthers(t *testing.T, o Opened) {
	if o.Again == nil {
		t.Skip("only one may open this store")
	}
	ctx, s, other := t.Context(), o.Accounts, o.Again(t)
	_, keys := seed(t, s, 5)
	seen := watch(t, s)
	for _, k := range keys {
		check(t, "RevokeKey by another", other.RevokeKey(ctx, k.ID, created))
		await(t, seen, account.Change{Topic: account.TopicKey, ID: k.ID}, patience)
	}
}
