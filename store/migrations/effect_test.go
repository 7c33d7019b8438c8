package migrations

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var reason = regexp.MustCompile(`(?m)^-- contract: \S.{10,}`)

// TestStepsKeepTheReleaseWorking holds every step against the rule of the package: a step that only
// adds demands no newer program than the one before it, a step that takes away says why, and none
// demands more than the last release.
func TestStepsKeepTheReleaseWorking(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		steps, err := Of(database)
		if err != nil {
			t.Fatal(err)
		}
		if Released > len(steps) {
			t.Errorf("Released = %d, and the last step of %s is %d", Released, database, len(steps))
		}
		if oldest := Oldest(steps); oldest > Released {
			t.Errorf("%s: servers of the last release, with schema %d, cannot use the newest one, which needs %d", database, Released, oldest)
		}
		for i, s := range steps {
			if s.Version < stated {
				continue
			}
			switch before := Oldest(steps[:i]); {
			case s.OnlyAdds() && s.Oldest > before:
				t.Errorf("%s: step %d only adds, and demands programs from schema %d on instead of %d", database, s.Version, s.Oldest, before)
			case !s.OnlyAdds() && !reason.MatchString(s.SQL):
				for _, e := range s.Effects() {
					if e.Kind == Breaks {
						t.Errorf("%s: step %d may break programs from before: %s\nlet it only add, or say since which version nothing uses what it changes: a line -- contract: with the reason",
							database, s.Version, e.Text)
					}
				}
			}
		}
	}
}

// TestStepsAgree: the steps of both databases demand the same programs.
func TestStepsAgree(t *testing.T) {
	t.Parallel()
	oldest := func(database string) (all []int) {
		steps, err := Of(database)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			all = append(all, s.Oldest)
		}
		return all
	}
	if d := cmp.Diff(oldest("sqlite"), oldest("postgres")); d != "" {
		t.Errorf("oldest of SQLite (-) and PostgreSQL (+):\n%s", d)
	}
}

func TestEffects(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		sql  string
		want []Effect // without their text
	}{
		{"-- nothing; at all\n", nil},
		{"CREATE TABLE t (a INT DEFAULT ';'); CREATE UNIQUE INDEX i ON t (a); INSERT INTO t VALUES (1); UPDATE t SET a = 2", []Effect{{Kind: Adds}, {Kind: Adds}, {Kind: Adds}, {Kind: Adds}}},
		{"CREATE UNLOGGED TABLE t (a INT)", []Effect{{Kind: Adds}}},
		{"ALTER TABLE old ADD COLUMN a TEXT", []Effect{{Kind: Adds}}},
		{"ALTER TABLE old ADD COLUMN a TEXT NOT NULL DEFAULT ''", []Effect{{Kind: Adds}}},
		{"ALTER TABLE old ADD COLUMN a TEXT NOT NULL", []Effect{{Kind: Breaks, Table: "old"}}},
		{"ALTER TABLE old ADD COLUMN a TEXT UNIQUE", []Effect{{Kind: Breaks, Table: "old"}}},
		{"ALTER TABLE old ADD COLUMN a TEXT CHECK (a <> '')", []Effect{{Kind: Reads, Table: "old"}}},
		{"CREATE INDEX i\n  ON old (a)", []Effect{{Kind: Reads, Table: "old"}}},
		{"CREATE UNIQUE INDEX i ON old (a)", []Effect{{Kind: Breaks, Table: "old"}}},
		{"CREATE TABLE t (a INT); INSERT INTO t SELECT a FROM old", []Effect{{Kind: Adds}, {Kind: Reads, Table: "old"}}},
		{"ALTER TABLE old ADD COLUMN a INT; UPDATE old SET a = b", []Effect{{Kind: Adds}, {Kind: Fills, Table: "old"}}},
		{"ALTER TABLE old ADD COLUMN a INT; UPDATE old SET a = b, b = 1", []Effect{{Kind: Adds}, {Kind: Breaks, Table: "old"}}},
		{"UPDATE old SET a = 1", []Effect{{Kind: Breaks, Table: "old"}}},
		{"INSERT INTO old VALUES (1)", []Effect{{Kind: Breaks}}},
		{"CREATE OR REPLACE FUNCTION f() RETURNS INT LANGUAGE plpgsql AS $$ BEGIN DELETE FROM old; END $$; DROP TABLE old", []Effect{{Kind: Adds}, {Kind: Breaks}}},
		{"ALTER TABLE old RENAME COLUMN a TO b", []Effect{{Kind: Breaks}}},
		{"ALTER TABLE old DROP COLUMN a", []Effect{{Kind: Breaks}}},
		{"CREATE TRIGGER t AFTER INSERT ON old BEGIN SELECT 1", []Effect{{Kind: Breaks}}},
		{"SELECT 'unended", []Effect{{Kind: Breaks}}},
	} {
		got := Step{SQL: tt.sql}.Effects()
		for i := range got {
			if got[i].Text == "" || strings.Contains(got[i].Text, "\n") {
				t.Errorf("Effects(%q) has the text %q, want one line", tt.sql, got[i].Text)
			}
			got[i].Text = ""
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("Effects(%q), -want +got:\n%s", tt.sql, d)
		}
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	got := Tables([]Step{
		{SQL: "CREATE TABLE t (a INT REFERENCES far (id)); INSERT INTO t SELECT a FROM old; ALTER TABLE old ADD COLUMN b INT"},
		{SQL: "CREATE UNIQUE INDEX i ON Other (a); UPDATE t SET a = 1; DROP TABLE IF EXISTS gone; CREATE FUNCTION f() RETURNS INT LANGUAGE sql AS $$ SELECT 1 FROM inside $$"},
	})
	if d := cmp.Diff([]string{"far", "gone", "old", "other", "t"}, got); d != "" {
		t.Errorf("Tables, -want +got:\n%s", d)
	}
}
