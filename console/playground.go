package console

import (
	"strconv"
	"strings"

	"vaak/account/ledger"
	"vaak/audio"
	"vaak/console/snippet"
	"vaak/dictionary"
	"vaak/edge"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

func (c *Console) playgroundRoutes() []route {
	if c.Speech == nil {
		return nil
	}
	return []route{
		get("/o/{org}/playground", inside, (*visit).playground),
		post("/o/{org}/playground/reading", inside, (*visit).playReading, (*visit).playground),
		post("/o/{org}/playground/speak", inside, (*visit).playSpeak, (*visit).playground),
	}
}

// playPage is what the playground shows.
type playPage struct {
	Choice       choice
	Voices       []namedVoice
	Languages    []lang.Language // that are spoken here
	Formats      []audio.Codec
	Rates        []int // Hz
	Dictionaries []namedDictionary
	MinSpeed     float64
	MaxSpeed     float64
	MaxLength    int // of a text, in code points
	Reading      playReading
}

// playground shows the settings that were sent, or those that the address names.
func (v *visit) playground() error {
	sent := v.sent
	if sent == nil {
		sent = v.r.URL.Query()
	}
	p := playPage{
		Choice: choiceOf(sent), Voices: namedVoices(), Rates: audio.SampleRates,
		MinSpeed: speech.MinSpeed, MaxSpeed: speech.MaxSpeed, MaxLength: speech.MaxCharacters,
	}
	health := v.Speech.Health()
	p.Formats = health.Formats
	for _, l := range lang.All() {
		if health.DefaultVoices[l.Code] != "" {
			p.Languages = append(p.Languages, l)
		}
	}
	if v.sent == nil {
		p.Choice.Text = p.Choice.sample(v.Voices)
	}
	own, err := v.Dictionaries.List(v.r.Context(), v.org.ID, dictionary.Query{Size: dictionary.MaxPage, Sort: dictionary.ByName, Ascending: true})
	if err != nil {
		return err
	}
	p.Dictionaries = namedDictionaries(own.Dictionaries)
	p.Reading, err = v.reading(p.Choice)
	switch {
	case err == nil:
	case !taught(err):
		return err
	case v.wrong != nil: // and shown above
	case v.sent != nil:
		edge.Note(v.r.Context(), err)
		v.wrong = err
	default: // an address that somebody was led to
		p.Reading.Problem, _ = sentence(err)
	}
	return v.show("playground", "Playground", p)
}

// playReading is how a text would be read and what it would cost.
type playReading struct {
	Problem    string // why it cannot be read; the rest is empty then
	Empty      bool   // there is no text
	Runs       []playRun
	Characters int
	Dictionary bool     // one was chosen
	Hits       int      // of its rules
	Seconds    string   // about as long as it lasts: 4.2
	Voice      string   // who speaks
	Notices    []string // what is not done as it was asked
	Unlimited  bool     // the balance is
	Left       int64    // of the balance, afterwards
	Short      bool     // the balance is too small
	Snippets   []snippet.Snippet
}

// playRun is a stretch of text in one language.
type playRun struct {
	Language        lang.Language
	Written, Spoken string
	Same            bool // both are
}

// playForm is the bound of the playground's form in bytes, far beyond the longest text,
// so that a longer one is counted and shown again.
const playForm = 1 << 20

// playReading answers with how a text would be read. Nothing is charged.
func (v *visit) playReading() error {
	err := tooLarge(v.form(playForm))
	if !v.partial() {
		if err != nil {
			return err
		}
		return v.playground()
	}
	var r playReading
	if err == nil {
		r, err = v.reading(choiceOf(v.sent))
	}
	if err != nil {
		if !taught(err) {
			return err
		}
		edge.Note(v.r.Context(), err)
		v.wrong = err
		r.Problem, _ = sentence(err)
	}
	return v.part("playground", "reading", r)
}

// reading returns how what was chosen would be read. Refusals are in the words of the
// form.
func (v *visit) reading(c choice) (playReading, error) {
	r, err := v.readingOf(c)
	return r, c.inForm(err)
}

func (v *visit) readingOf(c choice) (playReading, error) {
	if strings.TrimSpace(c.Text) == "" {
		return playReading{Empty: true}, nil
	}
	ctx := v.r.Context()
	req, err := v.requested(c)
	if err != nil {
		return playReading{}, err
	}
	read, err := v.Speech.Read(ctx, req)
	if err != nil {
		return playReading{}, err
	}
	report, err := v.Accounts.Report(ctx, v.org.ID)
	if err != nil {
		return playReading{}, err
	}
	id := voice.ID(req.Voice)
	if id == "" {
		id = v.Speech.Health().DefaultVoices[read.Language]
	}
	remaining := report.Balance.Remaining
	out := playReading{
		Characters: read.Characters, Dictionary: c.Dictionary != "", Hits: read.Respelled, Notices: read.Notices,
		Seconds: strconv.FormatFloat(read.Estimated.Seconds(), 'f', 1, 64), Voice: voiceWords(id), Unlimited: remaining == ledger.Unlimited,
		Left: max(0, remaining-int64(read.Characters)), Short: remaining != ledger.Unlimited && remaining < int64(read.Characters),
		Snippets: snippet.All(snippet.Settings{
			API: v.API, Model: speech.Model, Text: req.Text, Voice: string(id), Language: c.Lang,
			Codec: string(req.Format.Codec), Extension: req.Format.Extension(), SampleRate: req.Format.SampleRate,
			Speed: req.Speed, Dictionary: c.Dictionary,
		}),
	}
	for _, run := range read.Runs {
		l, _ := lang.Lookup(run.Language)
		same := strings.Join(strings.Fields(run.Written), " ") == strings.Join(strings.Fields(run.Spoken), " ")
		out.Runs = append(out.Runs, playRun{Language: l, Written: run.Written, Spoken: run.Spoken, Same: same})
	}
	return out, nil
}
