package translit

import (
	"slices"
	"strings"
	"testing"

	"vaak/lang"
	"vaak/lang/langtest"
)

// request is one line of the Hinglish set: an English request, and the same as people
// type it in Hindi and English mixed.
type request struct{ english, mixed []string }

// readHinglish reads the set. Its README names the source.
func readHinglish(t *testing.T) (all []request) {
	t.Helper()
	for line := range langtest.Lines(t, "testdata/hinglish/train.tsv.gz") {
		english, mixed, _ := strings.Cut(line, "\t")
		if english != "en_query" {
			all = append(all, request{strings.Fields(english), strings.Fields(mixed)})
		}
	}
	if len(all) < 2900 {
		t.Fatalf("%d lines", len(all))
	}
	return all
}

// functionWords are Hindi words of grammar that are no English words.
var functionWords = strings.Fields(`ka ki ke ko se mein mai hai hain hoon hun tha thi kya kyu kyun kab kahan kaha kaun kaunsa kaunsi kitna kitni kitne kaise kaisa kaisi
	aur ya lekin agar toh jo jab tak bhi hi nahi nahin mat yeh ye yah woh vo us usko iska iski iske uska uski uske mera meri mere mujhe mujhko hum hame hamein hamare humare humari
	aap aapka aapki tum tumhara apna apni apne ek koi kuch sabhi sab saare saari liye baad pehle pahle wala wali wale kar karo kare karen karein karna karne karta karte karti kiya
	karke kardo hoga hogi honge raha rahi rahe gaya gayi gaye jaye jaega dikhao dikhaye batao bataye bataen bataiye sakta sakte sakti chahiye aaj kal abhi dein deni dijiye kijiye kijie lagao bhejo bhejen hua hui hue`)

// hinglishScore is what a reader of the set hears.
type hinglishScore struct{ lines, told, grammar, grammarRight, whole, wholeRight, english, kept int }

func measureHinglish(t *testing.T, hint lang.Tag, log func(format string, args ...any)) (s hinglishScore) {
	t.Helper()
	for _, r := range readHinglish(t) {
		in := map[string]bool{}
		for _, w := range r.english {
			in[strings.ToLower(w)] = true
		}
		s.english++
		labels := Label(r.english, hint)
		code, _ := Detect(strings.Join(r.english, " "))
		if code == "" && !slices.ContainsFunc(labels, func(c lang.Code) bool { return c != "" }) {
			s.kept++
		} else {
			log("English: %q = %q %q", r.english, code, labels)
		}
		if !slices.ContainsFunc(r.mixed, func(w string) bool { return slices.Contains(functionWords, strings.ToLower(w)) }) {
			continue
		}
		s.lines++
		if code, _ := Detect(strings.Join(r.mixed, " ")); code == "hi" {
			s.told++
		} else {
			log("told %q: %q", code, r.mixed)
		}
		labels = Label(r.mixed, hint)
		right := true
		s.whole++
		for k, w := range r.mixed {
			low := strings.ToLower(w)
			rank := rankOf(low)
			switch {
			case slices.Contains(functionWords, low) && !in[low]:
				s.grammar++
				if labels[k] == "hi" {
					s.grammarRight++
				} else {
					right = false
					log("grammar %q is %q in %q", w, labels[k], r.mixed)
				}
			// Words such as "me", "to", "the" and "is" are of both languages.
			case in[low] && rank > name && lexiconOf(hindi).exact[low] == "" && labels[k] != "":
				right = false
				log("English %q is %q in %q", w, labels[k], r.mixed)
			case !in[low] && rank == unknown && len(w) > 1 && w == low && strings.Trim(low, "abcdefghijklmnopqrstuvwxyz") == "" && labels[k] != "hi":
				right = false
				log("Hindi %q is %q in %q", w, labels[k], r.mixed)
			}
		}
		if right {
			s.wholeRight++
		}
	}
	return s
}

func TestHinglish(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		hint                               lang.Tag
		told, grammar, whole, englishStays float64 // per cent
	}{
		{lang.Tag{}, 97, 97, 90, 99},
		{lang.Tag{Code: "hi"}, 97, 97, 92, 99},
		{lang.Tag{Code: "hi", Script: "Latn"}, 97, 98, 95, 95},
	} {
		s := measureHinglish(t, tt.hint, func(string, ...any) {})
		t.Logf("%v: told %.1f %% of %d lines, grammar %.1f %% of %d words, whole %.1f %%, English %.1f %% of %d", tt.hint,
			percent(s.told, s.lines), s.lines, percent(s.grammarRight, s.grammar), s.grammar, percent(s.wholeRight, s.whole), percent(s.kept, s.english), s.english)
		if percent(s.told, s.lines) < tt.told || percent(s.grammarRight, s.grammar) < tt.grammar ||
			percent(s.wholeRight, s.whole) < tt.whole || percent(s.kept, s.english) < tt.englishStays {
			t.Errorf("%v: want at least %.0f, %.0f, %.0f and %.0f %%", tt.hint, tt.told, tt.grammar, tt.whole, tt.englishStays)
		}
	}
}

func percent(part, all int) float64 { return 100 * float64(part) / float64(max(all, 1)) }
