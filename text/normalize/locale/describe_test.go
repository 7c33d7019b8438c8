package locale

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write data/README.md")

const readme = "data/README.md"

// preface says how a file looks.
const preface = `# Word data of the languages

One file a language, ` + "`CODE.tsv`" + `, in UTF-8 and Unicode NFC. This description is written by
` + "`go test ./text/normalize/locale -update`" + ` from ` + "`keys.go`" + `, which every file is checked against.

- A row is a key and its values, parted by tabs. Lines that begin with ` + "`#`" + ` are comments; the first line is one, with
  the language and the source.
- ` + "`key@US`" + ` is a row for one region. Of a table it replaces or adds the row with the same first value, else all rows
  of the key.
- A value ` + "`-`" + ` means none, and switches off what would hold otherwise.
- *words* are parted by semicolons.
- *forms* are a word by CLDR's plural categories: ` + "`one=dollar | other=dollars`" + `, or a single form for all.
- A *pattern* is text with fields: ` + "`{d} {month} {y}`" + `. Fields with a number may name a rule set: ` + "`{d:spellout-ordinal}`" + `.
- A *rule set* is one of the language's number rules without the percent signs: ` + "`spellout-cardinal-feminine`" + `.
- Values in brackets may be left out. A key marked × may have many rows.
`

// describe writes the description of the files.
func describe() string {
	var b strings.Builder
	b.WriteString(preface)
	for _, g := range groups {
		b.WriteString("\n## " + g.title + "\n\n| key | values | meaning | without it |\n| --- | --- | --- | --- |\n")
		for _, s := range g.keys {
			key := "`" + s.key + "`"
			if s.table || s.many {
				key += " ×"
			}
			b.WriteString("| " + key + " | " + s.values() + " | " + s.doc + " | " + s.without + " |\n")
		}
	}
	return b.String()
}

// values names the kinds of a key's values.
func (s shape) values() string {
	kinds := map[rune]string{
		'w': "word", 'l': "words", 'f': "forms", 's': "rule set", 'p': "pattern", 'd': "number", 'c': strings.Join(s.words, " or "),
		'r': "rule set, pattern or `+`",
	}
	list := make([]string, 0, len(s.columns))
	optional := false
	for _, kind := range s.columns {
		name := kinds[kind|0x20]
		if optional = optional || kind < 'a'; optional {
			name = "(" + name + ")"
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

func TestDescription(t *testing.T) {
	t.Parallel()
	want := describe()
	if *update {
		if err := os.WriteFile(readme, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is out of date (-want +got), write it with -update:\n%s", readme, diff)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	keys := 0
	for _, g := range groups {
		for _, s := range g.keys {
			if keys++; s.doc == "" {
				t.Errorf("%s: no meaning", s.key)
			}
			if strings.Trim(s.columns, "wlfspdcrWLFSPDCR") != "" || s.columns == "" {
				t.Errorf("%s: columns %q", s.key, s.columns)
			}
		}
	}
	if keys != len(shapes) {
		t.Errorf("%d keys in groups, %d by name: one stands twice", keys, len(shapes))
	}
}
