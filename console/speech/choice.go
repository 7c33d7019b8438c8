package speech

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"vaak/audio"
	"vaak/audio/codec"
	"vaak/console/page"
	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

// choice is what somebody has set in the playground, as it was typed. The fields of the
// form have the names that the service uses in its refusals.
type choice struct {
	Text       string
	Voice      string // id, name or alias; "" is the default voice of the language
	Lang       string // "" is detected from the text
	Format     string // "" is wav
	Rate       string // "" is the default of the format
	Speed      string // "" is 1
	Dictionary string // id; "" is none
}

// choiceOf reads the settings out of a form or an address.
func choiceOf(voices *voice.Directory, sent url.Values) choice {
	value := func(name string) string { return strings.TrimSpace(sent.Get(name)) }
	c := choice{
		Text: sent.Get("input"), Voice: value("voice"), Lang: value("lang"), Format: value("response_format"),
		Rate: value("sample_rate"), Speed: cmp.Or(value("speed"), "1"), Dictionary: value("dictionary"),
	}
	if _, ok := voices.ByID(voice.ID(c.Voice)); ok {
		c.Voice = voiceWords(voices, voice.ID(c.Voice))
	}
	if c.Lang == "auto" {
		c.Lang = ""
	}
	return c
}

// sample returns a text to begin with, in the chosen language or else that of the voice.
func (c choice) sample(voices *voice.Directory) string {
	if t, ok := lang.Find(c.Lang); ok && c.Lang != "" {
		return voice.PreviewText(t.Code)
	}
	v, ok := voices.Lookup(string(voiceNamed(voices, c.Voice)))
	if !ok {
		v = voice.DefaultVoice()
	}
	return voice.PreviewText(v.PreviewLanguage)
}

// requested returns the request for the service. Its format is that of the file.
func (ps *pages) requested(v *page.Visit, c choice) (speech.Request, error) {
	req := speech.Request{Text: c.Text, Voice: string(voiceNamed(ps.Voices, c.Voice)), Language: c.Lang}
	var err error
	if req.Format, err = c.format(); err != nil {
		return req, err
	}
	// 0 is refused here, because the service would take it for the default.
	if req.Speed, err = strconv.ParseFloat(c.Speed, 64); err != nil || req.Speed == 0 {
		return req, fault.BadParameter("speed", "speed %.40q is not a number from %g to %g", c.Speed, speech.MinSpeed, speech.MaxSpeed)
	}
	if c.Dictionary != "" {
		req.Dictionaries, err = ps.Dictionaries.Use(v.R.Context(), v.Org.ID, dictionary.Locator{ID: c.Dictionary})
	}
	return req, err
}

// format returns the chosen format with its defaults filled in.
func (c choice) format() (audio.Format, error) {
	f := audio.Format{Codec: audio.Codec(c.Format)}
	if c.Rate != "" {
		var err error
		if f.SampleRate, err = strconv.Atoi(c.Rate); err != nil || f.SampleRate == 0 {
			return f, fault.BadParameter("sample_rate", "sample_rate %.40q is not one of %s", c.Rate, fault.Listed(audio.SampleRates))
		}
	}
	return codec.Check(f)
}

// countOf returns the characters of a text, which are its code points.
func countOf(text string) int { return utf8.RuneCountInString(text) }

// namedDictionary is a dictionary as the playground offers it.
type namedDictionary struct{ ID, Words string }

// namedDictionaries tells dictionaries of one name apart by the beginning of their ids.
func namedDictionaries(all []dictionary.Dictionary) []namedDictionary {
	names := map[string]int{}
	for _, d := range all {
		names[d.Name]++
	}
	out := make([]namedDictionary, len(all))
	for i, d := range all {
		out[i] = namedDictionary{d.ID, d.Name}
		if names[d.Name] > 1 {
			out[i].Words += nameEnds + d.ID[:min(len(d.ID), idBegins)]
		}
	}
	return out
}

// idBegins is how much of the id of a dictionary tells it apart.
const idBegins = 8

// namedVoice is a voice as the list of voices offers it.
type namedVoice struct{ Words, About string }

// voiceList keeps the list of voices until they change.
type voiceList struct {
	last atomic.Pointer[struct {
		stamp any // of the directory
		all   []namedVoice
	}]
}

// of lists the voices of a directory, grouped by native language. The slice must not be changed.
func (l *voiceList) of(voices *voice.Directory) []namedVoice {
	stamp := voices.Stamp()
	if last := l.last.Load(); last != nil && last.stamp == stamp {
		return last.all
	}
	var all []namedVoice
	for _, v := range voices.All() {
		all = append(all, namedVoice{voiceWords(voices, v.ID), string(v.Gender) + ", " + v.Accent})
	}
	// The stamp was taken first: voices that came since are listed by the next call.
	l.last.Store(&struct {
		stamp any
		all   []namedVoice
	}{stamp, all})
	return all
}

// nameEnds stands between the name of a voice and its language.
const nameEnds = " · "

// voiceWords returns the name of a voice with its language, which people find it by, or
// the id of one that is not in the directory.
func voiceWords(voices *voice.Directory, id voice.ID) string {
	v, ok := voices.ByID(id)
	if !ok {
		return string(id)
	}
	l, _ := lang.Lookup(v.Native)
	return v.Name + nameEnds + l.Name
}

// voiceNamed returns the id of the voice that somebody typed: its id, an alias, or its
// name with or without the language. Words that name no voice stay as they are, so that
// the service refuses them.
func voiceNamed(voices *voice.Directory, words string) voice.ID {
	name, _, _ := strings.Cut(words, nameEnds)
	if v, ok := voices.Lookup(strings.TrimSpace(name)); ok {
		return v.ID
	}
	return voice.ID(words)
}
