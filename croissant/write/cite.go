package write

import (
	"strings"

	"vaak/catalogue"
	"vaak/catalogue/clean"
)

// citation returns how to cite the dataset: the text in its record or, if it has none, BibTeX made
// from what is known.
func citation(d *catalogue.Dataset) string {
	if said := clean.Text(d.Citation); said != "" {
		return said
	}
	year, _, _ := strings.Cut(clean.Day(d.DatePublished), "-")
	fields := []struct{ name, value string }{
		{"title", tex(clean.Line(d.Title))}, {"author", ""}, {"year", year}, {"version", tex(clean.Line(d.Version))}, {"url", d.URL},
	}
	if p := d.Provenance; p != nil && p.Creator != nil && clean.Line(p.Creator.Name) != "" {
		fields[1].value = "{" + tex(clean.Line(p.Creator.Name)) + "}" // double braces: not split into given and family name
	}
	key := strings.ReplaceAll(d.Slug, "-", "_")
	if year != "" {
		key += "_" + year
	}
	var b strings.Builder
	b.WriteString("@misc{" + key)
	for _, f := range fields {
		if f.value != "" {
			b.WriteString(", " + f.name + "={" + f.value + "}")
		}
	}
	b.WriteString("}")
	return b.String()
}

// tex returns a text that TeX typesets as it is. Braces are written as commands, because BibTeX
// counts escaped braces too.
func tex(s string) string { return texEscapes.Replace(s) }

var texEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\textbraceleft{}`, `}`, `\textbraceright{}`, `~`, `\textasciitilde{}`,
	`^`, `\textasciicircum{}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`,
)
