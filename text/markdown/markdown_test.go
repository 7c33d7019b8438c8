package markdown_test

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"vaak/text/markdown"
)

// Line ends are written as ¶ here.
var cases = []struct{ name, text, want string }{
	// What only looks like markup.
	{"product", "2 * 3 * 4", "2 * 3 * 4"},
	{"tight product", "5*6 and a*b*c", "5*6 and a*b*c"},
	{"half tight", "2 *3", "2 *3"},
	{"power", "2**3", "2**3"},
	{"stars of a hotel", "a 5* hotel for 20*", "a 5* hotel for 20*"},
	{"names", "snake_case, a_b, __init__.py and _private", "snake_case, a_b, __init__.py and _private"},
	{"number sign", "#5 is # 5, C# and #tag", "#5 is # 5, C# and #tag"},
	{"number sign first", "# 5", "# 5"},
	{"minus", "-5 degrees", "-5 degrees"},
	{"about", "~5 or ~5 to ~6", "~5 or ~5 to ~6"},
	{"more than", ">5 and > 5", ">5 and > 5"},
	{"more than first", "> 5", "> 5"},
	{"backtick", "a ` here", "a ` here"},
	{"sic", "he go [sic] (there)", "he go [sic] (there)"},
	{"places", "a[0](x y) and a[1][2]", "a[0](x y) and a[1][2]"},
	{"day", "1. Mai", "1. Mai"},
	{"days", "Termine:¶1. Mai¶3. Oktober", "Termine:¶1. Mai¶3. Oktober"},
	{"ordinal", "1. FC Köln", "1. FC Köln"},
	{"year", "Er kam¶2024. Dann ging er", "Er kam¶2024. Dann ging er"},
	{"money", "between $5 and $10, or $5-$10 or US$5 and C$6.", "between $5 and $10, or $5-$10 or US$5 and C$6."},
	{"more money", "$5/month, $5 million, $1,000.50 (or $7), $5k and $10k", "$5/month, $5 million, $1,000.50 (or $7), $5k and $10k"},
	{"shell", "$HOME/bin:$PATH", "$HOME/bin:$PATH"},
	{"path", `C:\Users\_me and C:\*`, `C:\Users\_me and C:\*`},
	{"entities not", "AT&T; R&D &c; &", "AT&T; R&D &c; &"},
	{"less than", "a < b and x <y", "a < b and x <y"},
	{"tags", `un<emphasis level="*">x</emphasis> <i>y</i>`, `un<emphasis level="*">x</emphasis> <i>y</i>`},
	{"bars", "a | b |c|", "a | b |c|"},
	{"lines", "Anna Lee¶12 High Street¶London", "Anna Lee¶12 High Street¶London"},
	{"smile", "well ^_^ and :*", "well ^_^ and :*"},
	{"bleep", "f*ck", "f*ck"},
	{"globs", "*.txt and a.*b", "*.txt and a.*b"},

	// Emphasis.
	{"strong", "a **bold** word", "a bold word"},
	{"weak", "*all of it*.", "all of it."},
	{"both", "***red and gold***, **a *b* c**", "red and gold, a b c"},
	{"with marks", "**Short answer:** yes, (*no*) “**x**”", "Short answer: yes, (no) “x”"},
	{"touching", "**Monday:**walk and **Na**maste", "Monday:walk and Namaste"},
	{"chinese", "这是**重点**内容，*也*是", "这是重点内容，也是"},
	{"underscores", "_so_ and __so__ it _is here_.", "so and so it is here."},
	{"underscore of a name", "_a_b_ c", "a_b c"},
	{"not closed", "**Note: all", "Note: all"},
	{"footnote sign", "*Terms apply", "Terms apply"},
	{"struck", "~~live~~ → **lives**", "live → lives"},
	{"emphasis with money", "**$5** and *5 kg*", "$5 and 5 kg"},
	{"escaped", `5\*6, \*not\*, snake\_case, \# and \[note\]`, `5*6, *not*, snake_case, # and [note]`},

	// Code.
	{"code", "type `pip install` or ``a`b``", "type pip install or a`b"},
	{"code is literal", "`a*b* _c_ #` and `**x**`", "a*b* _c_ # and **x**"},
	{"fence", "Run:¶¶```js¶a *b*¶# c¶```¶¶Done **now**.", "Run:¶¶¶Done now."},
	{"fence of tildes", "Run:¶~~~¶a¶~~~¶Done", "Run:¶¶Done"},
	{"open fence", "Run:¶```¶a¶``¶b", "Run:¶"},
	{"fence in a list", "- a¶  ```¶  x¶  ```¶- b", "a¶¶b"},
	{"longer fence", "````¶```¶x¶````¶y", "y"},
	{"fence in a line", "```x``` y", "x y"},

	// Blocks.
	{"heading", "## How to¶Start", "How to¶¶Start"},
	{"closed heading", "### a # b ###¶c", "a # b¶¶c"},
	{"numbered heading", "x¶## 1. Titel¶y", "x¶¶1¶¶Titel¶¶y"},
	{"underlined heading", "Title¶=====¶text¶¶Second¶---¶more", "Title¶¶text¶¶Second¶¶more"},
	{"list", "Buy:¶- a¶* b¶+ c¶• d", "Buy:¶¶a¶¶b¶¶c¶¶d"},
	{"nested", "- a¶  - b¶    1. c", "a¶¶b¶¶1¶¶c"},
	{"note", "* note", "note"},
	{"tasks", "- [ ] a¶- [x] b¶- [sic] c", "a¶¶b¶¶[sic] c"},
	{"numbers", "Do:¶1. a¶2. b¶¶3) c", "Do:¶¶1¶¶a¶¶2¶¶b¶¶3¶¶c"},
	{"numbers at the start", "1. a¶2. b", "1¶¶a¶¶2¶¶b"},
	{"number at the start", "1. Platz¶Gut", "1. Platz¶Gut"},
	{"numbers in Hindi", "करें:¶१. एक¶२. दो", "करें:¶¶१¶¶एक¶¶२¶¶दो"},
	{"continued", "- a¶  b¶- c", "a¶  b¶¶c"},
	{"rule", "a¶***¶b¶¶- - -¶¶c", "a¶¶b¶¶¶c"},
	{"quotation", "He:¶> a¶> b¶>¶> c¶¶d", "He:¶¶a¶b¶¶c¶¶d"},
	{"list in quotation", "> - a¶> - **b**", "a¶¶b"},
	{"table", "x:¶¶| A | B |¶|---|:-:|¶| 1 |  |¶|c. | *d* |¶¶y", "x:¶¶A, B¶¶1¶¶c. d¶¶y"},
	{"open table", "A | B¶--- | ---¶c | d¶¶y | z", "A | B¶¶c, d¶¶y | z"},
	{"bar in a cell", `| a \| b | c |`, "a | b, c"},

	// Links.
	{"link", "see [the guide](https://x.org/a_b_(c) \"Title *x*\").", "see the guide."},
	{"image", "![a cat](cat.png) here", "a cat here"},
	{"badge", "[![build](a.svg)](https://x.org) ok", "build ok"},
	{"emphasis in a link", "[**a** b](u)", "a b"},
	{"no address", "[a b](c d)", "[a b](c d)"},
	{"footnotes", "so[^1] it is.¶¶[^1]: A note.", "so it is.¶¶A note."},
	{"numbered link", "see [the guide][1].¶¶[1]: https://x.org", "see the guide.¶¶"},
	{"address", "see https://x.org, https://x.org/, (https://x.org/a/b?c=*d) and http://x.org/a_b.", "see https://x.org, https://x.org, (https://x.org) and http://x.org."},
	{"host", "x.org/a/b", "x.org/a/b"},
	{"angled", "<https://x.org/a> and <mailto:a@b.org>", "https://x.org and a@b.org"},
	{"break", "a<br>b<!-- c -->", "a¶b"},
	{"entities", "a &amp; b &copy; &lt;5 &#39;x&#39;&nbsp;y", "a & b © <\u20605 'x' y"},

	// Mathematics.
	{"formula", "then $E = mc^2$ and $x + y = 10$.", "then E = m c² and x + y = 10."},
	{"fraction", `\(\frac{1}{2} \times \frac{a}{b}\)`, `1/2 × a ÷ b`},
	{"root", `$$\sqrt{x} \leq 2\pi$$`, `√x ≤ 2 pi`},
	{"display", `\[ a - b_1 = \text{rate} \]`, `a − b 1 = rate`},
	{"product with a letter", "so $2x + 3 = 7$, $5 - 2$ and $3/4$", "so 2 x + 3 = 7, 5 − 2 and 3/4"},
	{"variable", "let $n$ be 5", "let n be 5"},
	{"powers", `$10^{-3} + x^n$`, `10^-3 + x^n`},
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, tt := range cases {
		s, want := strings.ReplaceAll(tt.text, "¶", "\n"), strings.ReplaceAll(tt.want, "¶", "\n")
		got, m, _ := markdown.Read(s, markdown.Options{})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: Read(%q) (-want +got):\n%s", tt.name, s, diff)
		}
		if m != nil {
			if err := m.Check(len(got), len(s)); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
		for range 5 {
			if diff := cmp.Diff(got, inTokens(t, s)); diff != "" {
				t.Errorf("%s: in tokens (-whole +tokens):\n%s", tt.name, diff)
			}
		}
	}
}

// inTokens reads a text in fragments cut at random.
func inTokens(t testing.TB, s string) string {
	t.Helper()
	r := markdown.New(markdown.Options{})
	rest := []rune(s)
	var out strings.Builder
	for len(rest) > 0 {
		n := min(1+rand.IntN(6), len(rest))
		r.Add(string(rest[:n]))
		rest = rest[n:]
		out.WriteString(r.Take())
	}
	r.End()
	out.WriteString(r.Take())
	if err := r.Map().Check(out.Len(), len(s)); err != nil {
		t.Errorf("in tokens: %v", err)
	}
	return out.String()
}

func FuzzRead(f *testing.F) {
	for _, tt := range cases {
		f.Add(strings.ReplaceAll(tt.text, "¶", "\n"))
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			t.Skip("the front end refuses text that is not UTF-8 before it gets here")
		}
		got, m, _ := markdown.Read(s, markdown.Options{})
		if m != nil {
			if err := m.Check(len(got), len(s)); err != nil {
				t.Fatalf("Read(%q): %v", s, err)
			}
		}
		// Signs look so far ahead at most; in longer lines of them tokens may decide earlier.
		if again := inTokens(t, s); len(s) < 250 && again != got {
			t.Fatalf("%q is read whole %q, in tokens %q", s, got, again)
		}
	})
}

// The work grows with the text alone, however hostile it is.
func TestReadIsLinear(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread() // for cpuTime
	defer runtime.UnlockOSThread()
	for _, piece := range []string{"[", "![", "*", "_", "_a", " _a", "`a", "``", "$x+", "\\(", "<a", "|", "| ", "> ", "- ", "1. ", "[^", "~~", "&a", "```\n", "http://", "#", "\n|", "[a](", "^{", "$\\frac{", "$$\\frac", "a* "} {
		took := func(n int) time.Duration {
			s := strings.Repeat(piece, n/len(piece))
			least := time.Hour
			for range 3 {
				start := cpuTime(t)
				markdown.Read(s, markdown.Options{})
				least = min(least, cpuTime(t)-start)
			}
			return least
		}
		if short, long := took(20_000), took(80_000); long > 16*short+50*time.Millisecond {
			t.Errorf("%q: 20,000 bytes take %v, 80,000 take %v", piece, short, long)
		}
	}
}

// cpuTime returns the time that the processor spent on this thread, which does not grow while
// other programs run.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	const thisThread = 1 // RUSAGE_THREAD of getrusage(2)
	var use syscall.Rusage
	if err := syscall.Getrusage(thisThread, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

func BenchmarkRead(b *testing.B) {
	for name, piece := range map[string]string{
		"plain":    "The quick brown fox jumps over it. ",
		"markdown": "## Title\n\nSome **bold** and `code`, [a link](https://x.org/a).\n\n- one\n- two\n\n| a | b |\n|---|---|\n| c | d |\n\n",
		"brackets": "[",
	} {
		s := strings.Repeat(piece, 5000/len(piece))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				markdown.Read(s, markdown.Options{})
			}
		})
	}
}
