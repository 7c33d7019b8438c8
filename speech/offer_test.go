package speech_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"vaak/account"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

// A deployment that offers some languages refuses requests that name others, with the list, and
// detects no others.
func TestOfferedLanguages(t *testing.T) {
	t.Parallel()
	svc := newService(t, speech.Config{Languages: []lang.Code{"hi", "en"}})
	for _, tt := range []struct {
		text, hint, voice string
		want              lang.Code
	}{
		{"नमस्ते", "", "", "hi"},
		{"मी शाळेत जातो", "", "", "hi"},
		{"Guten Morgen zusammen", "", "", "en"},
		{"2027", "", "", "hi"},
		{"Hello", "en-IN", "", "en"},
		{"kya haal hai bhai", "", "", "hi"},
		{"vanakkam nanba epdi irukka", "", "", "en"},
	} {
		got, err := svc.Read(t.Context(), speech.Request{Text: tt.text, Language: tt.hint, Voice: tt.voice})
		if err != nil || got.Language != tt.want {
			t.Errorf("Read(%q, %q) is in %q, %v, want %s", tt.text, tt.hint, got.Language, err, tt.want)
		}
		for _, run := range got.Runs {
			if run.Language != "hi" && run.Language != "en" {
				t.Errorf("Read(%q) has a run in %s", tt.text, run.Language)
			}
		}
	}
	if h := svc.Health(); h.Languages != 2 {
		t.Errorf("%d languages, want 2", h.Languages)
	}
	refused := func(err error) {
		t.Helper()
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Invalid || f.Field != "lang" ||
			!strings.Contains(f.Error(), `language "ta" is not offered by this deployment; it offers en (English), hi (Hindi)`) {
			t.Errorf("error %v", err)
		}
	}
	_, err := svc.Speak(t.Context(), account.Local, speech.Request{Text: "வணக்கம்", Language: "ta"}, io.Discard)
	refused(err)
	_, err = svc.Open(account.Local, speech.SessionRequest{Language: "Tamil"})
	refused(err)
	if _, err := speech.New(speech.Config{Engines: engine.Set{enginetest.Tone{}}, Languages: []lang.Code{"xx"}}); err == nil {
		t.Error("an unknown language is offered")
	}
}

// The native language of the named voice decides for a text of names, and for nothing else.
func TestVoiceHintsAtTheLanguage(t *testing.T) {
	t.Parallel()
	svc := newService(t, speech.Config{})
	for _, tt := range []struct {
		native lang.Code
		text   string
		want   lang.Code
	}{
		{"de", "Samsung", "de"},
		{"de", "Guten Morgen", "de"},
		{"de", "The train is late", "en"},
		{"en", "Hola", "es"},
		{"mr", "दिल्ली", "mr"},
		{"mr", "मैं घर जा रहा हूँ", "hi"},
	} {
		got, err := svc.Read(t.Context(), speech.Request{Text: tt.text, Voice: string(nativeVoice(tt.native))})
		if err != nil || got.Language != tt.want {
			t.Errorf("Read(%q) with a voice of %s is in %q, %v, want %s", tt.text, tt.native, got.Language, err, tt.want)
		}
	}
}

func nativeVoice(code lang.Code) voice.ID {
	for _, v := range voice.All() {
		if v.Native == code {
			return v.ID
		}
	}
	return ""
}

// A session in Hindi stays Hindi through a bare name and a number.
func TestSessionKeepsItsLanguage(t *testing.T) {
	t.Parallel()
	s := newScribe()
	svc := newService(t, speech.Config{Engines: engine.Set{s}})
	session, err := svc.Open(account.Local, speech.SessionRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Add("मैं घर जा रहा हूँ। राहुल। 10। दिल्ली। "); err != nil {
		t.Fatal(err)
	}
	session.End()
	if _, err := svc.Run(t.Context(), session, io.Discard); err != nil {
		t.Fatal(err)
	}
	all := s.take()
	if len(all) == 0 {
		t.Error("nothing was said")
	}
	for _, u := range all {
		if u.language != "hi" {
			t.Errorf("%q is said in %s", u.text, u.language)
		}
	}
}
