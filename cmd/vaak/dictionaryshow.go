package main

import (
	"strings"
	"time"

	"vaak/dictionary"
	"vaak/text/respell"
)

// dictionaryRows are the lines of a dictionary: a name and its values.
func dictionaryRows(d dictionary.Dictionary, shown dictionary.Version, kept []dictionary.Version, rules []respell.Rule) [][]any {
	rows := [][]any{
		{"id", d.ID}, {"organisation", d.Org}, {"name", inert(d.Name)}, {"description", inert(d.Description)},
		{"created", d.CreatedAt}, {"created_by", inert(d.CreatedBy)},
		{"version", shown.Number, shown.ID, shown.Rules, shown.CreatedAt},
	}
	for _, v := range kept {
		if v.ID != shown.ID {
			rows = append(rows, []any{"other_version", v.Number, v.ID, v.Rules, v.CreatedAt})
		}
	}
	for _, r := range rules {
		rows = append(rows, []any{"rule", inert(r.Term), inert(r.Respelling), inert(ruleOptions(r))})
	}
	return rows
}

// ruleOptions are the options of a rule that differ from the default, "" when none does.
func ruleOptions(r respell.Rule) string {
	var options []string
	if r.CaseSensitive {
		options = append(options, "case_sensitive=true")
	}
	if r.InWords {
		options = append(options, "word_boundaries=false")
	}
	if len(r.Only) > 0 {
		options = append(options, "only_languages="+strings.Join(r.Only, ","))
	}
	if len(r.Except) > 0 {
		options = append(options, "except_languages="+strings.Join(r.Except, ","))
	}
	return strings.Join(options, " ")
}

// dictionaryJSON is a dictionary as JSON, with the names that it has in the API where
// it has them there.
type dictionaryJSON struct {
	ID           string      `json:"id"`
	Organisation string      `json:"organisation"`
	Name         string      `json:"name"`
	Description  string      `json:"description"`
	Created      time.Time   `json:"created"`
	CreatedBy    string      `json:"created_by"`
	Latest       versionJSON `json:"latest_version"`
}

type versionJSON struct {
	ID      string    `json:"version_id"`
	Number  int       `json:"number"`
	Rules   int       `json:"version_rules_num"`
	Created time.Time `json:"created"`
}

// shownJSON is a dictionary with the rules of a version.
type shownJSON struct {
	dictionaryJSON
	Shown    versionJSON   `json:"version"`
	Versions []versionJSON `json:"versions"` // that are kept, the latest first
	Rules    []ruleJSON    `json:"rules"`
}

type ruleJSON struct {
	Term           string   `json:"string_to_replace"`
	Alias          string   `json:"alias"`
	CaseSensitive  bool     `json:"case_sensitive"`
	WordBoundaries bool     `json:"word_boundaries"`
	Only           []string `json:"only_languages,omitempty"`
	Except         []string `json:"except_languages,omitempty"`
}

func describeDictionary(d dictionary.Dictionary) dictionaryJSON {
	return dictionaryJSON{
		ID: d.ID, Organisation: d.Org, Name: d.Name, Description: d.Description,
		Created: d.CreatedAt.UTC(), CreatedBy: d.CreatedBy, Latest: describeVersion(d.Latest),
	}
}

func describeVersion(v dictionary.Version) versionJSON {
	return versionJSON{ID: v.ID, Number: v.Number, Rules: v.Rules, Created: v.CreatedAt.UTC()}
}

// describeRules returns the JSON form of a dictionary with the rules of a version. Its lists
// are never null.
func describeRules(d dictionary.Dictionary, shown dictionary.Version, kept []dictionary.Version, rules []respell.Rule) shownJSON {
	out := shownJSON{dictionaryJSON: describeDictionary(d), Shown: describeVersion(shown), Versions: []versionJSON{}, Rules: []ruleJSON{}}
	for _, v := range kept {
		out.Versions = append(out.Versions, describeVersion(v))
	}
	for _, r := range rules {
		out.Rules = append(out.Rules, ruleJSON{
			Term: r.Term, Alias: r.Respelling, CaseSensitive: r.CaseSensitive, WordBoundaries: !r.InWords, Only: r.Only, Except: r.Except,
		})
	}
	return out
}
