package backup

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/identity"
)

// people runs do with the people of the database.
func (x till) people(do func(identity.Store) error) {
	x.t.Helper()
	db, err := x.place.Open(x.t.Context(), slog.New(slog.NewJSONHandler(io.Discard, nil)))
	if err != nil {
		x.t.Fatal(err)
	}
	if err := do(db.Identity()); err != nil {
		x.t.Error(err)
	}
	if err := db.Close(); err != nil {
		x.t.Error(err)
	}
}

// TestBackupOfTheConsole: people, what they did, and what was spoken for them are there
// after a restore.
func TestBackupOfTheConsole(t *testing.T) {
	t.Parallel()
	x := newTill(t)
	at := time.UnixMicro(1_700_000_000_000_000).UTC()
	want := identity.Person{
		ID: "usr_aaaaaaaaaaaaaaaa", Email: "a@example.org", Name: "A", Role: identity.Member, OrgID: x.org, Created: at, Epoch: 3,
		Proof: identity.Proof{Password: "a digest", Codes: "sealed", CodesUsed: 7, Subject: "issuer a"},
	}
	event := identity.Event{At: at, Actor: want.ID, OrgID: x.org, Action: "key.create", Outcome: identity.OutcomeDone}
	x.people(func(s identity.Store) error {
		if err := s.CreatePerson(t.Context(), want); err != nil {
			return err
		}
		return s.AddEvent(t.Context(), event)
	})
	key := x.caller
	x.with(func(a *account.Service) {
		x.spend(a, 2)
		var err error
		if x.caller, err = a.Console(t.Context(), x.org); err != nil {
			t.Fatal(err)
		}
		x.spend(a, 3)
	})
	y, err := x.restored(x.backup())
	if err != nil {
		t.Fatal(err)
	}
	y.people(func(s identity.Store) error {
		got, err := s.Person(t.Context(), want.ID)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("Person: -want +got\n%s", d)
		}
		events, eventErr := s.Events(t.Context(), identity.EventQuery{Limit: 5})
		if len(events) != 1 || events[0].Event != event || eventErr != nil {
			t.Errorf("Events = %+v, %v, want the one that was", events, eventErr)
		}
		return err
	})
	y.with(func(a *account.Service) {
		_, days, err := a.Daily(t.Context(), x.org, account.DailyQuery{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int64{}
		for _, d := range days {
			got[d.Group] += d.Characters
		}
		if d := cmp.Diff(map[string]int64{account.ConsoleKey: 180, key.KeyID: 120}, got); d != "" {
			t.Errorf("characters by key: -want +got\n%s", d)
		}
		for _, by := range []account.Grouping{account.ByVoice, account.ByLanguage} {
			_, days, err := a.Daily(t.Context(), x.org, account.DailyQuery{By: by})
			var characters int64
			for _, d := range days {
				characters += d.Characters
			}
			if characters != 300 || err != nil {
				t.Errorf("by %s %d characters, %v, want 300", by, characters, err)
			}
		}
	})
	y.report()
}
