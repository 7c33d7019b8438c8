package voice

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed aliases.tsv
var aliasesTSV string

// Alias is a name that clients of another service send as a voice, with the voice of
// the roster that speaks for it.
type Alias struct {
	Name  string
	Voice ID
	// Gender, Accent and Character are what is said in public of the other service's
	// voice. There is not always a voice of that accent: the Irish one is British here.
	Gender    Gender
	Accent    string
	Character string
	// SentBy are the clients that send the name without being told to; "" is none.
	SentBy string
}

// BuiltInAliases returns the aliases that every deployment has, unless its operator
// replaces or removes them: the names of OpenAI's voices, and the ids of the voices of
// ElevenLabs that clients send by default, with the rest of its premade ones.
func BuiltInAliases() []Alias { return slices.Clone(builtInAliases()) }

// builtInAliases reads the table; a fault in it is a fault of the program.
var builtInAliases = sync.OnceValue(func() []Alias {
	const columns = 6
	var all []Alias
	for line := range strings.Lines(aliasesTSV) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != columns {
			panic(fmt.Sprintf("aliases.tsv: %d columns, want %d: %q", len(c), columns, line))
		}
		all = append(all, Alias{c[0], ID(c[1]), Gender(c[2]), c[3], c[4], c[5]})
	}
	return all
})
