package timbre

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"vaak/lang"
	"vaak/voice"
)

// report prints what was measured, for a person.
func (s survey) report(w io.Writer) {
	for _, l := range lang.All() {
		if voices := s.of(l.Code); len(voices) > 0 {
			s.reportLanguage(w, l, voices)
		}
	}
	s.reportAll(w)
}

// of returns the voices of a native language.
func (s survey) of(code lang.Code) []voice.Voice {
	var list []voice.Voice
	for _, v := range s.voices {
		if v.Native == code {
			list = append(list, v)
		}
	}
	return list
}

// reportLanguage prints the distances inside a language, in dB, as a triangle.
func (s survey) reportLanguage(w io.Writer, l lang.Language, voices []voice.Voice) {
	fmt.Fprintf(w, "\n%s (%s)\n%-14s %-6s %5s %5s %6s %6s %5s  distance in dB from the voices above, in their order\n",
		l.Name, l.Code, "voice", "gender", "Hz", "range", "LUFS", "peak", "self")
	for i, v := range voices {
		t := s.takes[v.ID]
		fmt.Fprintf(w, "%-14s %-6s %5.0f %5.1f %6.1f %6d %5.2f ", v.Name, v.Gender, t.f0(), t.span(), t.lufs, t.peak, t.self.sentences)
		for _, u := range voices[:i] {
			fmt.Fprintf(w, " %5.1f", s.pair(u, v).distance)
		}
		fmt.Fprintln(w)
	}
}

// reportAll prints the figures over all languages.
func (s survey) reportAll(w io.Writer) {
	pairs := s.pairs()
	if len(pairs) == 0 {
		return
	}
	nearest := slices.MinFunc(pairs, func(p, q pair) int { return cmp.Compare(p.distance, q.distance) })
	tightest := slices.MinFunc(pairs, func(p, q pair) int { return cmp.Compare(p.ratio, q.ratio) })
	holds, byTimbre := 0, 0
	var distances, ratios, selves, sets []float64
	for _, p := range pairs {
		distances, ratios = append(distances, p.distance), append(ratios, p.ratio)
		if p.ratio >= floor {
			holds++
		}
		if p.timbresRatio >= floor {
			byTimbre++
		}
	}
	for _, t := range s.takes {
		selves, sets = append(selves, t.self.sentences), append(sets, t.self.sets)
	}
	fmt.Fprintf(w, "\n%d voices, %d pairs inside %d native languages\n", len(s.voices), len(pairs), s.languages())
	fmt.Fprintf(w, "distance of a pair: smallest %.2f dB (%s and %s, %s), median %.2f dB\n",
		nearest.distance, nearest.a.Name, nearest.b.Name, nearest.a.Native, median(distances))
	fmt.Fprintf(w, "distance of a voice from itself: between two sentences median %.2f dB, largest %.2f dB; between two sets median %.2f dB, largest %.2f dB\n",
		median(selves), slices.Max(selves), median(sets), slices.Max(sets))
	fmt.Fprintf(w, "pair against self: smallest %.2f (%s and %s, %s), median %.2f\n",
		tightest.ratio, tightest.a.Name, tightest.b.Name, tightest.a.Native, median(ratios))
	fmt.Fprintf(w, "the floor of %.1f is held by %d pairs, and by timbre alone by %d\n", floor, holds, byTimbre)
	softest, loudest := s.extremes(func(t take) float64 { return t.lufs })
	_, highest := s.extremes(func(t take) float64 { return float64(t.peak) })
	fmt.Fprintf(w, "level: %.2f LUFS (%s, %s) to %.2f LUFS (%s, %s); highest sample %d of 32,767 (%s, %s)\n",
		s.takes[softest.ID].lufs, softest.Name, softest.Native, s.takes[loudest.ID].lufs, loudest.Name, loudest.Native,
		s.takes[highest.ID].peak, highest.Name, highest.Native)
}

// languages returns how many native languages there are.
func (s survey) languages() int {
	seen := map[lang.Code]bool{}
	for _, v := range s.voices {
		seen[v.Native] = true
	}
	return len(seen)
}
