package speech_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"vaak/account"
	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/speech/chunk"
	"vaak/voice"
)

func wantFault(t *testing.T, what string, err error, kind fault.Kind, code, says string) {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != kind || f.Code != code || !strings.Contains(f.Msg, says) {
		t.Errorf("%s = %v, want %s %s saying %q", what, err, kind, code, says)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{Engines: engine.Set{enginetest.Tone{Speaks: []lang.Code{"en", "de"}}}})
	for name, tt := range map[string]struct {
		req  speech.SessionRequest
		kind fault.Kind
		code string
		says string
	}{
		"too fast":   {speech.SessionRequest{Speed: 1.9}, fault.Invalid, fault.CodeInvalidParameter, "speed 1.9 is outside 0.7 to 1.5"},
		"no speed":   {speech.SessionRequest{Speed: math.NaN()}, fault.Invalid, fault.CodeInvalidParameter, "NaN"},
		"voice":      {speech.SessionRequest{Voice: "nobody"}, fault.NotFound, fault.CodeVoiceNotFound, "nobody"},
		"language":   {speech.SessionRequest{Language: "klingon"}, fault.Invalid, fault.CodeInvalidParameter, "klingon"},
		"not spoken": {speech.SessionRequest{Language: "hi"}, fault.Invalid, fault.CodeInvalidParameter, `"hi" is not spoken`},
		"format":     {speech.SessionRequest{Format: audio.Format{Codec: "wma"}}, fault.Invalid, fault.CodeInvalidParameter, "wma"},
		"hot":        {speech.SessionRequest{Sampling: speech.Sampling{Temperature: new(2.5)}}, fault.Invalid, fault.CodeInvalidParameter, "temperature"},
	} {
		_, err := s.Open(account.Local, tt.req)
		wantFault(t, name, err, tt.kind, tt.code, tt.says)
	}
	session, err := s.Open(account.Local, speech.SessionRequest{})
	if want := (audio.Format{Codec: audio.WAV, SampleRate: 24000}); err != nil || session.Format() != want {
		t.Errorf("Open of nothing = %v, format %+v, want %+v", err, session.Format(), want)
	}
}

// TestAddIsBounded adds to a session that does not run: finished words wait, and of one
// without an end not too much.
func TestAddIsBounded(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	session, err := s.Open(account.Local, speech.SessionRequest{Language: "en"})
	if err != nil {
		t.Fatal(err)
	}
	wantFault(t, "Add of half a character", session.Add("a\xe0"), fault.Invalid, fault.CodeInvalidParameter, "UTF-8")
	for _, text := range []string{strings.Repeat("é. ", 6000), strings.Repeat("ab ", 6000), strings.Repeat("é", 5000), ""} {
		if err := session.Add(text); err != nil {
			t.Errorf("Add of %d bytes = %v", len(text), err)
		}
	}
	wantFault(t, "Add to a word", session.Add("é"), fault.Invalid, fault.CodeTextTooLong, "5001 characters wait for the end of a word; at most 5000 may")
}

// brief is an engine that says everything in a moment.
type brief struct{ enginetest.Tone }

func (brief) Synthesize(ctx context.Context, u engine.Utterance, sink engine.Sink) error {
	if _, _, err := sink.Room(ctx); err != nil {
		return err
	}
	return sink.Frame(engine.Frame{PCM: []int16{1, 2, 3}, Words: []engine.Word{{End: len(u.Text)}}})
}

// TestSessionIsBounded adds as much as a session takes, as it is spoken.
func TestSessionIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, speech.Config{Engines: engine.Set{brief{}}})
		p := begin(t.Context(), t, s, account.Local, speech.SessionRequest{Language: "en", Format: audio.Format{Codec: audio.ULaw}}, &listener{})
		sentence := strings.Repeat("abcd ", 199) + "end. "
		for range speech.MaxSessionCharacters / 1000 {
			p.add(sentence)
			synctest.Wait()
		}
		wantFault(t, "Add to a full session", p.Add("a"), fault.Invalid, fault.CodeTextTooLong, "takes 100000 characters; this would make it 100001")
		p.End()
		if res, err := p.outcome(); err != nil || res.Charged != speech.MaxSessionCharacters {
			t.Errorf("Run = %+v, %v", res, err)
		}
	})
}

// TestNothingToSay has texts of which nothing is spoken, alone and beside others.
func TestNothingToSay(t *testing.T) {
	t.Parallel()
	const silence = 200 * 22050 / 1000
	s := newService(t, speech.Config{})
	for _, mode := range []chunk.Mode{chunk.Sentence, chunk.Eager, chunk.Auto} {
		req := speech.SessionRequest{Format: native, Chunks: chunk.Config{Mode: mode}}
		for _, tt := range []struct {
			steps []string
			want  int // samples
		}{
			{nil, 0},
			{[]string{flush}, 0},
			{[]string{""}, 0},
			{[]string{" "}, 0},
			{[]string{" \n", flush, "\u3000", flush}, 0},
			{[]string{"..."}, silence},
			{[]string{"😀"}, silence},
			{[]string{"😀 ", flush, "😀", flush}, silence},
			{[]string{" ", "…", " "}, silence},
		} {
			w := &follower{}
			res := say(t, s, req, w, tt.steps...)
			n := len([]rune(strings.ReplaceAll(strings.Join(tt.steps, ""), flush, "")))
			if tt.want == 0 {
				n = 0
			}
			if got := len(w.pcm()); got != tt.want || res.Charged != n || (len(w.starts) > 0) != (tt.want > 0) {
				t.Errorf("mode %d, %q: %d samples, charged %d, told %d times; want %d samples, %d", mode, tt.steps, got, res.Charged, len(w.starts), tt.want, n)
			}
			silent := loudest(w.pcm())
			if silent != 0 {
				t.Errorf("%q: silence has samples of %d", tt.steps, silent)
			}
		}
	}
}

func loudest(pcm []int16) (most int16) {
	for _, v := range pcm {
		most = max(most, v, -v)
	}
	return most
}

// TestLanguageOfASession is told from its text.
func TestLanguageOfASession(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		req      speech.SessionRequest
		speaks   []lang.Code // nil is all
		steps    []string
		language lang.Code // of the session
		voice    voice.ID
		said     []lang.Code
	}{
		{speech.SessionRequest{}, nil, []string{"नमस्ते, आप कैसे हैं? ", "मैं ठीक हूँ। "}, "hi", voice.Default("hi").ID, []lang.Code{"hi", "hi"}},
		{speech.SessionRequest{}, nil, []string{"Good morning, how are you today? ", "Wir treffen uns morgen um neun Uhr am Bahnhof. ", "வணக்கம்."}, "en", voice.Default("en").ID, []lang.Code{"en", "de", "ta"}},
		{speech.SessionRequest{}, nil, []string{" ", flush, "😀 ", "Привет, как у вас дела сегодня?"}, "ru", voice.Default("ru").ID, []lang.Code{"ru"}},
		{speech.SessionRequest{Voice: string(voice.Default("fr").ID)}, nil, []string{"Good morning, how are you today?"}, "en", voice.Default("fr").ID, []lang.Code{"en"}},
		{speech.SessionRequest{Language: "de"}, nil, []string{"Good morning, how are you today?"}, "de", voice.Default("de").ID, []lang.Code{"de"}},
		{speech.SessionRequest{}, []lang.Code{"en"}, []string{"Good morning, how are you today? ", "नमस्ते, आप कैसे हैं? ", "Wir treffen uns morgen um neun Uhr am Bahnhof."}, "en", voice.Default("en").ID, []lang.Code{"en", "en", "en"}},
	} {
		e := newScribe()
		e.Speaks = tt.speaks
		s := newService(t, speech.Config{Engines: engine.Set{e}})
		w := &listener{}
		res := say(t, s, tt.req, w, tt.steps...)
		var said []lang.Code
		for _, u := range e.all {
			said = append(said, u.Language)
			if u.Voice.ID != tt.voice {
				t.Errorf("%q is spoken by %s, want %s", u.Text, u.Voice.ID, tt.voice)
			}
		}
		if res.Language != tt.language || res.Voice != tt.voice || w.starts[0].Language != tt.language || !slices.Equal(said, tt.said) {
			t.Errorf("%q: %s by %s, said in %q; want %s by %s, %q", tt.steps, res.Language, res.Voice, said, tt.language, tt.voice, tt.said)
		}
	}
}

// TestFirstLanguageMustBeSpoken refuses before there is any audio.
func TestFirstLanguageMustBeSpoken(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{Engines: engine.Set{enginetest.Tone{Speaks: []lang.Code{"en"}}}})
	w := &listener{}
	p := begin(t.Context(), t, s, account.Local, speech.SessionRequest{}, w)
	p.add("नमस्ते, आप कैसे हैं?")
	p.End()
	_, err := p.outcome()
	wantFault(t, "Run in Hindi", err, fault.Invalid, fault.CodeInvalidParameter, `"hi" is not spoken`)
	if len(w.got()) > 0 {
		t.Errorf("%d bytes were sent", len(w.got()))
	}
}
