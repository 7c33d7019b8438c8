package layout

import (
	"path"
	"slices"
	"strings"

	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
)

// commonVoiceTables are the tables of Mozilla Common Voice that are read, in this order, with the
// split that their clips are in. A clip in a table that was read before keeps its split. The clips
// of other.tsv and invalidated.tsv were not validated and are left out.
var commonVoiceTables = []struct{ name, split string }{
	{"train.tsv", "train"}, {"dev.tsv", "validation"}, {"test.tsv", "test"}, {"validated.tsv", "validated"},
}

// isCommonVoice reports whether a file is a table of Common Voice, by its header.
func isCommonVoice(t *tree.Tree, p string) bool {
	for _, table := range commonVoiceTables {
		if path.Base(p) == table.name {
			columns := strings.Split(firstLine(t, p), "\t")
			return slices.Contains(columns, "client_id") && slices.Contains(columns, "path") && slices.Contains(columns, "sentence")
		}
	}
	return false
}

// readCommonVoice reads the tables of each language: a clip in the folder clips beside them, its
// sentence, and what is told of its speaker. Sentences have no times.
func readCommonVoice(s *Set, manifests []string) {
	// There are tables of splits, be it of another language.
	splits := slices.ContainsFunc(manifests, func(p string) bool { return path.Base(p) != "validated.tsv" })
	dirs := map[string]bool{}
	for _, p := range manifests {
		if dir := path.Dir(p); !dirs[dir] {
			dirs[dir] = true
			readCommonVoiceDir(s, dir, manifests, splits)
		}
	}
}

func readCommonVoiceDir(s *Set, dir string, manifests []string, splits bool) {
	for _, table := range commonVoiceTables {
		p := path.Join(dir, table.name)
		if !slices.Contains(manifests, p) {
			continue
		}
		split := table.split
		if split == "validated" && !splits {
			split = ""
		}
		s.TSVRows(p, func(line int, r tree.Row) { commonVoiceClip(s, Place{p, line}, r, split) })
	}
	for _, name := range []string{"other.tsv", "invalidated.tsv"} {
		if p := path.Join(dir, name); s.Has(p) {
			s.Remark("%s: its clips are left out, since Common Voice has not validated them", p)
		}
	}
}

// commonVoiceClip adds the recording of a row, unless a table before has it.
func commonVoiceClip(s *Set, at Place, r tree.Row, split string) {
	name := r["path"]
	if why := badPath(name); why != "" {
		s.Report.Add(at.File, at.Line, "the path %s %s", report.Quote(name), why)
		return
	}
	// Old releases leave the extension out.
	if path.Ext(name) == "" {
		name += ".mp3"
	}
	file := path.Join(path.Dir(at.File), "clips", name)
	if s.byPath[file] != nil && split == "validated" {
		return
	}
	file, ok := s.file(at, file)
	if !ok {
		return
	}
	rec := s.recording(at, strings.TrimSuffix(path.Base(file), path.Ext(file)), file)
	if rec == nil {
		return
	}
	rec.Split = split
	text := r["sentence"]
	s.text(rec, at, "commonvoice", r["client_id"], &text)
	s.Told.language(r["locale"])
	if len(rec.Speakers) == 1 {
		s.Told.gender(rec.Speakers[0], strings.Split(r["gender"], "_")[0]) // male_masculine, female_feminine
	}
}
