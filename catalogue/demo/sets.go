package demo

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"vaak/catalogue"
	"vaak/lang"
	"vaak/voice"
)

// plan describes a set to be made.
type plan struct {
	slug, title string
	about       string // who talks about what, as a sentence
	more        string // what is special about the sound, in sentences; may be ""
	tag         string // language tag
	others      []string
	code        lang.Code // language that the voices speak
	collection  string
	domain      string
	roles       [2]string
	scripts     []string // names of script files, without .tsv
	prefix      string   // of the ids of its recordings
	rate, via   int      // sample rates in Hz: of the files, and of the line that "recorded" them
	mono        bool
	seed        uint64
	voices      []voice.Voice // of the language, that speak instead of those of the roster
}

// repeats is how often each script is spoken: first as it is written, then with other voices and
// times.
const repeats = 2

func (p plan) takes() int { return repeats * len(p.scripts) }

// channels returns what the card says about channels.
func (p plan) channels() string {
	if p.mono {
		return catalogue.Mono
	}
	return catalogue.Dual
}

// dialogue is a conversation to be made.
type dialogue struct {
	plan   plan
	number int // from 0
	id     string
	split  string
	cast   cast
	names  [2]string // labels of the voices
}

// dialogue returns one of the conversations. No voice is in two of a set if there are enough.
func (p plan) dialogue(n int) dialogue {
	t := dialogue{plan: p, number: n, id: fmt.Sprintf("%s-%03d", p.prefix, n+1), split: "train"}
	if n == p.takes()-1 {
		t.split = "test"
	}
	// The lower 8 bits number the conversation, so no two of all sets share a seed.
	t.cast = cast{language: p.code, seed: p.seed<<8 | uint64(n)}
	for who, gender := range []voice.Gender{voice.Female, voice.Male} {
		found := p.named(gender)
		if who == second && len(found) == 1 && found[0].ID == t.cast.voices[first] {
			found = nil // nobody speaks with themselves
		}
		if len(found) == 0 {
			found = voice.BuiltIn().Select(voice.Query{Languages: []lang.Code{p.code}, Gender: string(gender)})
		}
		v := found[n%len(found)]
		if v.ID == t.cast.voices[first] {
			v = found[(n+1)%len(found)]
		}
		t.cast.voices[who], t.names[who] = v.ID, label(v)
	}
	if t.names[first] == t.names[second] {
		t.names = [2]string{string(t.cast.voices[first]), string(t.cast.voices[second])}
	}
	return t
}

// named returns the voices of the plan that may have a role of a gender: those of it, or else those
// that have none.
func (p plan) named(gender voice.Gender) []voice.Voice {
	for _, g := range []voice.Gender{gender, voice.Neutral} {
		if found := slices.DeleteFunc(slices.Clone(p.voices), func(v voice.Voice) bool { return v.Gender != g }); len(found) > 0 {
			return found
		}
	}
	return nil
}

// label returns the name of a voice in transcripts and lists: letters and digits, in words that
// hyphens join.
func label(v voice.Voice) string {
	words := strings.FieldsFunc(strings.ToLower(v.Name), func(r rune) bool { return v.Engine != "" && !unicode.In(r, unicode.L, unicode.M, unicode.N) })
	return cmp.Or(strings.Join(words, "-"), string(v.ID))
}

// added returns the voices that speak the set and are not of the roster, each once.
func (p plan) added() (all []voice.Voice) {
	for n := range p.takes() {
		for _, id := range p.dialogue(n).cast.voices {
			at := slices.IndexFunc(p.voices, func(v voice.Voice) bool { return v.ID == id && v.Engine != "" })
			if at >= 0 && !slices.ContainsFunc(all, func(v voice.Voice) bool { return v.ID == id }) {
				all = append(all, p.voices[at])
			}
		}
	}
	return all
}

// lines returns the script of a dialogue.
func (t dialogue) lines() ([]line, error) {
	name := t.plan.scripts[t.number%len(t.plan.scripts)]
	text, err := scripts.ReadFile("scripts/" + name + ".tsv")
	if err != nil {
		return nil, err
	}
	lines, err := parseScript(string(text))
	if err != nil {
		return nil, fmt.Errorf("script %s: %w", name, err)
	}
	if t.number >= len(t.plan.scripts) {
		lines = vary(lines, rand.New(rand.NewPCG(t.cast.seed, 0)))
	}
	return lines, nil
}

// plans returns the sets in the order in which they are made.
func plans() []plan {
	return []plan{
		{
			slug: "demo-hi-in-banking-dual", title: "Hindi call-centre conversations, banking",
			about: "An agent of a bank and a customer talk about debits, orders and cards.",
			tag:   "hi-IN", code: "hi", collection: catalogue.CallCentre, domain: "banking",
			roles: [2]string{"agent", "customer"}, scripts: []string{"hi-bank-1", "hi-bank-2"},
			prefix: "hi-bank", rate: 16000, via: 16000, seed: 101,
		},
		{
			slug: "demo-ta-in-retail-dual-8k", title: "Tamil call-centre conversations, retail, telephone band",
			about: "An agent of a shop and a customer talk about deliveries and returns.",
			tag:   "ta-IN", code: "ta", collection: catalogue.CallCentre, domain: "retail",
			more:  "It has the 8 kHz of a telephone line.",
			roles: [2]string{"agent", "customer"}, scripts: []string{"ta-shop-1", "ta-shop-2"},
			prefix: "ta-shop", rate: 8000, via: 8000, seed: 202,
		},
		{
			slug: "demo-bn-in-healthcare-mono", title: "Bengali conversations, healthcare, one channel",
			about: "A doctor's practice and a patient talk about appointments and medicines.",
			tag:   "bn-IN", code: "bn", collection: catalogue.GeneralConversation, domain: "healthcare",
			more:  "Both voices are on one channel; the transcript says who speaks.",
			roles: [2]string{"doctor", "patient"}, scripts: []string{"bn-doctor-1", "bn-doctor-2"},
			prefix: "bn-doctor", rate: 16000, via: 16000, mono: true, seed: 303,
		},
		{
			slug: "demo-te-in-railway-dual-upsampled", title: "Telugu call-centre conversations, railway, upsampled",
			about: "An agent of a railway and a traveller talk about trains and tickets.",
			tag:   "te-IN", code: "te", collection: catalogue.CallCentre, domain: "travel",
			more:  "The files are at 16 kHz and were made of 8 kHz on purpose, to show that measuring finds it out.",
			roles: [2]string{"agent", "customer"}, scripts: []string{"te-rail-1", "te-rail-2"},
			prefix: "te-rail", rate: 16000, via: 8000, seed: 404,
		},
		{
			slug: "demo-en-in-telecom-dual", title: "English call-centre conversations as held in India, telecom",
			about: "An agent of an internet provider and a customer talk about faults and plans.",
			tag:   "en-IN", code: "en", collection: catalogue.CallCentre, domain: "telecom",
			more:  "The words are those of calls in India; the accent of the voices is not Indian.",
			roles: [2]string{"agent", "customer"}, scripts: []string{"en-internet-1", "en-internet-2"},
			prefix: "en-internet", rate: 24000, via: 24000, seed: 505,
		},
		{
			slug: "demo-hi-in-electronics-dual-hinglish", title: "Hinglish call-centre conversations, electronics",
			about: "An agent and a customer talk about repairs and orders, in Hindi mixed with English.",
			tag:   "hi-IN", others: []string{"en-IN"}, code: "hi", collection: catalogue.CallCentre, domain: "electronics",
			more:  "The transcripts have English words in Latin letters.",
			roles: [2]string{"agent", "customer"}, scripts: []string{"hinglish-phone-1", "hinglish-phone-2"},
			prefix: "hinglish", rate: 16000, via: 16000, seed: 606,
		},
	}
}
