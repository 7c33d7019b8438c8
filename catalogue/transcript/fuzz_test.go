package transcript

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// check reads data and holds the result to what Read promises.
func check(t *testing.T, data []byte, format Format) {
	t.Helper()
	limits := Limits{Bytes: 1 << 16, Segments: 50, Words: 100, Problems: 5}
	file, problems := Read(bytes.NewReader(data), format, limits)
	if file.Format != format || (file.Recordings == nil) != (len(problems) > 0) || len(problems) > limits.Problems {
		t.Fatalf("Read(%q, %s) = %+v, %+v", data, format, file, problems)
	}
	for i, p := range problems {
		if p.Message == "" || p.Line < 0 || p.Line > 1+bytes.Count(data, []byte("\n"))+bytes.Count(data, []byte("\r")) || i > 0 && p.Line < problems[i-1].Line {
			t.Fatalf("Read(%q, %s) has the problem %+v in %+v", data, format, p, problems)
		}
	}
	segments, words := 0, 0
	byTime := func(a, b Segment) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) }
	for name, list := range file.Recordings {
		if !slices.IsSortedFunc(list, byTime) {
			t.Fatalf("Read(%q, %s): %q is not in order: %+v", data, format, name, list)
		}
		segments += len(list)
		for _, s := range list {
			words += len(s.Words)
			if why := unsound(name, s); why != "" || s.Line < 1 {
				t.Fatalf("Read(%q, %s) has %+v: %s", data, format, s, why)
			}
		}
		again(t, list)
	}
	if segments > limits.Segments || words > limits.Words || file.WordTimes != (words > 0) {
		t.Fatalf("Read(%q, %s) has %d segments and %d words, told: %t", data, format, segments, words, file.WordTimes)
	}
}

// again writes what was read as CSV, which must read.
func again(t *testing.T, list []Segment) {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, list, CSV); err != nil {
		t.Fatalf("Write(%+v) = %v", list, err)
	}
	written := bytes.Clone(out.Bytes())
	file, problems := Read(&out, CSV, Limits{})
	if len(problems) > 0 || len(file.Recordings[""]) != len(list) {
		t.Fatalf("Read(%q) = %+v, %+v", written, file, problems)
	}
}

// fuzz fuzzes formats that share a parser, with the test data as seeds.
func fuzz(f *testing.F, patterns []string, formats ...Format) {
	for _, pattern := range patterns {
		files, err := filepath.Glob("testdata/" + pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds %s: %v", pattern, err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range formats {
			check(t, data, format)
			Detect("x.json", data)
			Detect("x.csv", data)
			Detect("x.txt", data)
			Detect("x.jsonl", data)
		}
	})
}

func FuzzTextGrid(f *testing.F) { fuzz(f, []string{"*.TextGrid"}, TextGrid) }
func FuzzLines(f *testing.F)    { fuzz(f, []string{"*.rttm", "*.ctm", "*.stm"}, RTTM, CTM, STM) }
func FuzzCues(f *testing.F)     { fuzz(f, []string{"*.vtt", "*.srt"}, WebVTT, SRT) }
func FuzzTable(f *testing.F)    { fuzz(f, []string{"*.csv", "*.tsv"}, CSV) }
func FuzzJSON(f *testing.F)     { fuzz(f, []string{"talk.json", "*.seglst.json"}, SegLST, JSON) }
func FuzzLabels(f *testing.F)   { fuzz(f, []string{"*.txt"}, Audacity) }
func FuzzELAN(f *testing.F)     { fuzz(f, []string{"*.eaf"}, ELAN) }
func FuzzWhisper(f *testing.F) {
	fuzz(f, []string{"*.whisper.json", "*.whisper.jsonl"}, Whisper, WhisperLines)
}
