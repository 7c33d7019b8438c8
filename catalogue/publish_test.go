package catalogue_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
)

// gate is a hook of publishing that notes who asks and lets titles with "good" pass.
type gate struct{ asked []string }

var errBad = errors.New("it is bad")

func (g *gate) publishing(s *catalogue.Stored) error {
	g.asked = append(g.asked, s.Dataset.Title)
	if strings.Contains(s.Dataset.Title, "good") {
		return nil
	}
	return errBad
}

// gated returns a catalogue with a gate.
func gated(t *testing.T, m *cataloguetest.Memory) (*catalogue.Service, *gate) {
	t.Helper()
	g := &gate{}
	s, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, PublicURL: "https://x.test", Publishing: g.publishing})
	if err != nil {
		t.Fatal(err)
	}
	return s, g
}

// TestPublishing goes through all ways in which a record comes onto the list, or is
// replaced there, and those in which it does not.
func TestPublishing(t *testing.T) {
	t.Parallel()
	put := func(title string, publish bool) func(*testing.T, *catalogue.Service) error {
		return func(t *testing.T, s *catalogue.Service) error {
			d := cataloguetest.Dataset("a")
			d.Title = title
			_, err := s.Put(t.Context(), catalogue.Draft{Dataset: d, Publish: publish, Files: []catalogue.DraftFile{
				cataloguetest.File(catalogue.ManifestFile, "text/csv", title),
			}})
			return err
		}
	}
	move := func(to catalogue.Status) func(*testing.T, *catalogue.Service) error {
		return func(t *testing.T, s *catalogue.Service) error {
			_, err := s.Move(t.Context(), "a", to)
			return err
		}
	}
	m := &cataloguetest.Memory{}
	s, g := gated(t, m)
	for _, step := range []struct {
		what  string
		do    func(*testing.T, *catalogue.Service) error
		asked string // the title that was asked for; "" is none
		bad   bool
		after string // title and status
	}{
		{"a new one with publish", put("bad", true), "bad", true, ""},
		{"a draft", put("bad", false), "", false, "bad draft"},
		{"the same, published", move(catalogue.Published), "bad", true, "bad draft"},
		{"the same again, with publish", put("bad too", true), "bad too", true, "bad draft"},
		{"a good one over it, with publish", put("good", true), "good", false, "good published"},
		{"published again", move(catalogue.Published), "good", false, "good published"},
		{"another good one over it", put("good too", false), "good too", false, "good too published"},
		{"a bad one over it", put("bad", false), "bad", true, "good too published"},
		{"suspended", move(catalogue.Suspended), "", false, "good too suspended"},
		{"a bad one over the suspended", put("bad", false), "", false, "bad suspended"},
		{"the suspended, published", move(catalogue.Published), "bad", true, "bad suspended"},
		{"a good one over it", put("good again", false), "", false, "good again suspended"},
		{"and published", move(catalogue.Published), "good again", false, "good again published"},
		{"retired", move(catalogue.Retired), "", false, "good again retired"},
	} {
		g.asked = nil
		before := state(t, m)
		err := step.do(t, s)
		if errors.Is(err, errBad) != step.bad || err != nil && !step.bad {
			t.Errorf("%s: %v; want refused: %v", step.what, err, step.bad)
		}
		if asked := strings.Join(g.asked, ", "); asked != step.asked {
			t.Errorf("%s: asked of %q, want %q", step.what, asked, step.asked)
		}
		after := state(t, m)
		if diff := cmp.Diff(before, after); step.bad && diff != "" {
			t.Errorf("%s was refused, and written (-before +after):\n%s", step.what, diff)
		}
		got := ""
		if after.Revision > 0 {
			got = after.Dataset.Title + " " + string(after.Dataset.Status)
		}
		if got != step.after {
			t.Errorf("after %s it is %q, want %q", step.what, got, step.after)
		}
	}
}

// state returns what is kept of the dataset a.
func state(t *testing.T, m *cataloguetest.Memory) catalogue.Stored {
	t.Helper()
	s, _, err := m.Dataset(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPublishingSees checks that what is asked of is what readers would see.
func TestPublishingSees(t *testing.T) {
	t.Parallel()
	m := &cataloguetest.Memory{}
	var seen catalogue.Stored
	s, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, PublicURL: "https://x.test", Publishing: func(s *catalogue.Stored) error {
		seen = *s
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	d := cataloguetest.Full("a")
	_, err = s.Put(t.Context(), catalogue.Draft{Dataset: d, Publish: true, Files: []catalogue.DraftFile{
		cataloguetest.File(catalogue.ManifestFile, "text/csv", "x"), cataloguetest.File(d.Sample.URL, "audio/wav", "RIFF"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	served, err := s.Filed(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	seen.Revision = served.Revision // it is given when it is written
	if diff := cmp.Diff(*served, seen); diff != "" {
		t.Errorf("what is asked of (-served +asked):\n%s", diff)
	}
	if shown, err := s.ShowFiled(t.Context(), served.Dataset.ID); err != nil || !cmp.Equal(shown, *served) {
		t.Errorf("ShowFiled of a published one: %v, %s", err, cmp.Diff(*served, shown))
	}
	if !slices.ContainsFunc(seen.Files, func(f catalogue.File) bool { return f.URL == seen.Dataset.Manifest && f.URL != "" }) {
		t.Errorf("no file has the address of the manifest: %+v", seen.Files)
	}
}
