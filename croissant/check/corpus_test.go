package check_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/croissant/check"
)

// The corpus is documents about small datasets: in testdata/bad each is wrong in one
// way, those in testdata/warned could be better in one, and nothing is wrong with
// those in testdata/good. A table beside each directory says what is to be found.
// conformance/croissant/corpus.py holds the reference library against them.

// expectation is a line of bad.tsv or warned.tsv.
type expectation struct {
	file    string
	code    string
	pointer string
	refused bool     // the reference library refuses it
	others  []string // codes of findings that may come along
}

// lines returns the fields of each line of a table of the corpus, of which there
// must be as many as given. Empty lines and those that begin with # are left out.
func lines(t *testing.T, name string, fields int) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		got := strings.Split(line, "\t")
		if len(got) != fields {
			t.Fatalf("%s: %q has %d fields, want %d", name, line, len(got), fields)
		}
		out = append(out, got)
	}
	return out
}

// list returns the members of a list with commas; "-" is the empty one.
func list(s string) []string {
	if s == "-" {
		return nil
	}
	return strings.Split(s, ",")
}

// expectations returns the lines of bad.tsv or warned.tsv.
func expectations(t *testing.T, name string) []expectation {
	t.Helper()
	var out []expectation
	for _, f := range lines(t, name, 5) {
		pointer := f[2]
		if pointer == `""` {
			pointer = ""
		}
		out = append(out, expectation{file: f[0], code: f[1], pointer: pointer, refused: f[3] == "yes", others: list(f[4])})
	}
	return out
}

// document returns a document of the corpus.
func document(t testing.TB, directory, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", directory, file))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkListed checks that a table names every document of a directory once, and that
// there are enough of them.
func checkListed(t *testing.T, directory string, listed []string, least int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join("testdata", directory))
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, e := range entries {
		there = append(there, e.Name())
	}
	slices.Sort(listed)
	if d := cmp.Diff(there, listed); d != "" {
		t.Errorf("documents of %s and its table (-there +listed):\n%s", directory, d)
	}
	if len(there) < least {
		t.Errorf("%s has %d documents, want %d or more", directory, len(there), least)
	}
}

// checkFound checks that just one finding is the expected one, and that all others
// are among those that may come along.
func checkFound(t *testing.T, found []check.Finding, severity check.Severity, want expectation) {
	t.Helper()
	times := 0
	for _, f := range found {
		if f.Severity != severity {
			t.Errorf("%s at %q has severity %q, want %q", f.Code, f.Path, f.Severity, severity)
		}
		switch {
		case f.Code == want.code && f.Path == want.pointer:
			times++
			checkMessage(t, f)
		case !slices.Contains(want.others, f.Code):
			t.Errorf("found %s at %q, which is not expected: %s", f.Code, f.Path, f.Message)
		}
	}
	if times != 1 {
		t.Errorf("found %s at %q %d times, want once", want.code, want.pointer, times)
	}
}

// checkMessage checks that a message is a sentence which says what is allowed.
func checkMessage(t *testing.T, f check.Finding) {
	t.Helper()
	if len([]rune(f.Message)) < 30 {
		t.Errorf("message of %s = %q, want 30 characters or more", f.Code, f.Message)
	}
	pattern, ok := allowed()[f.Code]
	if !ok {
		t.Errorf("there is no expectation of the message of %s", f.Code)
	}
	if !regexp.MustCompile(pattern).MatchString(f.Message) {
		t.Errorf("message of %s = %q, want what is allowed: a match of %q", f.Code, f.Message, pattern)
	}
}

// allowed returns what the message of each rule must name, as regular expressions.
func allowed() map[string]string {
	return map[string]string{
		"E000":  `JSON|UTF-8|keep one|64 levels|1048576`,
		"E001":  `Dataset|name of a type`,
		"E002":  `context|https?://`,
		"E003":  `http://mlcommons\.org/croissant/1\.[01]`,
		"E010":  `name`,
		"E011":  `description`,
		"E012":  `license`,
		"E012b": `(?s)text.*CreativeWork|CreativeWork.*text`,
		"E013":  `url`,
		"E014":  `Person|Organization`,
		"E014b": `(?s)Person.*Organization|Organization.*Person`,
		"E015":  `datePublished`,
		"E016":  `FileObject|FileSet`,
		"E017":  `text`,
		"E018":  `ISO 8601|\d{4}-\d\d-\d\d`,
		"E020":  `white ?space|leave it out`,
		"E021":  `@id`,
		"E022":  `(?s)FileObject.*FileSet`,
		"E023":  `contentUrl`,
		"E024":  `(?s)sha256.*md5|md5.*sha256`,
		"E025":  `64|32`,
		"E026":  `encodingFormat|media type`,
		"E027":  `distribution|FileObject|FileSet`,
		"E028":  `text`,
		"E029":  `includes`,
		"E030":  `RecordSet`,
		"E031":  `Field`,
		"E032":  `source`,
		"E033":  `@id|distribution|field`,
		"E034":  `sc:Text|Text`,
		"E035":  `(?s)content.*filename.*lineNumbers`,
		"E036":  `(?s)field.*fileObject.*fileSet|fileObject.*fileSet.*field|leave it out`,
		"E037":  `(?s)column.*fileProperty.*jsonPath|leave it out`,
		"E038":  `@id|field`,
		"E039":  `field`,
		"E040":  `list|array|rows|object`,
		"E041":  `@id|field`,
		"E042":  `regex|format|leave it out`,
		"E043":  `JSONPath|jsonPath|\$`,
		"E044":  `(?s)value.*source|source.*value`,
		"E045":  `isArray|integer|whole number`,
		"E046":  `integer|whole number|Hz`,
		"E047":  `true`,
		"E048":  `references`,
		"E049":  `text|number|true|integer|leave it out`,
		"W01":   `citeAs|version|license|datePublished`,
		"W02":   `@context|cr:`,
		"W03":   `MAJOR|1\.0\.0|\d\.\d\.\d`,
		"W04":   `one|single`,
		"W05":   `keywords|publisher|inLanguage|sdLicense`,
		"W06":   `https://schema\.org/`,
		"W07":   `absolute|https://`,
		"W08":   `text|1\.1`,
		"W09":   `array of objects`,
	}
}

func TestBadDocuments(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, want := range expectations(t, "bad.tsv") {
		listed = append(listed, want.file)
		t.Run(want.file, func(t *testing.T) {
			t.Parallel()
			got := check.Validate(document(t, "bad", want.file))
			if got.Valid {
				t.Error("Valid = true, want false")
			}
			checkFound(t, got.Errors, check.Error, want)
		})
	}
	checkListed(t, "bad", listed, 60)
}

func TestWarnedDocuments(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, want := range expectations(t, "warned.tsv") {
		listed = append(listed, want.file)
		t.Run(want.file, func(t *testing.T) {
			t.Parallel()
			got := check.Validate(document(t, "warned", want.file))
			if !got.Valid || len(got.Errors) > 0 {
				t.Errorf("Valid = %t with errors %+v, want true and none", got.Valid, got.Errors)
			}
			checkFound(t, got.Warnings, check.Warning, want)
		})
	}
	checkListed(t, "warned", listed, 10)
}

func TestGoodDocuments(t *testing.T) {
	t.Parallel()
	known := regexp.MustCompile(`http://mlcommons\.org/croissant/1\.[01]`)
	var listed []string
	for _, f := range lines(t, "good.tsv", 2) {
		file, want := f[0], list(f[1])
		listed = append(listed, file)
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text := document(t, "good", file)
			got := check.Validate(text)
			if version := known.Find(text); got.ConformsTo != string(version) {
				t.Errorf("ConformsTo = %q, want %q", got.ConformsTo, version)
			}
			if !got.Valid || len(got.Errors) > 0 {
				t.Errorf("Valid = %t with errors %+v, want true and none", got.Valid, got.Errors)
			}
			if d := cmp.Diff(want, codesOf(got.Warnings)); d != "" {
				t.Errorf("codes of warnings (-want +got):\n%s%+v", d, got.Warnings)
			}
		})
	}
	checkListed(t, "good", listed, 20)
}

// codesOf returns the codes of findings, each once, in order; nil if there are none.
func codesOf(found []check.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.Code)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// corpus returns all documents by their paths below testdata.
func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	out := make(map[string][]byte)
	for _, directory := range []string{"bad", "good", "warned"} {
		paths, err := filepath.Glob(filepath.Join("testdata", directory, "*.json"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("Glob of %s: %d documents, error %v", directory, len(paths), err)
		}
		for _, path := range paths {
			out[directory+"/"+filepath.Base(path)] = document(t, directory, filepath.Base(path))
		}
	}
	return out
}

// What is found does not depend on white space and, but for members that are there
// twice, not on the order of members.
func TestLengthyLayoutDoesNotMatter(t *testing.T) {
	if testing.Short() {
		t.Skip("checks hundreds of documents")
	}
	t.Parallel()
	for name, text := range corpus(t) {
		var spread bytes.Buffer
		if json.Indent(&spread, text, "\t", "    ") != nil || strings.HasPrefix(name, "bad/E000") {
			continue
		}
		want := check.Validate(text)
		if d := cmp.Diff(want, check.Validate(spread.Bytes())); d != "" {
			t.Errorf("findings in %s, as it is and with other white space (-want +got):\n%s", name, d)
		}
		if d := cmp.Diff(summary(want), summary(check.Validate(sorted(t, text)))); d != "" {
			t.Errorf("findings in %s, as it is and with its members sorted (-want +got):\n%s", name, d)
		}
	}
}

// sorted returns a document with the members of every object sorted by name.
func sorted(t *testing.T, text []byte) []byte {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// summary returns the codes and pointers of all that a report has, sorted.
func summary(r check.Report) []string {
	var out []string
	for _, f := range slices.Concat(r.Errors, r.Warnings) {
		out = append(out, fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Path))
	}
	slices.Sort(out)
	return out
}

func TestDocumentSize(t *testing.T) {
	t.Parallel()
	text := document(t, "good", "minimal-1.0.json")
	full := append(text, bytes.Repeat([]byte{' '}, check.MaxDocument-len(text))...)
	if got := check.Validate(full); !got.Valid {
		t.Errorf("Validate of %d bytes found %+v, want no errors", len(full), got.Errors)
	}
	got := check.Validate(append(full, ' '))
	checkFound(t, got.Errors, check.Error, expectation{code: "E000"})
}

func TestValidateConcurrently(t *testing.T) {
	t.Parallel()
	var texts [][]byte
	var want []check.Report
	for _, text := range corpus(t) {
		if texts = append(texts, text); len(texts) == 24 {
			break
		}
	}
	for _, text := range texts {
		want = append(want, check.Validate(text))
	}
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for i, text := range texts {
				if d := cmp.Diff(want[i], check.Validate(text)); d != "" {
					t.Errorf("Validate beside others (-want +got):\n%s", d)
				}
			}
		})
	}
	group.Wait()
}
