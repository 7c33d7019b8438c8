package layout

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"vaak/catalogue/ingest/card"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
)

// factColumns returns the columns of recordings.csv, which are the keys of recordings.jsonl.
func factColumns() []string {
	return []string{"id", "path", "split", "speakers", "roles", "session"}
}

// fact is a row about one recording.
type fact struct {
	ID       string   `json:"id"`
	Path     string   `json:"path"`
	Split    string   `json:"split"`
	Speakers []string `json:"speakers"`
	Roles    []string `json:"roles"`
	Session  string   `json:"session"`
}

// facts reads the file of facts.
type facts struct {
	*Set
	alone bool               // no other manifest lists the recordings, so this file does
	lines map[*Recording]int // the line about each recording
}

// readFacts reads recordings.csv or recordings.jsonl. If alone is set, the file lists the
// recordings; else it adds to those of another manifest.
func readFacts(s *Set, p string, alone bool) {
	r := &facts{s, alone, map[*Recording]int{}}
	if strings.HasSuffix(p, ".csv") {
		r.CSVRows(p, func(line int, column string) { r.column(Place{p, line}, column) }, func(line int, c tree.Row) {
			r.add(Place{p, line}, fact{c["id"], c["path"], c["split"], listed(c["speakers"]), listed(c["roles"]), c["session"]})
		})
	} else {
		r.Lines(p, func(line int, text string) {
			if f, ok := r.row(Place{p, line}, text); ok {
				r.add(Place{p, line}, f)
			}
		})
	}
	if alone || r.Partial(p) {
		r.unlisted(p)
		return
	}
	for _, rec := range r.Recordings() {
		if r.lines[rec] == 0 {
			r.Report.Add(rec.Path, 0, "is not in %s", p)
		}
	}
}

// row returns a row of recordings.jsonl. Unknown keys are problems, which encoding/json could
// refuse too, but only the first and without naming the nearest.
func (r *facts) row(at Place, text string) (f fact, ok bool) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &keys); err != nil {
		r.Report.Add(at.File, at.Line, "is not a row as it should be: %s", tree.JSONReason(err))
		return f, false
	}
	ok = true
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		ok = r.column(at, k) && ok
	}
	if !ok {
		return f, false
	}
	if err := json.NewDecoder(bytes.NewReader([]byte(text))).Decode(&f); err != nil {
		r.Report.Add(at.File, at.Line, "is not a row as it should be: %s", tree.JSONReason(err))
		return f, false
	}
	return f, true
}

// column reports whether a column is known, and adds the problem if it is not.
func (r *facts) column(at Place, name string) bool {
	if slices.Contains(factColumns(), name) {
		return true
	}
	if card.IsMeasured(name) {
		r.Report.Add(at.File, at.Line, "%s: measured fields cannot be declared; vaak computes them from the files", report.Quote(name))
	} else {
		r.Report.Add(at.File, at.Line, "there is no column %s; the nearest is %q", report.Quote(name), card.Nearest(name, factColumns()))
	}
	return false
}

// listed splits a cell at its semicolons.
func listed(cell string) []string {
	if strings.TrimSpace(cell) == "" {
		return nil
	}
	all := strings.Split(cell, ";")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// add adds what a row says to its recording.
func (r *facts) add(at Place, f fact) {
	rec := r.of(at, f)
	if rec == nil {
		return
	}
	if line := r.lines[rec]; line > 0 {
		r.Report.Add(at.File, at.Line, "the recording %s is there twice, first in line %d", report.Quote(rec.ID), line)
		return
	}
	r.lines[rec] = at.Line
	split, why := splitName(f.Split)
	if why != "" {
		r.Report.Add(at.File, at.Line, "the split %s %s", report.Quote(f.Split), why)
	}
	// An empty cell does not remove a split that the layout gave.
	if split != "" {
		rec.Split = split
	}
	rec.Session = r.name(at, "session", f.Session)
	// A file of facts may say more about a recording than its manifest, and never less: nil
	// keeps what is known.
	if f.Speakers != nil {
		rec.Speakers, rec.ByChannel = r.names(at, "speakers", f.Speakers), true
	}
	rec.Roles = r.names(at, "roles", f.Roles)
	if n := len(rec.Speakers); len(rec.Roles) > 0 && n > 0 && n != len(rec.Roles) {
		r.Report.Add(at.File, at.Line, "there are %d speakers and %d roles; each speaker has one", n, len(rec.Roles))
	}
}

// of returns the recording that a row is about. It adds the recording if the facts list
// them, and returns nil with a problem if there is none.
func (r *facts) of(at Place, f fact) *Recording {
	if f.ID == "" && f.Path == "" {
		r.Report.Add(at.File, at.Line, "has neither id nor path")
		return nil
	}
	p, ok := f.Path, true
	if f.Path != "" {
		if p, ok = r.file(at, f.Path); !ok {
			return nil
		}
	}
	// Without another manifest, a row creates its recording.
	if r.alone {
		return r.list(at, f.ID, p)
	}
	rec := r.byPath[p]
	if p == "" {
		if rec = r.byID[strings.ToLower(f.ID)]; rec == nil {
			r.Report.Add(at.File, at.Line, "there is no recording %s", report.Quote(f.ID))
		}
		return rec
	}
	if rec != nil && f.ID != "" && rec.ID != f.ID {
		r.Report.Add(at.File, at.Line, "the file %s is the recording %s, not %s", report.Quote(p), report.Quote(rec.ID), report.Quote(f.ID))
	}
	return rec
}

// list adds the recording of a row that has a path, an id, or both.
func (r *facts) list(at Place, id, p string) *Recording {
	if p == "" {
		if p = r.byDefault()[id]; p == "" {
			r.Report.Add(at.File, at.Line, "there is no audio file for the id %s; give its path", report.Quote(id))
			return nil
		}
		r.named[p] = true
	}
	if id == "" {
		id = r.defaultID(p)
	}
	return r.recording(at, id, p)
}
