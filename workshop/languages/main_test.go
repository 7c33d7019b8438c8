package main

import (
	"os"
	"testing"
)

// TestPageIsCurrent compares docs/languages.md with what is measured now.
func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := render("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../" + page)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what is measured (%v): run `make languages`", page, err)
	}
}

// TestGrades: one fault is enough to lose a grade.
func TestGrades(t *testing.T) {
	t.Parallel()
	best := quality{own: true, cases: 60, detected: 0.95, missing: []string{"roman"}}
	for _, tt := range []struct {
		name string
		want string
		harm func(*quality)
	}{
		{"the least that is strong", "strong", func(*quality) {}},
		{"one case fewer", "good", func(q *quality) { q.cases-- }},
		{"two kinds missing", "good", func(q *quality) { q.missing = kinds[:2] }},
		{"found less often", "good", func(q *quality) { q.detected = 0.94 }},
		{"six kinds missing", "good", func(q *quality) { q.missing = kinds[:6] }},
		{"seven kinds missing", "basic", func(q *quality) { q.missing = kinds[:7] }},
		{"borrowed sounds", "basic", func(q *quality) { q.own = false }},
	} {
		q := best
		if tt.harm(&q); q.grade() != tt.want {
			t.Errorf("%s: %+v is %q, want %q", tt.name, q, q.grade(), tt.want)
		}
	}
}
