package inspect

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/report"
)

// Readme is what the head of README.md says: datasets of Hugging Face begin with a few lines of
// YAML between two lines of hyphens. Only plain values are read.
type Readme struct {
	Title     string   `json:"title"`     // pretty_name
	Licence   string   `json:"licence"`   // license, such as cc-by-4.0
	Languages []string `json:"languages"` // language
}

// maxHead is how many bytes of README.md are read.
const maxHead = 16 << 10

// readme reads the head of README.md. A folder without one, or with another, says nothing.
func readme(f *folder.Folder) Readme {
	if f.Size("README.md") <= 0 {
		return Readme{}
	}
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return Readme{} // the faults say so already
	}
	defer root.Close()
	in, err := f.Open(root, "README.md")
	if err != nil {
		return Readme{} // it changed; nothing depends on it
	}
	defer in.Close()
	head, err := io.ReadAll(io.LimitReader(in, maxHead))
	if err != nil {
		return Readme{}
	}
	return parseReadme(string(head))
}

// parseReadme reads the lines between the first two lines of hyphens.
func parseReadme(text string) (r Readme) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if strings.TrimPrefix(lines[0], "\uFEFF") != "---" {
		return Readme{}
	}
	key := ""
	for _, line := range lines[1:] {
		if line == "---" {
			return r
		}
		item, listed := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !listed {
			if strings.HasPrefix(line, " ") {
				continue // a value inside another
			}
			key, item, _ = strings.Cut(line, ":")
		}
		for _, value := range strings.Split(strings.Trim(strings.TrimSpace(item), "[]"), ",") {
			value = strings.Trim(strings.TrimSpace(value), `"'`)
			if value == "" || len(value) > 100 || !utf8.ValidString(value) || report.Printable(value) != value {
				continue
			}
			switch {
			case key == "pretty_name" && r.Title == "":
				// A title may have commas.
				if whole := strings.Trim(strings.TrimSpace(item), `"'`); len(whole) <= 200 && report.Printable(whole) == whole && utf8.ValidString(whole) {
					r.Title = whole
				}
			case key == "license" && r.Licence == "":
				r.Licence = value
			case key == "language" && len(r.Languages) < 100:
				r.Languages = append(r.Languages, value)
			}
		}
	}
	return Readme{} // no second line: this is no head
}
