package main

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"vaak/app/deployment"
	"vaak/identity"
)

// asked runs a command on the data of a directory.
func (s *server) asked(t *testing.T, args ...string) (status int, out, stderr string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(t.Context(), append(args, "--data-dir", s.dir), nil, &o, &e)
	return status, o.String(), e.String()
}

// TestPersonReinvite brings back the only operator, who has lost everything, while the
// server runs.
func TestPersonReinvite(t *testing.T) {
	t.Parallel()
	s := start(t, "--console-listen", "127.0.0.1:0")
	v := visit(t, s)
	v.setUp(s)
	_, list, _ := s.asked(t, "person", "list")
	id := regexp.MustCompile(`^(usr_[a-z2-7]{16})\tolga@example\.org\tOlga\toperator\t-\tactive\n$`).FindStringSubmatch(list)
	if id == nil {
		t.Fatalf("vaak person list = %q", list)
	}
	status, link, stderr := s.asked(t, "person", "reinvite", "Olga@Example.org", "--console-url", s.console+"/")
	path, ours := strings.CutPrefix(link, s.console)
	if status != 0 || !ours || !regexp.MustCompile(`^/invitation/[\w-]{43}\n$`).MatchString(path) || stderr != "" {
		t.Fatalf("vaak person reinvite = %d, %q, %q", status, link, stderr)
	}
	if _, list, _ := s.asked(t, "person", "list"); !strings.HasSuffix(list, "\toperator\t-\tinvited\n") {
		t.Errorf("after that vaak person list = %q", list)
	}
	if at, _, _ := v.get("/organisations"); at != "/signin" {
		t.Errorf("the session of before is at %s", at)
	}
	const next = "seven green kettles sing"
	back := visit(t, s)
	if at, status, body := back.post(strings.TrimSpace(path), "password", next, "again", next); at != "/organisations" || status != http.StatusOK {
		t.Fatalf("the link leads to %s, %d: %.1000s", at, status, body)
	}
	if _, _, body := back.get("/audit"); !strings.Contains(body, "The owner of the machine") || !strings.Contains(body, "Make a new link for a person") {
		t.Errorf("the audit does not say who made the link: %.3000s", body)
	}

	// The id does, too; without an address the link is for this machine.
	status, link, stderr = s.asked(t, "person", "reinvite", id[1])
	if status != 0 || !strings.HasPrefix(link, "http://127.0.0.1:8082/invitation/") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "--console-url") {
		t.Errorf("vaak person reinvite by id = %d, %q, %q", status, link, stderr)
	}
}

func TestCommandPersonRefused(t *testing.T) {
	t.Parallel()
	s := &server{t: t, dir: t.TempDir()}
	_, org, _ := s.asked(t, "org", "create", "Test")
	org = strings.TrimSpace(org)
	if status, out, stderr := s.asked(t, "person", "reinvite", "a@example.org"); status != 2 || out != "" || !strings.Contains(stderr, "there is no secret at") {
		t.Errorf("without a secret: %d, %q, %q", status, out, stderr)
	}
	if _, err := (deployment.Place{DataDir: s.dir}).OpenSecret(); err != nil {
		t.Fatal(err)
	}
	people(t, s.dir, func(st identity.Store) error {
		for _, p := range []identity.Person{
			{ID: "usr_aaaaaaaaaaaaaaaa", Email: "a@example.org", Name: "A\x1b[2J", Role: identity.Member, OrgID: org},
			{ID: "usr_bbbbbbbbbbbbbbbb", Email: "b@example.org", Name: "B", Role: identity.Operator, Disabled: time.Now()},
		} {
			if err := st.CreatePerson(t.Context(), p); err != nil {
				return err
			}
		}
		return nil
	})
	_, list, _ := s.asked(t, "person", "list")
	if want := "usr_aaaaaaaaaaaaaaaa\ta@example.org\tA\\x1b[2J\tmember\t" + org + "\tinvited\nusr_bbbbbbbbbbbbbbbb\tb@example.org\tB\toperator\t-\tdisabled\n"; list != want {
		t.Errorf("vaak person list = %q, want %q", list, want)
	}
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"b@example.org", 1, "disabled"},
		{"c@example.org", 1, `there is no person "c@example.org"`},
		{"usr_cccccccccccccccc", 1, "there is no person"},
		{"machine", 1, "there is no person"},
		{"", 1, "there is no person"},
		{"a@example.org --console-url example.org", 2, "--console-url"},
		{"a@example.org --console-url https://example.org/console", 2, "--console-url"},
	} {
		status, out, stderr := s.asked(t, append([]string{"person", "reinvite"}, strings.Split(tt.args, " ")...)...)
		if status != tt.status || out != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, tt.want) {
			t.Errorf("vaak person reinvite %s = %d, %q, %q; want %d and %q", tt.args, status, out, stderr, tt.status, tt.want)
		}
	}
	people(t, s.dir, func(st identity.Store) error {
		events, err := st.Events(t.Context(), identity.EventQuery{Limit: 9})
		if len(events) != 1 || !events[0].IsMachine() || events[0].Outcome != identity.CodePersonDisabled || events[0].Target != "usr_bbbbbbbbbbbbbbbb" {
			t.Errorf("events = %+v, want the refusal to reinvite who is disabled", events)
		}
		return err
	})
}

// people runs do with the people of a data directory.
func people(t *testing.T, dir string, do func(identity.Store) error) {
	t.Helper()
	db, err := deployment.Place{DataDir: dir}.Open(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(do(db.Identity()), db.Close()); err != nil {
		t.Error(err)
	}
}
