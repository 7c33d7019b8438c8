package lang

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed languages.tsv
var languagesTSV string

// languages is the table with its index.
type languages struct {
	rows   []Language
	byCode map[Code]int
	// writers has, for each row, how many millions write the language in each of its scripts.
	writers [][]float64
}

// table is read when the program starts. It panics on a bad line, because the table is part of
// the program.
var table = readTable(languagesTSV)

const columns = 11

func readTable(tsv string) languages {
	t := languages{byCode: map[Code]int{}}
	for line := range strings.Lines(tsv) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != columns {
			panic(fmt.Sprintf("languages.tsv: %d columns, want %d: %q", len(c), columns, line))
		}
		l := Language{
			Code: Code(c[0]), Name: c[1], Native: c[2],
			ISO6391: strings.TrimPrefix(c[3], "-"), ISO6393: c[4], BCP47: c[5],
			Scripts: strings.Split(c[6], ","), Direction: c[7],
			NativeVoices: c[8] == "yes", BorrowedPhonology: c[9] == "yes",
		}
		writers := readWriters(c[10])
		if len(writers) != len(l.Scripts) {
			panic(fmt.Sprintf("languages.tsv: %d scripts and %d numbers of writers: %q", len(l.Scripts), len(writers), line))
		}
		t.writers = append(t.writers, writers)
		t.byCode[l.Code] = len(t.rows)
		t.rows = append(t.rows, l)
	}
	return t
}

// fewWriters is the least number of writers in millions that counts. A language that is
// supported is written here more often than its share of the world says.
const fewWriters = 1

// writersOf returns how many millions write a language in a script.
func writersOf(c Code, iso string) float64 {
	i := table.byCode[c]
	for k, s := range table.rows[i].Scripts {
		if covers(s, iso) {
			return max(table.writers[i][k], fewWriters)
		}
	}
	return fewWriters
}

// readWriters reads the numbers of writers, one for each script.
func readWriters(list string) (millions []float64) {
	for number := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseFloat(number, 64)
		if err != nil {
			panic(fmt.Sprintf("languages.tsv: %v", err))
		}
		millions = append(millions, n)
	}
	return millions
}

// covers reports whether a script of the table or of a tag includes a script of letters.
func covers(listed, letters string) bool {
	if listed == letters {
		return true
	}
	switch listed {
	case "Jpan":
		return letters == "Hani" || letters == "Hira" || letters == "Kana"
	case "Kore":
		return letters == "Hang" || letters == "Hani"
	case "Hans", "Hant":
		return letters == "Hani" || letters == "Bopo"
	case "Hrkt":
		return letters == "Hira" || letters == "Kana"
	}
	return false
}
