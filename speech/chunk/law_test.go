package chunk_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/speech/chunk"
	"vaak/text/segment"
)

// failer is a test or a draw of one.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// session plays a session and checks each chunk against all that was added.
type session struct {
	t     failer
	c     *chunk.Chunker
	max   int
	added string
	at    int          // bytes returned
	cuts  map[int]bool // places where the caller cut
	ended bool         // the last chunk did
	got   []chunk.Chunk
}

func newSession(t failer, c chunk.Config) *session {
	return &session{t: t, c: chunk.New(c), max: c.Clamped().MaxChunkWords, cuts: map[int]bool{}, ended: true}
}

func (s *session) add(text string, cuts bool) {
	s.added += text
	s.c.Add(text)
	if cuts {
		s.cuts[len(s.added)] = true
	}
}

// take takes what is ready, at most n chunks.
func (s *session) take(n int) {
	s.t.Helper()
	for i := range n {
		got, ok := s.c.Next(i > 0)
		if !ok {
			break
		}
		s.check(got)
		s.got = append(s.got, got)
	}
	if rest := s.c.Remainder(); rest != s.added[s.at:] || s.c.Waiting() != utf8.RuneCountInString(rest) {
		s.t.Fatalf("%q at %d: rest is %q, %d code points", s.added, s.at, rest, s.c.Waiting())
	}
}

func (s *session) check(got chunk.Chunk) {
	s.t.Helper()
	before, behind := s.added[:s.at], s.added[s.at:]
	rest, ok := strings.CutPrefix(behind, got.Text)
	if !ok || got.Text == "" {
		s.t.Fatalf("%q at %d: text %q", s.added, s.at, got.Text)
	}
	if !strings.HasSuffix(before, got.Before) || s.ended && got.Before != "" {
		s.t.Fatalf("%q at %d: before %q", s.added, s.at, got.Before)
	}
	further, ok := strings.CutPrefix(rest, got.After)
	if !ok || got.Ends && got.After != "" {
		s.t.Fatalf("%q at %d: %+v", s.added, s.at, got)
	}
	if follows := strings.TrimSpace(further) != ""; follows != got.Follows {
		s.t.Fatalf("%q at %d: follows = %v, want %v", s.added, s.at, got.Follows, follows)
	}
	s.at += len(got.Text)
	s.ended = got.Ends
}

// finish ends the session and checks where it was cut.
func (s *session) finish() {
	s.t.Helper()
	s.c.End()
	s.c.Add("nothing")
	s.take(1 << 20)
	if !s.c.Done() || len(s.got) > 0 && !s.ended && !s.cuts[len(s.added)] {
		s.t.Fatalf("%q: done = %v at %d, ended %v", s.added, s.c.Done(), s.at, s.ended)
	}
	ends := map[int]bool{}
	for p := range segment.Sentences(s.added, nil) {
		ends[p.End] = true
	}
	bounds := map[int]bool{}
	for g := graphemes.FromString(s.added); g.Next(); {
		bounds[g.End()] = true
	}
	whole := s.inside()
	at := 0
	for _, c := range s.got {
		for end := range ends {
			if at < end && end < at+len(c.Text) && strings.TrimSpace(s.added[at:end]) != "" {
				s.t.Fatalf("%q: %q crosses the end of a sentence", s.added, c.Text)
			}
		}
		at += len(c.Text)
		if ends[at] || s.cuts[at] || at == len(s.added) {
			continue
		}
		if !bounds[at] || whole[at] || !apart(s.added, at) {
			s.t.Fatalf("%q: cut at %d, behind %q", s.added, at, c.Text)
		}
	}
}

var wholes = regexp.MustCompile(`[0-9]+(?:[.,:/'’-][0-9]+)+|https?://[!-~]+|[a-z.]+@[a-z]+\.[a-z]+|\d+\x{a0}\d+`)

// inside returns the places inside numbers, links and addresses that the caller
// did not cut.
func (s *session) inside() map[int]bool {
	places := map[int]bool{}
	for _, m := range wholes.FindAllStringIndex(s.added, -1) {
		var within []int
		for i := m[0] + 1; i < m[1] && !s.cuts[i]; i++ {
			within = append(within, i)
		}
		if len(within) < m[1]-m[0]-1 {
			continue
		}
		for _, i := range within {
			places[i] = true
		}
	}
	return places
}

// apart says that a word may end at a place: there is a space, or it lies beside
// a letter of a script without spaces or a mark that needs none.
func apart(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	if unicode.IsSpace(before) {
		return !unicode.IsSpace(after)
	}
	before, _ = utf8.DecodeLastRuneInString(strings.TrimRightFunc(s[:at], func(r rune) bool { return unicode.In(r, unicode.M) || r == '\u200d' }))
	scripts := []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}
	return unicode.In(before, scripts...) || unicode.In(after, scripts...) || before >= 0x80 && unicode.IsPunct(before) || before == '\u200b' || before == 'ー'
}

var pieces = rapid.SampledFrom([]string{
	"a", "B", "word", "क", "का", "क्", "中", "国人", "はな", "カタ", "ー", "ภาษา", "เ", "ไทย", "ก่", "ລາວ", "ខ្មែរ", "មែ", "မြန်", "မာ", "Α", "я", "نعم", "1", "25", "000", "3.5", "1,234",
	"10:30", "https://x.com/a?b=c,d", "a.b@c.com", "#", "@", "/", "_", ".", "...", "…", "!", "?", ";", ",", "、", "。", "।", "॥", "۔", "؟", "：", "，", "،",
	" ", " ", " ", " ", "\u00a0", "\u2009", "\n", "\n\n", "\r\n", "\"", "“", "”", "«", "»", "(", ")", "「", "」", "-", "–", "—", "'", "\u0301", "\u200d", "\u200b", "\u200f", "\u0600",
	"$", "Dr.", "e.g.", "U.S.", "😀", "👍🏽", "👨\u200d👩\u200d👧", "🇩🇪", "각", "ᄀ", "ᅡ",
})

var modes = rapid.SampledFrom([]chunk.Mode{chunk.Sentence, chunk.Eager, chunk.Schedule, chunk.Auto})

func drawConfig(rt *rapid.T) chunk.Config {
	n := rapid.IntRange(0, 8)
	return chunk.Config{
		Mode: modes.Draw(rt, "mode"), ChunkWords: n.Draw(rt, "chunk"), PeekWords: n.Draw(rt, "peek"), MaxChunkWords: n.Draw(rt, "max"),
		Characters: rapid.SliceOfN(rapid.IntRange(0, 200), 0, 3).Draw(rt, "characters"),
	}
}

// drawText draws a text that may have very long sentences.
func drawText(rt *rapid.T) string {
	part := strings.Join(rapid.SliceOfN(pieces, 0, 60).Draw(rt, "pieces"), "")
	return strings.Repeat(part, rapid.SampledFrom([]int{1, 1, 1, 10, 50}).Draw(rt, "times"))
}

// split cuts a text into fragments at places of its code points.
func split(rt *rapid.T, text string) []string {
	runes := []rune(text)
	most := rapid.SampledFrom([]int{1, 3, 20, 1000}).Draw(rt, "most")
	var parts []string
	for len(runes) > 0 {
		n := min(len(runes), rapid.IntRange(1, most).Draw(rt, "length"))
		parts = append(parts, string(runes[:n]))
		runes = runes[n:]
	}
	return parts
}

func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		config := drawConfig(rt)
		s := newSession(rt, config)
		text := drawText(rt)
		for _, part := range split(rt, text) {
			s.add(part, config.Mode == chunk.Auto)
			switch rapid.IntRange(0, 12).Draw(rt, "then") {
			case 0:
				s.c.Flush()
				s.cuts[len(s.added)] = true
			case 1:
				s.c.Trigger()
				s.cuts[len(s.added)] = s.cuts[len(s.added)] || config.Mode == chunk.Schedule
			}
			s.take(rapid.IntRange(0, 3).Draw(rt, "take"))
		}
		s.finish()
	})
}

// TestFragments checks that sentences are the same whatever the fragments and
// whenever they are taken.
func TestFragments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := drawText(rt)
		whole, parts := newSession(rt, chunk.Config{}), newSession(rt, chunk.Config{})
		whole.add(text, false)
		whole.finish()
		for _, part := range split(rt, text) {
			parts.add(part, false)
			parts.take(rapid.IntRange(0, 2).Draw(rt, "take"))
		}
		parts.finish()
		for _, s := range []*session{whole, parts} {
			for i := range s.got {
				s.got[i].After, s.got[i].Follows = "", false
			}
		}
		if diff := cmp.Diff(whole.got, parts.got); diff != "" {
			rt.Fatalf("%q (-whole +fragments):\n%s", text, diff)
		}
	})
}

// TestSentences checks that sentences which are not too long are those of
// segment.
func TestSentences(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(pieces, 0, 60).Draw(rt, "pieces"), "")
		s := newSession(rt, chunk.Config{})
		for _, part := range split(rt, text) {
			s.add(part, false)
			s.take(10)
		}
		s.finish()
		var want, got []string
		for p := range segment.Sentences(text, nil) {
			if utf8.RuneCountInString(p.In(text)) > 300 {
				return
			}
			want = append(want, p.In(text))
		}
		for _, c := range s.got {
			got = append(got, c.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("%q (-want +got):\n%s", text, diff)
		}
	})
}

// TestEagerCounts checks how many words of plain text are in a chunk and behind
// it.
func TestEagerCounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		config := drawConfig(rt)
		config.Mode = chunk.Eager
		s := newSession(rt, config)
		config = config.Clamped()
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a ", "bc ", "wörter ", "घर ", "Now. ", "end! "}), 0, 100).Draw(rt, "words")
		for _, part := range split(rt, strings.Join(words, "")) {
			s.add(part, false)
			for queued := false; ; queued = true {
				got, ok := s.c.Next(queued)
				if !ok {
					break
				}
				s.check(got)
				n, after := len(strings.Fields(got.Text)), len(strings.Fields(got.After))
				switch {
				case !queued && n > config.ChunkWords, n > config.MaxChunkWords, n < config.ChunkWords && !got.Ends, after > 8:
					rt.Fatalf("%q: %+v of %+v", s.added, got, config)
				case !got.Ends && after < config.PeekWords && !strings.HasSuffix(got.After, ".") && !strings.HasSuffix(got.After, "!"):
					rt.Fatalf("%q: %+v has too little behind it", s.added, got)
				}
			}
		}
		if n := len(strings.Fields(s.c.Remainder())); n > config.ChunkWords+config.PeekWords {
			rt.Fatalf("%q: %d words wait", s.added, n)
		}
	})
}

func FuzzChunker(f *testing.F) {
	for _, s := range []string{
		"Hello there. Dr. Smith paid 1,234.50 for 12 000 things, see https://x.com/a?b and a.b@c.com!",
		"वह घर गया। |क्या हुआ?", "我昨天在北京买了iPhone15手机，很贵！你呢？", "วันนี้อากาศดีมากเราจะไปเที่ยวทะเล", "今日は、コーヒーを飲みます。",
		"ထမင်းစားပြီးပြီလား။ ថ្ងៃនេះ", "👨\u200d👩\u200d👧 🇩🇪🇩🇪 e\u0301 \u0301 \n\n – x",
	} {
		f.Add(s, uint8(3), uint8(1), uint8(7))
	}
	f.Fuzz(func(t *testing.T, text string, mode, step, ops uint8) {
		if !utf8.ValidString(text) || len(text) > 1000 {
			t.Skip("such a message is refused before it is cut")
		}
		config := chunk.Config{Mode: chunk.Mode(mode % 4), ChunkWords: int(ops % 5), PeekWords: int(ops % 3), MaxChunkWords: int(ops % 30), Characters: []int{50, 70}}
		s := newSession(t, config)
		runes := []rune(text)
		for i := 0; i < len(runes); {
			end := min(len(runes), i+1+(i*int(ops)+int(step))%(1+int(step)))
			s.add(string(runes[i:end]), config.Mode == chunk.Auto)
			switch i = end; (i + int(ops)) % 23 {
			case 0:
				s.c.Flush()
				s.cuts[len(s.added)] = true
			case 1:
				s.c.Trigger()
				s.cuts[len(s.added)] = s.cuts[len(s.added)] || config.Mode == chunk.Schedule
			}
			s.take(1 + int(ops)%4)
		}
		s.finish()
	})
}
