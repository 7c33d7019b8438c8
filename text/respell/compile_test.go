package respell

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"vaak/lang"
)

func TestDigest(t *testing.T) {
	t.Parallel()
	rules := list(rule("API", "a", only("hi", "en-IN"), except("ta")), rule("b", "c", exact), rule("d", "e", inWord))
	want := Compile(rules).Digest()
	change := func(i int, f func(*Rule)) []Rule {
		changed := slices.Clone(rules)
		f(&changed[i])
		return changed
	}
	for name, other := range map[string][]Rule{
		"term":       change(0, func(r *Rule) { r.Term = "APIs" }),
		"respelling": change(0, func(r *Rule) { r.Respelling = "b" }),
		"only":       change(0, func(r *Rule) { r.Only = []string{"hi"} }),
		"except":     change(0, func(r *Rule) { r.Except = nil }),
		"moved":      change(0, func(r *Rule) { r.Only, r.Except = r.Except, r.Only }),
		"casing":     change(1, func(r *Rule) { r.CaseSensitive = false }),
		"words":      change(2, func(r *Rule) { r.InWords = false }),
		"border":     change(1, func(r *Rule) { r.Term, r.Respelling = "bc", "" }),
		"order":      {rules[1], rules[0], rules[2]},
		"fewer":      rules[:2],
		"none":       nil,
	} {
		if Compile(other).Digest() == want {
			t.Errorf("%s: the digest is that of other rules", name)
		}
	}
	for name, same := range map[string][]Rule{
		"again":     slices.Clone(rules),
		"languages": change(0, func(r *Rule) { r.Only = []string{"en_IN", "Hindi", "hi-IN", "hi"} }),
	} {
		if Compile(same).Digest() != want {
			t.Errorf("%s: the digest differs", name)
		}
	}
}

func TestLen(t *testing.T) {
	t.Parallel()
	for _, rules := range [][]Rule{nil, list(rule("a", "b")), list(rule("a", "b"), rule("a", ""))} {
		if got := Compile(rules).Len(); got != len(rules) {
			t.Errorf("Len of %v = %d, want %d", rules, got, len(rules))
		}
	}
}

// TestSize measures what dictionaries take, so it runs alone.
func TestSize(t *testing.T) {
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	for name, make := range map[string]func() []Rule{
		"words":  func() []Rule { return realistic("en") },
		"Hindi":  func() []Rule { return realistic("hi") },
		"long":   longRules,
		"scoped": scopedRules,
	} {
		Compile(make()).view(lang.Tag{Code: "tr"}) // what is built once
		const n = 8
		ds := [n]*Dictionary{}
		before := heap()
		for i := range ds {
			ds[i] = Compile(make())
			ds[i].view(lang.Tag{Code: "en"})
			ds[i].view(lang.Tag{Code: "tr"})
			for _, t := range []*trie{ds[i].cased, ds[i].folded, ds[i].turkic()} {
				t.links()
			}
		}
		used := (heap() - before) / n
		got := ds[0].Size()
		runtime.KeepAlive(ds)
		t.Logf("%s: Size = %d, used %d", name, got, used)
		if got < used*2/3 || got > used*2 {
			t.Errorf("%s: Size = %d, used are %d bytes", name, got, used)
		}
	}
}

// longRules have the longest terms, each other than the rest from its first letters on.
func longRules() []Rule {
	var rules []Rule
	for i := range MaxRules {
		rules = append(rules, rule(fmt.Sprintf("%04d", i)+strings.Repeat("Iß", MaxTerm/2-2), strings.Repeat("ए", MaxRespelling)))
	}
	return rules
}

// scopedRules have all languages, each in lists of its own.
func scopedRules() []Rule {
	var rules []Rule
	all := lang.All()
	for i := range 200 {
		var names []string
		for k := range MaxLanguages - i%40 {
			names = append(names, string(all[(k+i)%len(all)].Code))
		}
		rules = append(rules, rule(fmt.Sprint("term", i), "x", only(names...), except("de-AT")))
	}
	return rules
}

// TestTogether is for the race detector: requests share a dictionary.
func TestTogether(t *testing.T) {
	t.Parallel()
	d := Compile(list(rule("INDIA", "x"), rule("API", "y", only("tr"))))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				request, want := lang.Tag{Code: "tr"}, "india y" // i is no I
				if i%2 == 0 {
					request, want = lang.Tag{Code: "en"}, "x API"
				}
				if got := replaced("india API", Dictionaries{d}.Find("india API", request)); got != want {
					t.Errorf("for %v it is read %q, want %q", request, got, want)
				}
			}
		})
	}
	wg.Wait()
}

// adversarial are rules that are led far through many texts.
func adversarial() map[string][]Rule {
	var inside, words, dead []Rule
	for n := range MaxTerm {
		inside = append(inside, rule(strings.Repeat("a", n+1), "x", inWord))
		words = append(words, rule(strings.TrimSpace(strings.Repeat("a ", n/2+1)), "x"))
		dead = append(dead, rule(strings.Repeat("a", n)+"b", "x", inWord), rule(strings.Repeat("A", n)+"b", "x", inWord, exact))
	}
	for n := range 744 {
		dead = append(dead, rule(strings.Repeat("a", 120)+string(rune(0x4E00+n)), "x", inWord))
	}
	return map[string][]Rule{"inside": inside, "words": words, "dead": dead}
}

// TestSteps counts how far texts are led through the rules: for every character at
// most the longest term, in each of two forms, however many rules there are.
func TestSteps(t *testing.T) {
	t.Parallel()
	steps := func(rules []Rule, s string) int {
		ds := Dictionaries{Compile(rules)}
		f := newSearch(s, ds, lang.Tag{}, false)
		f.apply(ds[0], 0)
		return f.steps
	}
	for name, rules := range adversarial() {
		for _, s := range []string{strings.Repeat("a", 5000), strings.Repeat("a ", 2500), strings.Repeat("ab", 2500), strings.Repeat("Aa", 2500)} {
			once, twice := steps(rules, s), steps(rules, s+s)
			if once > 2*MaxTerm*5000 {
				t.Errorf("%s, %.4q: %d steps for 5000 characters", name, s, once)
			}
			if twice > 2*once+2*MaxTerm*MaxTerm {
				t.Errorf("%s, %.4q: %d steps, %d for twice the text", name, s, once, twice)
			}
		}
	}
	english := prose("en")
	few, many := steps(realistic("en")[:10], english), steps(realistic("en"), english)
	if n := len(english); few > 2*n || many > 2*n {
		t.Errorf("%d and %d steps for %d bytes of English", few, many, n)
	}
}

// realistic returns a thousand rules as organisations have them.
func realistic(code string) []Rule {
	syllables := map[string]string{
		"en": "ka lo mi ne ra tu ver sys dat net cloud py ops",
		"hi": "का लो मि ने रा तु वर सिस क्ष नेट ज़ो पी प्र",
		"zh": "中 国 人 工 智 能 银 行 数 据 云 海 北",
	}[code]
	parts := strings.Fields(syllables)
	rules := list(rule("API", "A P I"), rule("nginx", "engine x"), rule("SQL", "sequel", exact), rule("C++", "see plus plus"))
	for i := 0; len(rules) < MaxRules; i++ {
		term := parts[i%13] + parts[i/13%13] + parts[(i/169+i)%13]
		if code == "en" && i%5 == 0 {
			term += " " + parts[i%7]
		}
		rules = append(rules, rule(term, "respelt "+parts[i%13]))
	}
	return rules
}

// prose returns five thousand characters in a language.
func prose(code string) string {
	sentence := map[string]string{
		"en":    "The API of our nginx server was slow, so the team looked at kaloka and lomira in New York. ",
		"hi":    "हमारे सर्वर की गति धीमी थी, इसलिए काम करने वाली टीम ने दिल्ली में क्षेत्र की जाँच की। ",
		"mixed": "हमारा API server slow था, तो team ने nginx को restart किया और database देखा। ",
		"zh":    "我们的服务器很慢，所以团队在北京检查了API和数据库，中国银行的人工智能也在海云。",
	}[code]
	rs := []rune(strings.Repeat(sentence, 5000/len([]rune(sentence))+1))
	return string(rs[:5000])
}

func BenchmarkFind(b *testing.B) {
	bench := func(name string, rules []Rule, s string, request lang.Tag) {
		b.Run(name, func(b *testing.B) {
			ds := Dictionaries{Compile(rules)}
			ds.Find(s, request)
			b.ReportAllocs()
			for b.Loop() {
				ds.Find(s, request)
			}
		})
	}
	bench("English", realistic("en"), prose("en"), lang.Tag{Code: "en"})
	bench("Hindi", realistic("hi"), prose("hi"), lang.Tag{Code: "hi"})
	bench("mixed", slices.Concat(realistic("en")[:500], realistic("hi")[:500]), prose("mixed"), lang.Tag{Code: "hi"})
	bench("Chinese", realistic("zh"), prose("zh"), lang.Tag{Code: "zh"})
	bench("Turkish", realistic("en"), prose("en"), lang.Tag{Code: "tr"})
	bench("dead ends", deadEnds(), strings.Repeat("a", 5000), lang.Tag{})
	bench("dead ends spaced", deadEnds(), strings.Repeat("a ", 2500), lang.Tag{})
	for name, rules := range adversarial() {
		bench("adversarial "+name, rules, strings.Repeat("a", 5000), lang.Tag{})
		bench("adversarial "+name+" spaced", rules, strings.Repeat("a ", 2500), lang.Tag{})
	}
}

func BenchmarkFindOpen(b *testing.B) {
	ds := Dictionaries{Compile(realistic("en"))}
	s := prose("en")[:200]
	b.ReportAllocs()
	for b.Loop() {
		ds.FindOpen(s, lang.Tag{Code: "en"})
	}
}

func BenchmarkCompile(b *testing.B) {
	for name, rules := range map[string][]Rule{"words": realistic("en"), "Hindi": realistic("hi"), "long": longRules(), "scoped": scopedRules()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Compile(rules)
			}
		})
	}
}
