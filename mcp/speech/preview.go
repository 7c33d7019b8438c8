package speech

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"vaak/mcp/dictionaries"
	"vaak/mcp/schema"
	"vaak/mcp/tool"
	"vaak/speech"
)

// previewInput are the arguments of preview_spoken_text.
type previewInput struct {
	Text       string `json:"text" doc:"Text as for synthesize_speech." minLength:"1" maxLength:"5000" alias:"input"`
	Language   string `json:"language,omitempty" doc:"Code, tag or name. Default: detected." maxLength:"100" alias:"lang,language_code"`
	Dictionary string `json:"pronunciation_dictionary_id,omitempty" doc:"Id from list_pronunciation_dictionaries." maxLength:"100"`
}

// previewOutput is the structured result of preview_spoken_text.
type previewOutput struct {
	Language         string       `json:"language"`
	Runs             []readingRun `json:"runs" doc:"In order, each of one language"`
	Characters       int          `json:"characters" doc:"What speaking it would cost"`
	EstimatedSeconds float64      `json:"estimated_seconds"`
	Respelled        *int         `json:"dictionary_hits,omitempty" doc:"How often rules of the dictionary apply"`
	Notices          []string     `json:"notices,omitempty"`
}

// readingRun is a part of a text that is read in one language.
type readingRun struct {
	Language string `json:"language"`
	Spoken   string `json:"spoken"`
}

// Bounds of how much of a reading a result shows. A reading may be twenty times as long as its
// text, because numbers take many words, and a result holds it twice. The bounds keep a result
// under 8,000 tokens even in scripts that models hardly know, where each byte takes a token.
const (
	maxReading = 3000 // bytes
	maxRuns    = 100
)

// previewSpokenText is the tool preview_spoken_text.
func previewSpokenText(speaker Speaker, words dictionaries.Dictionaries) tool.Entry {
	return tool.New(tool.Definition{
		Name:        "preview_spoken_text",
		Title:       "See how a text is read",
		Description: "See a text in words as synthesize_speech would read it: numbers, dates, languages. Free; no audio.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Refine: func(in, out *schema.Schema) {
			if words.Service == nil {
				in.Remove(dictionaries.Argument)
				out.Remove("dictionary_hits")
			}
		},
	}, func(ctx context.Context, c tool.Call, in previewInput) (tool.Answer[previewOutput], error) {
		used, err := words.Use(ctx, c, in.Dictionary)
		if err != nil {
			return tool.Answer[previewOutput]{}, err
		}
		r, err := speaker.Read(ctx, speech.Request{Text: in.Text, Language: in.Language, Dictionaries: used})
		if err != nil {
			return tool.Answer[previewOutput]{}, err
		}
		out := previewOutput{
			Language: string(r.Language), Runs: []readingRun{}, Characters: r.Characters,
			EstimatedSeconds: math.Round(r.Estimated.Seconds()*10) / 10, Notices: r.Notices,
		}
		if len(used) > 0 {
			out.Respelled = &r.Respelled
		}
		if !out.show(r.Runs) {
			out.Notices = append(out.Notices[:len(out.Notices):len(out.Notices)],
				fmt.Sprintf("Only the first %s of the reading are shown; send a part of the text to see its reading.", tool.Plural(int64(out.shown()), "character")))
		}
		return tool.Answer[previewOutput]{Value: out, Text: out.text()}, nil
	})
}

// show adds runs to the result, and joins neighbours of the same language. It reports whether
// all runs fit.
func (o *previewOutput) show(runs []speech.ReadRun) (whole bool) {
	whole = true
	for room := maxReading; len(runs) > 0 && whole; runs = runs[1:] {
		r, n := runs[0], len(o.Runs)
		shown := tool.Beginning(r.Spoken, room)
		whole = shown == r.Spoken
		room -= len(shown)
		switch {
		case n > 0 && o.Runs[n-1].Language == string(r.Language):
			o.Runs[n-1].Spoken += shown
		case n == maxRuns:
			whole = false
		case shown != "":
			o.Runs = append(o.Runs, readingRun{string(r.Language), shown})
		}
	}
	for i, r := range o.Runs {
		o.Runs[i].Spoken = strings.Join(strings.Fields(r.Spoken), " ")
	}
	return whole
}

// shown returns how many characters of the text the result shows.
func (o *previewOutput) shown() (n int) {
	for _, r := range o.Runs {
		n += utf8.RuneCountInString(r.Spoken)
	}
	return n
}

// text returns the reading. If there are several runs, each has its language before it.
func (o previewOutput) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, about %g s, in %s", tool.Plural(int64(o.Characters), "character"), o.EstimatedSeconds, o.Language)
	if n := o.Respelled; n != nil {
		b.WriteString(", respelled " + tool.Plural(int64(*n), "time"))
	}
	b.WriteByte(':')
	if len(o.Runs) == 0 {
		b.WriteString(" nothing is spoken.")
	}
	for _, r := range o.Runs {
		b.WriteByte('\n')
		if len(o.Runs) > 1 {
			b.WriteString(r.Language + ": ")
		}
		b.WriteString(r.Spoken)
	}
	for _, n := range o.Notices {
		b.WriteString("\n" + n)
	}
	return b.String()
}
