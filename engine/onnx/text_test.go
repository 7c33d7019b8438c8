package onnx_test

import (
	"encoding/json"
	"strings"
	"testing"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/engine/espeak/accent"
	"vaak/engine/onnx"
	"vaak/engine/onnx/tiny"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text"
	"vaak/voice"
)

// speech is an utterance with what was left out of it.
type speech struct {
	enginetest.Speech
	leftOut []text.Span
}

// say speaks an utterance and checks what must hold for every text.
func say(t *testing.T, e *onnx.Engine, u engine.Utterance) speech {
	t.Helper()
	var s speech
	lastStart := -1
	err := e.Synthesize(t.Context(), u, engine.SinkFunc(func(f engine.Frame) error {
		for _, l := range f.LeftOut {
			if l.Start >= l.End || l.End > len(u.Text) || len(s.leftOut) > 0 && l.Start < s.leftOut[len(s.leftOut)-1].End {
				t.Errorf("%.40q: left out is %v after %v", u.Text, l, s.leftOut)
			}
			s.leftOut = append(s.leftOut, l)
		}
		return s.Frame(f)
	}))
	if err != nil {
		t.Fatalf("%.40q: %v", u.Text, err)
	}
	lastSample := -1
	for _, w := range s.Words {
		if w.Start < lastStart || w.End > len(u.Text) || w.Start > w.End || w.Sample <= lastSample || w.Sample > len(s.PCM) {
			t.Errorf("%.40q: word %+v of %d samples comes after start %d, sample %d", u.Text, w, len(s.PCM), lastStart, lastSample)
		}
		lastStart, lastSample = w.Start, w.Sample
	}
	return s
}

// TestAnyText speaks what is hardly a text.
func TestAnyText(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	p, k := add(t, e, piper(t, tiny.PiperOptions{})), add(t, e, kokoro(t))
	silent := map[string]bool{"marks alone": true, "a space": true, "quotes": true, "one mark": true, "invisible": true}
	for name, what := range map[string]string{
		"signs": "… — !? ,,, ;", "a space": " ", "quotes": "“” «» '", "one mark": ".", "invisible": "\u200b\u200d\u2060\ufeff",
		"emoji": "🙂🙃👨‍👩‍👧‍👦🇮🇳", "SSML": `<speak>Hello <break time="1s"/> &amp; <phoneme alphabet="ipa" ph="x">bye</phoneme></speak>`,
		"raw phonemes": "Say [[h@l'oU]] and [[ˈ]] again. [[_:]]", "control characters": "one\x00two\x01 three\x1b[31m\u0085 four\u2028five\r\n\r\nsix\t",
		"frames": "^ _ $ ^_$", "not UTF-8": "a \xff b \xc3", "marks alone": "\u0301\u0301\u0327", "long word": strings.Repeat("antidis", 60),
		"no stop": strings.Repeat("and then some more of it ", 30), "many stops": strings.Repeat(". ", 500) + "End.", "many marks": "Why" + strings.Repeat("?!", 1000),
		"one letter": "a", "digits": strings.Repeat("1234567890", 4), "5,000 characters": strings.Repeat("The quick brown fox jumps over the lazy dog. ", 112)[:5000],
		"breaks": "One.\n\n\n\nTwo.\n\nThree", "right to left": "Hello \u202eשלום\u202c world", "Chinese": "你好，世界。", "mixed": "naïve Ελλάδα Москва नमस्ते 日本 ok",
	} {
		for i, m := range []engine.Utterance{says(p, 0, what), says(k, 0, what)} {
			if len(what) > 3000 && i > 0 {
				continue
			}
			s := say(t, e, m)
			if silent[name] != (len(s.Words) == 0) && name != "invisible" {
				t.Errorf("%s: %d words and %d samples", name, len(s.Words), len(s.PCM))
			}
			if len(what) > 300 {
				continue
			}
			m.Before, m.After, m.Edge, m.Continues = "Before it.", "And after it.", 500, true
			say(t, e, m)
		}
	}
	if s := say(t, e, says(p, 0, "Say [[h@l'oU]] now.")); len(s.Words) == 0 || len(s.PCM) < 22050/2 {
		t.Errorf("brackets silence a text: %d samples", len(s.PCM))
	}
	if n := e.Figures().Restarts; n > 0 {
		t.Errorf("the worker was started again %d times", n)
	}
	long := says(p, 0, strings.Repeat("x", 1<<20+1))
	if err := e.Synthesize(t.Context(), long, engine.SinkFunc(func(engine.Frame) error { return nil })); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a megabyte: %v", err)
	}
}

// TestLongSentence: a sentence without an end is divided, so that the first sound comes before all of
// it is computed, and no word is lost.
func TestLongSentence(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	m := add(t, e, piper(t, tiny.PiperOptions{}))
	for _, clause := range []string{"and then some more of it ", "and then, some more of it, "} {
		n := 60
		s := say(t, e, says(m, 0, strings.Repeat(clause, n)))
		if len(s.Words) != 6*n {
			t.Errorf("%d words, want %d", len(s.Words), 6*n)
		}
		pieces := encoded(t, m, says(m, 0, strings.Repeat(clause, n)))
		for _, p := range pieces {
			if len(p.IDs) > 2100 || len(pieces) < 2 {
				t.Errorf("a piece of %d has %d ids", len(pieces), len(p.IDs))
			}
		}
	}
}

// TestLengthyForeign speaks each language for which there is an accent.
func TestLengthyForeign(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	p, k := add(t, e, piper(t, tiny.PiperOptions{})), add(t, e, kokoro(t))
	for i, u := range []engine.Utterance{says(p, 0, ""), says(k, 0, "")} {
		traits, err := e.Voice(u.Voice)
		if err != nil {
			t.Fatal(err)
		}
		foreign := 0
		for _, l := range lang.All() {
			u.Language, u.Text = l.Code, voice.PreviewText(l.Code)
			if mapped := l.Code == "en" || accent.IsMapped("en", l.Code); traits.Speaks(l.Code) != mapped {
				t.Errorf("speaks %s = %v, mapped = %v", l.Code, !mapped, mapped)
			} else if !mapped {
				err := e.Synthesize(t.Context(), u, engine.SinkFunc(func(engine.Frame) error { return nil }))
				if fault.KindOf(err) != fault.Invalid {
					t.Errorf("in %s: %v", l.Code, err)
				}
				continue
			}
			// Some are enough for the second voice, and for both where all takes long.
			if foreign++; foreign%3 > 0 && (i > 0 || testing.Short()) {
				continue
			}
			s := say(t, e, u)
			if len(s.Words) == 0 || len(s.PCM) < traits.SampleRate/2 {
				t.Errorf("in %s %d words and %d samples", l.Code, len(s.Words), len(s.PCM))
			}
			left := 0
			for _, l := range s.leftOut {
				left += l.End - l.Start
			}
			if left > len(u.Text)/4 {
				t.Errorf("in %s %d bytes of %d are left out", l.Code, left, len(u.Text))
			}
		}
		if foreign < 20 {
			t.Errorf("%d languages are spoken", foreign)
		}
	}
	if f := e.Figures(); f.Dropped > f.Replaced {
		t.Errorf("%d symbols were dropped and %d replaced", f.Dropped, f.Replaced)
	}
}

// TestUnknownSymbols: a word of which the voice knows no symbol is told as left out, once, between
// the words that are heard.
func TestUnknownSymbols(t *testing.T) {
	t.Parallel()
	model, config := tiny.Piper(tiny.PiperOptions{})
	var c map[string]any
	if err := json.Unmarshal(config, &c); err != nil {
		t.Fatal(err)
	}
	ids, ok := c["phoneme_id_map"].(map[string]any)
	if !ok {
		t.Fatal("no map")
	}
	// A voice of text, which knows few letters.
	for symbol := range ids {
		if !strings.Contains("_^$ .abcdefghilmnorstuw", symbol) {
			delete(ids, symbol)
		}
	}
	c["phoneme_type"] = "text"
	config, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	e := open(t, t.TempDir())
	m := add(t, e, write(t, map[string][]byte{"en_US-a-low.onnx": model, "en_US-a-low.onnx.json": config}))
	u := says(m, 0, "some 日本 other 12 words Ω")
	s := say(t, e, u)
	var left, heard []string
	for _, l := range s.leftOut {
		left = append(left, u.Text[l.Start:l.End])
	}
	for _, w := range s.Words {
		heard = append(heard, u.Text[w.Start:w.End])
	}
	if got := strings.Join(left, "|"); got != "日本|12|Ω" {
		t.Errorf("left out is %s", got)
	}
	if got := strings.Join(heard, "|"); got != "some|other|words" {
		t.Errorf("heard is %s", got)
	}
}
