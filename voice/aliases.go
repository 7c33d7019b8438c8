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

// Alias is a name that clients of another service send as a voice, with the voice of the roster
// that stands for it.
type Alias struct {
	Name  string
	Voice ID
	// Gender, Accent and Character are what is publicly said about the other service's voice.
	// The roster may lack that accent: the Irish voice is replaced by a British one.
	Gender    Gender
	Accent    string
	Character string
	// SentBy names the clients that send the name by default; "" means none.
	SentBy string
}

// BuiltInAliases returns the aliases that every deployment has unless its operator replaces or
// removes them: the names of OpenAI's voices, and the ids of ElevenLabs' premade voices,
// including those that clients send by default.
func BuiltInAliases() []Alias { return slices.Clone(builtInAliases()) }

// builtInAliases reads the table. It panics on a bad line, because the table is part of the
// program.
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
