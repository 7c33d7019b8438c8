package chunk_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"vaak/speech/chunk"
)

func TestClamped(t *testing.T) {
	t.Parallel()
	usual := []int{120, 160, 250, 290}
	for _, tt := range []struct {
		name      string
		got, want chunk.Config
	}{
		{"zero", chunk.Config{}, chunk.Config{ChunkWords: 4, PeekWords: 2, MaxChunkWords: 20, Characters: usual}},
		{"low", chunk.Config{Mode: chunk.Auto, ChunkWords: -1, PeekWords: -9, MaxChunkWords: -2, Characters: []int{}}, chunk.Config{Mode: chunk.Auto, ChunkWords: 1, PeekWords: 1, MaxChunkWords: 1, Characters: usual}},
		{"high", chunk.Config{ChunkWords: 51, PeekWords: 6, MaxChunkWords: 101}, chunk.Config{ChunkWords: 50, PeekWords: 5, MaxChunkWords: 100, Characters: usual}},
		{"bound below words", chunk.Config{ChunkWords: 9, MaxChunkWords: 8}, chunk.Config{ChunkWords: 9, PeekWords: 2, MaxChunkWords: 9, Characters: usual}},
		{"usual bound below words", chunk.Config{ChunkWords: 30}, chunk.Config{ChunkWords: 30, PeekWords: 2, MaxChunkWords: 30, Characters: usual}},
		{"schedule", chunk.Config{Characters: []int{0, 49, 50, 500, 501, -3}}, chunk.Config{ChunkWords: 4, PeekWords: 2, MaxChunkWords: 20, Characters: []int{50, 50, 50, 500, 500, 50}}},
	} {
		before := append([]int(nil), tt.got.Characters...)
		if diff := cmp.Diff(tt.want, tt.got.Clamped()); diff != "" {
			t.Errorf("%s: Clamped() (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(before, append([]int(nil), tt.got.Characters...)); diff != "" {
			t.Errorf("%s: Clamped changed what it was called on (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestAbbreviations(t *testing.T) {
	t.Parallel()
	c := chunk.New(chunk.Config{})
	c.Abbreviations(func(word string) bool { return word == "Abkz." })
	c.Add("Das ist Abkz. Eins. Zwei")
	got, ok := c.Next(false)
	want := chunk.Chunk{Text: "Das ist Abkz. Eins. ", Ends: true, Follows: true}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("Next() = %v (-want +got):\n%s", ok, diff)
	}
}

// TestBefore checks that what is kept of a sentence is bounded, in words and in
// code points, and whole words.
func TestBefore(t *testing.T) {
	t.Parallel()
	for name, word := range map[string]string{"short": "word ", "long": strings.Repeat("w", 90) + " ", "endless": strings.Repeat("w", 900) + " "} {
		c := chunk.New(chunk.Config{Mode: chunk.Eager})
		most := 0
		for range 200 {
			c.Add(word)
			got, ok := c.Next(true)
			if !ok {
				continue
			}
			n := len(got.Before)
			most = max(most, n)
			if n%len(word) != 0 || n > 30*len(word) || n > 500 {
				t.Fatalf("%s: %d bytes before", name, n)
			}
		}
		if want := min(30, 500/len(word)) * len(word); most != want {
			t.Errorf("%s: at most %d bytes before, want %d", name, most, want)
		}
	}
}

// TestEndless checks that a word without an end is not cut, and goes as it was
// when it is flushed.
func TestEndless(t *testing.T) {
	t.Parallel()
	for _, mode := range []chunk.Mode{chunk.Sentence, chunk.Eager, chunk.Schedule, chunk.Auto} {
		c := chunk.New(chunk.Config{Mode: mode})
		word := strings.Repeat("x", 5000)
		c.Add(word)
		c.Trigger()
		if got, ok := c.Next(false); ok {
			t.Errorf("mode %d: %q is ready", mode, got.Text)
		}
		c.Flush()
		if got, ok := c.Next(false); !ok || got.Text != word || !got.Ends {
			t.Errorf("mode %d: Next() = %d bytes, %v", mode, len(got.Text), ok)
		}
	}
}

// benchmarkTexts are what a session may be sent; the last have no spaces.
var benchmarkTexts = map[string]string{
	"sentences": "The quick brown fox jumps over the lazy dog, and then it rests. ",
	"endless":   "the quick brown fox jumps over the lazy dog and then it rests and ",
	"hindi":     "मैं आज स्कूल जा रहा हूँ। क्या आप भी आएँगे? ",
	"chinese":   "我昨天在北京买了一部手机，价格很贵！",
	"thai":      "วันนี้อากาศดีมากเราจะไปเที่ยวทะเลกันที่พัทยา",
	"letters":   "x",
	"dots":      ".",
	"digits":    "123 ",
}

// BenchmarkAdd adds texts one code point at a time and takes what is ready after
// each. The time is that of one code point, which must not grow with the number
// of them.
func BenchmarkAdd(b *testing.B) {
	for name, text := range benchmarkTexts {
		for mode, says := range []string{"sentence", "eager", "schedule", "auto"} {
			for _, size := range []int{5_000, 100_000} {
				runes := []rune(strings.Repeat(text, size/utf8.RuneCountInString(text)+1))[:size]
				b.Run(name+"/"+says+"/"+map[int]string{5_000: "5k", 100_000: "100k"}[size], func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						c := chunk.New(chunk.Config{Mode: chunk.Mode(mode)})
						for i := range runes {
							c.Add(string(runes[i : i+1]))
							for queued := false; ; queued = true {
								if _, ok := c.Next(queued); !ok {
									break
								}
							}
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/char")
				})
			}
		}
	}
}

// BenchmarkOneFragment adds 5,000 code points at once and takes the chunks.
func BenchmarkOneFragment(b *testing.B) {
	for name, text := range benchmarkTexts {
		whole := string([]rune(strings.Repeat(text, 5000))[:5000])
		for mode, says := range []string{"sentence", "eager", "schedule", "auto"} {
			b.Run(name+"/"+says, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c := chunk.New(chunk.Config{Mode: chunk.Mode(mode)})
					c.Add(whole)
					c.End()
					for queued := false; ; queued = true {
						if _, ok := c.Next(queued); !ok {
							break
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*5000), "ns/char")
			})
		}
	}
}
