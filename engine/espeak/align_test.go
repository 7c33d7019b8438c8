package espeak_test

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/engine"
	"vaak/engine/espeak"
	"vaak/lang"
	"vaak/speech/align"
	"vaak/text"
	"vaak/text/frontend"
	"vaak/voice"
)

// paragraphs are running text with numbers, dates, money, markup and several
// languages.
var paragraphs = []struct{ hint, text string }{
	{"en-US", "  On 5/12/2024 we paid $1,234.50 for 3 kg. Dr. Smith said: “it's 20% off!” 🙂 Then, at 10:30, he left such as he came."},
	{"en", "<speak>Wait.<break time=\"1200ms\"/> It costs $5, or £7.50 <b>today</b>. ok. small letters follow a stop.</speak>"},
	{"en", "The word мир means peace, and 東京 is a city of 14,000,000 people."},
	{"de", "Am 3. Oktober 1990 kostete das 1.234,50 €. Geschlecht, Sprache, Religion, politischer oder sonstiger Überzeugung, nationaler oder sozialer Herkunft, Vermögen, Geburt oder Stand."},
	{"fr", "Le 14/07/1789, 25 % des gens avaient 3,5 kg de pain. L’été, c’est déjà demain."},
	{"hi", "आज 15/08/2024 को ₹1,23,456 मिले। की कीमत ५०% कम है, क्या आप 3 बजे आएँगे?"},
	{"ta", "இன்று 15/08/2024 அன்று ₹5,000 கிடைத்தது. காலை 10:30 மணிக்கு வாருங்கள்."},
	{"bn", "আজ ১৫/০৮/২০২৪ তারিখে ৳৫০০ পেলাম। জাতীয় বা সামাজিক উৎপত্তি, সম্পত্তি, জন্ম।"},
	{"ar", "في 15/08/2024 دفعنا 1,234 دولارًا، ثم عدنا الساعة 10:30 إلى البيت."},
	{"he", "ב-15/08/2024 שילמנו 50 ₪, ואז חזרנו הביתה."},
	{"ru", "12.05.2024 г. мы заплатили 1 234,50 ₽. Потом, в 10:30, он ушёл."},
	{"bg", "Всички хора се раждат свободни и равни по достойнство и права на 5 май 2024 г."},
	{"ja", "2024年5月12日、東京で1,234円払いました。今日は晴れです。"},
	{"zh", "2024年5月12日，我们付了1,234元。天气很好！"},
	{"ko", "2024년 5월 12일에 1,234원을 냈습니다. 모든 인간은 자유롭다."},
}

// told is a text as a line tells it, and as the engine does.
type told struct {
	rate    int
	samples int // of audio
	marks   []align.Mark
	written align.Alignment
	spoken  align.Alignment
	frames  int
	without [2]int // characters that are written, that are spoken
}

// tell has a text spoken as a session does, and timed in frames of at most 300
// ms as soon as they are known.
func tell(t *testing.T, e *espeak.Engine, code lang.Code, s, spoken string, runs []frontend.Run, speed float64) told {
	t.Helper()
	said := told{rate: e.SampleRate()}
	line := align.NewLine(said.rate, speed)
	line.Open(s, spoken, 0)
	at := 0
	drain := func(end bool) {
		for {
			to := line.Bound(at + int(0.3*speed*float64(said.rate)))
			if to <= at && !end {
				return
			}
			w, sp := line.Cut(to)
			checkFrame(t, w)
			checkFrame(t, sp)
			said.written.Append(w)
			said.spoken.Append(sp)
			said.frames++
			if len(w.Characters) == 0 {
				said.without[0]++
			}
			if len(sp.Characters) == 0 {
				said.without[1]++
			}
			if to <= at {
				return
			}
			at = to
		}
	}
	before := 0
	for _, run := range runs {
		said.samples += int(run.Pause * time.Duration(said.rate) / time.Second)
		start := said.samples
		u := engine.Utterance{Text: run.Text, Language: run.Language, Voice: voice.Default(code), Continues: !run.Last}
		err := e.Synthesize(t.Context(), u, engine.SinkFunc(func(f engine.Frame) error {
			for _, w := range f.Words {
				span := text.Span{Start: w.Start, End: w.End}
				m := align.Mark{Sample: start + w.Sample, Written: run.Map.Back(span), Spoken: span.Shift(before)}
				said.marks = append(said.marks, m)
				line.Mark(m)
			}
			said.samples += len(f.PCM)
			drain(false)
			return nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		before += len(run.Text)
	}
	line.Close(said.samples)
	drain(true)
	return said
}

// checkFrame fails unless the characters of a frame last as long as it does.
func checkFrame(t *testing.T, a align.Alignment) {
	t.Helper()
	sum := 0
	for i, start := range a.Starts {
		end := a.End
		if i+1 < len(a.Starts) {
			end = a.Starts[i+1]
		}
		if end < start {
			t.Errorf("characters descend: %v", a.Starts)
		}
		sum += end - start
	}
	if len(a.Starts) > 0 && (sum != a.End-a.Begin || a.Starts[0] != a.Begin) {
		t.Errorf("characters of %d ms begin at %d, want %d to %d", sum, a.Starts[0], a.Begin, a.End)
	}
}

// TestRunningTextIsTold checks that what is told of words in running text is
// what the engine says, and that all of the text is told.
func TestRunningTextIsTold(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	f := frontend.New()
	for _, p := range paragraphs {
		tag, err := lang.Resolve(p.hint)
		if err != nil {
			t.Fatal(err)
		}
		prepared, err := f.Prepare(p.text, tag)
		if err != nil {
			t.Fatal(err)
		}
		var runs []frontend.Run
		var spoken strings.Builder
		for run := range prepared.Runs() {
			runs = append(runs, run)
			spoken.WriteString(run.Text)
		}
		for _, speed := range []float64{0.7, 1, 1.5} {
			said := tell(t, e, tag.Code, p.text, spoken.String(), runs, speed)
			checkTold(t, p.hint, p.text, said, said.written, speed, func(m align.Mark) text.Span { return m.Written })
			checkTold(t, p.hint, spoken.String(), said, said.spoken, speed, func(m align.Mark) text.Span { return m.Spoken })
			audio := float64(said.samples) * 1000 / float64(said.rate) / speed
			if got := said.written.End; math.Abs(float64(got)-audio) > 0.5 {
				t.Errorf("%s: told are %d ms of %.1f", p.hint, got, audio)
			}
			if speed == 1 {
				t.Logf("%s: %d marks, %d ms in %d frames, %v of them without characters", p.hint, len(said.marks), said.written.End, said.frames, said.without)
			}
		}
	}
}

// checkTold checks one side of what was told of a text.
func checkTold(t *testing.T, hint, s string, said told, a align.Alignment, speed float64, side func(align.Mark) text.Span) {
	t.Helper()
	if got := strings.Join(a.Characters, ""); got != s {
		t.Fatalf("%s: told %q, want %q", hint, got, s)
	}
	words, end, last := 0, -1, -1
	for _, m := range said.marks {
		span := side(m)
		for span.Start < span.End && unicode.IsSpace(rune(s[span.Start])) {
			span.Start++
		}
		if span.Len() > 0 && span.Start >= end {
			words++
			got := a.Starts[utf8.RuneCountInString(s[:span.Start])]
			want := float64(m.Sample) * 1000 / float64(said.rate) / speed
			if math.Abs(float64(got)-want) > 5 {
				t.Errorf("%s at %g: %q is told at %d ms, want %.0f", hint, speed, span.In(s), got, want)
			}
			if got <= last {
				t.Errorf("%s at %g: %q is told at %d ms, not after %d", hint, speed, span.In(s), got, last)
			}
			last = got
		}
		end = max(end, span.End)
	}
	if words < 3 {
		t.Errorf("%s: only %d words of %q begin on their own", hint, words, s)
	}
}
