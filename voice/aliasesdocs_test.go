package voice_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"vaak/voice"
)

var update = flag.Bool("update", false, "write the table of aliases of docs/clients.md")

// TestAliasesInDocs: the table of docs/clients.md is that of aliases.tsv.
func TestAliasesInDocs(t *testing.T) {
	const file, begin, end = "../docs/clients.md", "<!-- aliases:begin -->\n", "<!-- aliases:end -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no table between %q and %q", file, begin, end)
	}
	var table strings.Builder
	table.WriteString("\n| sent | voice here | said of the other one | sent by |\n|---|---|---|---|\n")
	for _, a := range voice.BuiltInAliases() {
		v, _ := voice.Lookup(a.Voice)
		fmt.Fprintf(&table, "| `%s` | %s `%s` | %s, %s, %s | %s |\n", a.Name, v.Name, v.ID, a.Gender, a.Accent, a.Character, a.SentBy)
	}
	table.WriteString("\n")
	want := before + begin + table.String() + end + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Errorf("the table of %s is not that of voice/aliases.tsv; go test ./voice -run TestAliasesInDocs -update writes it", file)
	}
}
