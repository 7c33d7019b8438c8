package lang

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed languages.tsv
var languagesTSV string

// languages is the table with its index.
type languages struct {
	rows   []Language
	byCode map[Code]int
}

// table is read when the program starts. It panics on a bad line, because the table is part of
// the program.
var table = readTable(languagesTSV)

const columns = 10

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
		t.byCode[l.Code] = len(t.rows)
		t.rows = append(t.rows, l)
	}
	return t
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
