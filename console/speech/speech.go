// Package speech has the playground: a person types a text, sees how it would be read and
// what it would cost, and hears it while it is made. The organisation is charged.
package speech

import (
	"context"
	"embed"
	"io"
	"strconv"
	"strings"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/audio"
	"vaak/console/page"
	"vaak/console/snippet"
	"vaak/dictionary"
	"vaak/edge"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

//go:embed *.html *.js
var files embed.FS

// Speech reads and speaks texts. [*speech.Service] is the one of the product.
type Speech interface {
	Speak(ctx context.Context, caller account.Caller, req speech.Request, w io.Writer) (speech.Result, error)
	Read(ctx context.Context, req speech.Request) (speech.Reading, error)
	Health() speech.Health
}

// Config is what the playground needs.
type Config struct {
	Accounts     *account.Service
	Speech       Speech
	Dictionaries *dictionary.Service
	Voices       *voice.Directory // nil knows the roster and the built-in aliases
	API          string           // where clients reach the services, for examples of code
}

// pages serves the playground.
type pages struct {
	Config
	voices voiceList
}

// New returns the section of the playground.
func New(cfg Config) page.Section {
	ps := &pages{Config: cfg}
	return page.Section{Files: files, Routes: []page.Route{
		page.Get("/o/{org}/playground", page.Inside, ps.playground),
		page.Post("/o/{org}/playground/reading", page.Inside, ps.readingPart, ps.playground),
		page.Post("/o/{org}/playground/speak", page.Inside, ps.speak, ps.playground),
	}}
}

// playground is what the page shows.
type playground struct {
	Choice       choice
	Voices       []namedVoice
	Languages    []lang.Language // that are spoken here
	Formats      []audio.Codec
	Rates        []int // Hz
	Dictionaries []namedDictionary
	MinSpeed     float64
	MaxSpeed     float64
	MaxLength    int // of a text, in code points
	Reading      reading
}

// playground shows the settings that were sent, or those that the address names.
func (ps *pages) playground(v *page.Visit) error {
	sent := v.Sent.Values
	if sent == nil {
		sent = v.R.URL.Query()
	}
	p := playground{
		Choice: choiceOf(ps.Voices, sent), Voices: ps.voices.of(ps.Voices), Rates: audio.SampleRates,
		MinSpeed: speech.MinSpeed, MaxSpeed: speech.MaxSpeed, MaxLength: speech.MaxCharacters,
	}
	health := ps.Speech.Health()
	p.Formats = health.Formats
	for _, l := range lang.All() {
		if health.DefaultVoices[l.Code] != "" {
			p.Languages = append(p.Languages, l)
		}
	}
	if v.Sent.Values == nil {
		p.Choice.Text = p.Choice.sample(ps.Voices)
	}
	own, err := ps.Dictionaries.List(v.R.Context(), v.Org.ID, dictionary.Query{Size: dictionary.MaxPage, Sort: dictionary.ByName, Ascending: true})
	if err != nil {
		return err
	}
	p.Dictionaries = namedDictionaries(own.Dictionaries)
	p.Reading, err = ps.reading(v, p.Choice)
	switch {
	case err == nil:
	case !page.Correctable(err):
		return err
	case v.Wrong != nil: // what is wrong is shown already
	case v.Sent.Values != nil:
		edge.Note(v.R.Context(), err)
		v.Wrong = err
	default: // an address with parameters, such as a link of the page of voices
		p.Reading.Problem, _ = page.Sentence(err)
	}
	return v.Show("playground", "Playground", p)
}

// reading is how a text would be read and what it would cost.
type reading struct {
	Problem    string // why it cannot be read; the rest is empty then
	Empty      bool   // there is no text; the rest is empty then
	Runs       []run
	Characters int
	Dictionary bool     // a dictionary is chosen
	Hits       int      // how often its rules apply
	Seconds    string   // estimated length of the sound: 4.2
	Voice      string   // name of the voice that speaks
	Notices    []string // what is done otherwise than it was asked
	Unlimited  bool     // the balance has no bound
	Left       int64    // characters of the balance that remain afterwards
	Short      bool     // the balance is too small
	Snippets   []snippet.Snippet
}

// run is a stretch of text in one language.
type run struct {
	Language        lang.Language
	Written, Spoken string
	Same            bool // both are equal but for spaces
}

// maxForm is the largest form of the playground, in bytes. It is far larger than the
// longest text, so that a text that is too long can be counted and shown again.
const maxForm = 1 << 20

// readingPart answers with how a text would be read. Nothing is charged.
func (ps *pages) readingPart(v *page.Visit) error {
	err := tooLarge(v.ReadForm(maxForm))
	if !v.Partial() {
		if err != nil {
			return err
		}
		return ps.playground(v)
	}
	var r reading
	if err == nil {
		r, err = ps.reading(v, choiceOf(ps.Voices, v.Sent.Values))
	}
	if err != nil {
		if !page.Correctable(err) {
			return err
		}
		edge.Note(v.R.Context(), err)
		v.Wrong = err
		r.Problem, _ = page.Sentence(err)
	}
	return v.Part("playground", "reading", r)
}

// reading returns how the text would be read with the chosen settings. Refusals are in the
// words of the form.
func (ps *pages) reading(v *page.Visit, c choice) (reading, error) {
	r, err := ps.readingOf(v, c)
	return r, c.inForm(err)
}

func (ps *pages) readingOf(v *page.Visit, c choice) (reading, error) {
	if strings.TrimSpace(c.Text) == "" {
		return reading{Empty: true}, nil
	}
	ctx := v.R.Context()
	req, err := ps.requested(v, c)
	if err != nil {
		return reading{}, err
	}
	read, err := ps.Speech.Read(ctx, req)
	if err != nil {
		return reading{}, err
	}
	report, err := ps.Accounts.Report(ctx, v.Org.ID)
	if err != nil {
		return reading{}, err
	}
	id := voice.ID(req.Voice)
	if id == "" {
		id = ps.Speech.Health().DefaultVoices[read.Language]
	}
	remaining := report.Balance.Remaining
	out := reading{
		Characters: read.Characters, Dictionary: c.Dictionary != "", Hits: read.Respelled, Notices: read.Notices,
		Seconds: strconv.FormatFloat(read.Estimated.Seconds(), 'f', 1, 64), Voice: voiceWords(ps.Voices, id), Unlimited: remaining == ledger.Unlimited,
		Left: max(0, remaining-int64(read.Characters)), Short: remaining != ledger.Unlimited && remaining < int64(read.Characters),
		Snippets: snippet.All(snippet.Settings{
			API: ps.API, Model: speech.Model, Text: req.Text, Voice: string(id), Language: c.Lang,
			Codec: string(req.Format.Codec), Extension: req.Format.Extension(), SampleRate: req.Format.SampleRate,
			Speed: req.Speed, Dictionary: c.Dictionary,
		}),
	}
	for _, r := range read.Runs {
		l, _ := lang.Lookup(r.Language)
		same := strings.Join(strings.Fields(r.Written), " ") == strings.Join(strings.Fields(r.Spoken), " ")
		out.Runs = append(out.Runs, run{Language: l, Written: r.Written, Spoken: r.Spoken, Same: same})
	}
	return out, nil
}
