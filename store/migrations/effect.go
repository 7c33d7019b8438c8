package migrations

import (
	"regexp"
	"slices"
	"strings"
)

// Kind is what a statement of a step means to servers that run.
type Kind string

// The kinds, from the cheapest to the dearest.
const (
	// Adds makes a table, a column or a function. It changes no row, however many there
	// are.
	Adds Kind = "adds"
	// Reads looks at every row of a table: for an index, to check what a new column
	// demands, or to fill a new table.
	Reads Kind = "reads"
	// Fills writes a new column of every row of a table.
	Fills Kind = "fills"
	// Breaks changes or takes away what programs of earlier versions may use, or is not
	// understood here.
	Breaks Kind = "breaks"
)

// Effect is what a statement of a step does.
type Effect struct {
	Kind  Kind
	Table string // whose rows it needs; "" is none that exists before the step
	Text  string // the statement, in one line without comments
}

// Forms of the statements that steps use. Anything else breaks.
var (
	createTable = regexp.MustCompile(`(?i)^CREATE (?:UNLOGGED )?TABLE (\w+)`)
	createIndex = regexp.MustCompile(`(?i)^CREATE (UNIQUE )?INDEX \w+ ON (\w+)`)
	addColumn   = regexp.MustCompile(`(?i)^ALTER TABLE (\w+) ADD COLUMN (\w+) (.*)$`)
	function    = regexp.MustCompile(`(?i)^CREATE (?:OR REPLACE )?FUNCTION `)
	insertInto  = regexp.MustCompile(`(?i)^INSERT INTO (\w+)`)
	fromTable   = regexp.MustCompile(`(?i)\bFROM (\w+)`)
	update      = regexp.MustCompile(`(?i)^UPDATE (\w+) SET (.*)$`)
	setColumn   = regexp.MustCompile(`(?i)(?:^|,\s*)(\w+)\s*=`)
	needsValue  = regexp.MustCompile(`(?i)\bNOT NULL\b`)
	hasDefault  = regexp.MustCompile(`(?i)\bDEFAULT\b`)
	looksAtRows = regexp.MustCompile(`(?i)\b(CHECK|REFERENCES|GENERATED)\b`)
	isUnique    = regexp.MustCompile(`(?i)\b(UNIQUE|PRIMARY KEY)\b`)
)

// Effects returns what the statements of a step do, in their order.
func (s Step) Effects() (all []Effect) {
	var made, columns []string // tables and columns of this step, which no older program uses
	for _, text := range statements(s.SQL) {
		e := Effect{Kind: Breaks, Text: text}
		if m := createTable.FindStringSubmatch(text); m != nil {
			e.Kind, made = Adds, append(made, m[1])
		} else if function.MatchString(text) {
			e.Kind = Adds
		} else if m := createIndex.FindStringSubmatch(text); m != nil {
			switch {
			case slices.Contains(made, m[2]):
				e.Kind = Adds
			case m[1] == "":
				e.Kind, e.Table = Reads, m[2]
			default: // programs from before may write what it refuses
				e.Table = m[2]
			}
		} else if m := addColumn.FindStringSubmatch(text); m != nil {
			columns = append(columns, m[1]+"."+m[2])
			switch {
			case slices.Contains(made, m[1]):
				e.Kind = Adds
			// Programs from before insert rows without the column.
			case isUnique.MatchString(m[3]), needsValue.MatchString(m[3]) && !hasDefault.MatchString(m[3]):
				e.Table = m[1]
			case looksAtRows.MatchString(m[3]):
				e.Kind, e.Table = Reads, m[1]
			default:
				e.Kind = Adds
			}
		} else if m := insertInto.FindStringSubmatch(text); m != nil {
			if slices.Contains(made, m[1]) {
				e.Kind = Adds
				if from := fromTable.FindStringSubmatch(text); from != nil && !slices.Contains(made, from[1]) {
					e.Kind, e.Table = Reads, from[1]
				}
			}
		} else if m := update.FindStringSubmatch(text); m != nil {
			e.Table = m[1]
			var old bool
			for _, set := range setColumn.FindAllStringSubmatch(m[2], -1) {
				old = old || !slices.Contains(columns, m[1]+"."+set[1])
			}
			switch {
			case slices.Contains(made, m[1]):
				e.Kind, e.Table = Adds, ""
			case !old:
				e.Kind = Fills
			}
		}
		all = append(all, e)
	}
	return all
}

// OnlyAdds reports whether every program that uses the database before the step can go on
// after it.
func (s Step) OnlyAdds() bool {
	return !slices.ContainsFunc(s.Effects(), func(e Effect) bool { return e.Kind == Breaks })
}

var tableName = regexp.MustCompile(`(?i)\b(?:ALTER TABLE|DROP TABLE|UPDATE|INSERT INTO|FROM|REFERENCES|INDEX \w+ ON) (?:IF EXISTS |ONLY )?(\w+)`)

// Tables returns the tables that steps change or read, in alphabetical order; some do not
// exist before the steps, and some words are names of other things.
func Tables(steps []Step) (names []string) {
	for _, s := range steps {
		for _, text := range statements(s.SQL) {
			if function.MatchString(text) {
				continue // its body runs later
			}
			for _, m := range tableName.FindAllStringSubmatch(text, -1) {
				names = append(names, strings.ToLower(m[1]))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// statements splits a script at the semicolons that end its statements, leaves out
// comments, and writes each statement in one line. Quoted texts and the bodies of
// functions between $$ stay whole.
func statements(script string) (all []string) {
	var b strings.Builder
	end := func() {
		if text := strings.Join(strings.Fields(b.String()), " "); text != "" {
			all = append(all, text)
		}
		b.Reset()
	}
	for script != "" {
		take := 1
		switch {
		case strings.HasPrefix(script, "--"):
			_, script, _ = strings.Cut(script, "\n")
			b.WriteByte('\n')
			continue
		case script[0] == ';':
			end()
			script = script[1:]
			continue
		case script[0] == '\'', script[0] == '"':
			take = quotedLength(script, script[:1])
		case strings.HasPrefix(script, "$$"):
			take = quotedLength(script, "$$")
		}
		b.WriteString(script[:take])
		script = script[take:]
	}
	end()
	return all
}

// quotedLength returns the length of the text in quotes with which a script begins.
func quotedLength(script, quote string) int {
	if i := strings.Index(script[len(quote):], quote); i >= 0 {
		return i + 2*len(quote)
	}
	return len(script)
}
