package ingest

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// factColumns are the columns of recordings.csv, and keys of recordings.jsonl.
func factColumns() []string {
	return []string{"id", "path", "split", "speakers", "roles", "session"}
}

// fact is what a file of facts says of one recording.
type fact struct {
	ID       string   `json:"id"`
	Path     string   `json:"path"`
	Split    string   `json:"split"`
	Speakers []string `json:"speakers"`
	Roles    []string `json:"roles"`
	Session  string   `json:"session"`
}

// readFacts reads recordings.csv or recordings.jsonl. Where alone says so it lists
// the recordings; else it adds to those of the manifest beside it.
func (r *reader) readFacts(p string, alone bool) {
	told := map[*Recording]int{}
	each := func(line int, f fact) { r.fact(place{p, line}, f, alone, told) }
	if strings.HasSuffix(p, ".csv") {
		r.csvRows(p, func(line int, column string) { r.factColumn(place{p, line}, column) }, func(line int, c row) {
			each(line, fact{c["id"], c["path"], c["split"], listed(c["speakers"]), listed(c["roles"]), c["session"]})
		})
	} else {
		r.lines(p, func(line int, text string) {
			if f, ok := r.factRow(place{p, line}, text); ok {
				each(line, f)
			}
		})
	}
	if alone || r.unread[p] {
		r.unlisted(p)
		return
	}
	for _, at := range slices.Sorted(maps.Keys(r.byPath)) {
		if rec := r.byPath[at]; told[rec] == 0 {
			r.report.add(at, 0, "is not in %s", p)
		}
	}
}

// factRow reads a row of recordings.jsonl, whose keys must be known.
func (r *reader) factRow(at place, text string) (f fact, ok bool) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &keys); err != nil {
		r.report.add(at.file, at.line, "is not a row as it should be: %s", jsonReason(err))
		return f, false
	}
	ok = true
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		ok = r.factColumn(at, k) && ok
	}
	if !ok {
		return f, false
	}
	if err := json.NewDecoder(bytes.NewReader([]byte(text))).Decode(&f); err != nil {
		r.report.add(at.file, at.line, "is not a row as it should be: %s", jsonReason(err))
		return f, false
	}
	return f, true
}

// factColumn tells of a column that facts do not have.
func (r *reader) factColumn(at place, name string) bool {
	if slices.Contains(factColumns(), name) {
		return true
	}
	if measuredKeys()[foldKey(name)] || foldKey(name) == "channels" {
		r.report.add(at.file, at.line, "%s: measured fields cannot be declared; vaak computes them from the files", shown(name))
	} else {
		r.report.add(at.file, at.line, "there is no column %s; the nearest is %q", shown(name), nearestName(name, factColumns()))
	}
	return false
}

// listed cuts a cell at its semicolons.
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

// fact takes one row. Told has the line of each recording that a row was about.
func (r *reader) fact(at place, f fact, alone bool, told map[*Recording]int) {
	rec := r.factOf(at, f, alone)
	if rec == nil {
		return
	}
	if line := told[rec]; line > 0 {
		r.report.add(at.file, at.line, "the recording %s is there twice, first in line %d", shown(rec.ID), line)
		return
	}
	told[rec] = at.line
	split, why := splitName(f.Split)
	if why != "" {
		r.report.add(at.file, at.line, "the split %s %s", shown(f.Split), why)
	}
	if split != "" {
		rec.Split = split
	}
	rec.Session = r.name(at, "session", f.Session)
	if f.Speakers != nil {
		rec.Speakers = r.names(at, "speakers", f.Speakers)
	}
	rec.Roles = r.names(at, "roles", f.Roles)
	if n := len(rec.Speakers); len(rec.Roles) > 0 && n > 0 && n != len(rec.Roles) {
		r.report.add(at.file, at.line, "there are %d speakers and %d roles; each speaker has one", n, len(rec.Roles))
	}
}

// factOf returns the recording that a row is about, which it adds where facts
// list the recordings.
func (r *reader) factOf(at place, f fact, alone bool) *Recording {
	if f.ID == "" && f.Path == "" {
		r.report.add(at.file, at.line, "has neither id nor path")
		return nil
	}
	p, ok := f.Path, true
	if f.Path != "" {
		if p, ok = r.file(at, f.Path); !ok {
			return nil
		}
	}
	if alone {
		return r.listedFact(at, f.ID, p)
	}
	rec := r.byPath[p]
	if p == "" {
		if rec = r.byID[strings.ToLower(f.ID)]; rec == nil {
			r.report.add(at.file, at.line, "there is no recording %s", shown(f.ID))
		}
		return rec
	}
	if rec != nil && f.ID != "" && rec.ID != f.ID {
		r.report.add(at.file, at.line, "the file %s is the recording %s, not %s", shown(p), shown(rec.ID), shown(f.ID))
	}
	return rec
}

// listedFact adds the recording of a row: a path, an id, or both.
func (r *reader) listedFact(at place, id, p string) *Recording {
	if p == "" {
		if p = r.byDefault()[id]; p == "" {
			r.report.add(at.file, at.line, "there is no audio file for the id %s; give its path", shown(id))
			return nil
		}
		r.named[p] = true
	}
	if id == "" {
		id = defaultID(p)
	}
	return r.recording(at, id, p)
}

// byDefault returns the audio files by the ids that their paths give, which is
// made when it is first asked for.
func (r *reader) byDefault() map[string]string {
	if r.defaults == nil {
		r.defaults = make(map[string]string, len(r.paths))
		for _, p := range r.paths {
			r.defaults[defaultID(p)] = p
		}
	}
	return r.defaults
}

func (r *reader) names(at place, what string, all []string) []string {
	out := make([]string, 0, len(all))
	for _, s := range all {
		name := r.name(at, what, s)
		if name == "" {
			r.report.add(at.file, at.line, "%s has an empty name", what)
			continue
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// name returns a name as it is kept, and tells of one that cannot be.
func (r *reader) name(at place, what, s string) string {
	s = norm.NFC.String(strings.TrimSpace(s))
	if utf8.RuneCountInString(s) > maxShort || badName(s) != "" {
		r.report.add(at.file, at.line, "%s is up to %d characters of text, this is %s", what, maxShort, shown(s))
		return ""
	}
	return s
}

// stem is a path without folder top and extension: what audio and transcripts have
// in common.
func stem(p, top string) string {
	p = strings.TrimPrefix(p, top+"/")
	return strings.TrimSuffix(p, path.Ext(p))
}
