package rbnf

import (
	"strings"
	"testing"

	"vaak/text/normalize/cldr"
)

// TestRules says numbers by small sets of rules, each for one piece of the
// language.
func TestRules(t *testing.T) {
	t.Parallel()
	const digits = "0: zero; 1: one; 2: two; 3: three; 4: four; 5: five; 6: six; 7: seven; 8: eight; 9: nine; 10: ten;"
	for _, tt := range []struct{ name, rules, number, want string }{
		{"brackets left out", "%a:" + digits + "20: twenty[->>];", "20", "twenty"},
		{"brackets", "%a:" + digits + "20: twenty[->>];", "21", "twenty-one"},
		{"bar", "%a:" + digits + "100: [hundred >>|hundredth];", "100", "hundredth"},
		{"no bar", "%a:" + digits + "100: [hundred >>|hundredth];", "101", "hundred one"},
		{"multiple rolls back", "%a:" + digits + "100: << hundred[ >>];", "200", "two hundred"},
		{"radix of twenty", "%a:" + digits + "11: el; 12: tw; 80/20: <<x20[-and->>];", "92", "fourx20-and-tw"},
		{"divisor by radix", "%a:" + digits + "100: << h[ >>]; 1000: << t[ >>]; 100000/1000: << t[ >>];", "200003", "two h t three"},
		{"shift", "%a:" + digits + "20: <<ty[->>]; 1100>: << hundred[ >>];", "2000", "twoty hundred"},
		{"comma in base", "%a:" + digits + "1,000: << thousand;", "3000", "three thousand"},
		{"no base", "%a: zero; one; two;", "2", "two"},
		{"apostrophe keeps the space", "%a: 0: ' x;", "0", " x"},
		{"rule before", "%a: 0: z; 1: o; 2: t; 10: << ten; 20: <<+>>>;", "21", "t+z ten"},
		{"other set", "%a: 0: <%b; %b: 0: zero;", "0", "<%b"},
		{"private set", "%a: 0: =%%b=!; %%b: 0: zero;", "0", "zero!"},
		{"two equals", "%a: 0: =%%b==%%c=; %%b: 0: x; %%c: 0: y;", "0", "xy"},
		{"minus", "%a: -x: minus >>;" + digits, "-3", "minus three"},
		{"sign through another set", "%a: 0: =%b=; %b: -x: minus >>;" + digits, "-3", "minus three"},
		{"borrowed minus", "%a: " + digits + "%b: -x: minus >>;" + digits, "-3", "minus three"},
		{"no minus at all", "%a: " + digits, "-3", ""},
		{"minus zero", "%a: -x: minus >>;" + digits, "-0", "minus zero"},
		{"digit by digit", "%a: x.x: << point >>;" + digits, "3.10", "three point one zero"},
		{"digits together", "%a: x.x: <<.>>>;" + digits, "3.14", "three.onefour"},
		{"comma", "%a: x.x: << point >>; x,x: << comma >>;" + digits, "3.1", "three comma one"},
		{"below one", "%a: x.x: << point >>; 0.x: point >>;" + digits, "0.5", "point five"},
		{"brackets of x.x", "%a: x.x: [<< and ]>>;" + digits, "0.5", "five"},
		{"x.0", "%a: x.0: << sharp; x.x: << point >>;" + digits, "3.0", "three sharp"},
		{"brackets of x.0", "%a: x.0: <<[ point >>] only;" + digits, "3.5", "three point five only"},
		{"denominator", "%a: x.x: << and >%%f>;" + digits + "%%f: 10: <%a< tenths; 100: <%a< hundredths;", "3.05", "three and five hundredths"},
		{"least denominator", "%a: x.x: << and >%%f>;" + digits + "%%f: 10: <%a< tenths; 100: <%a< hundredths;", "3.50", "three and five tenths"},
		{"one and several", "%a: x.x: << and >%%f>;" + digits + "%%f: 2: a half; 4: a quarter; 4: <%a< quarters;", "3.75", "three and three quarters"},
		{"one quarter", "%a: x.x: << and >%%f>;" + digits + "%%f: 2: a half; 4: a quarter; 4: <%a< quarters;", "3.25", "three and a quarter"},
		{"zeros of the numerator", "%a: x.x: <<.>%%f>;" + digits + "%%f: 1000: <%a<<;", "3.005", "three.zero zero five"},
		{"cardinal", "%a: " + digits + "1000: << $(cardinal,few{tisíce}other{tisíc})$;", "3000", "three tisíce"},
		{"cardinal other", "%a: " + digits + "1000: << $(cardinal,few{tisíce}other{tisíc})$;", "7000", "seven tisíc"},
		{"exact", "%a: " + digits + "1000: << $(cardinal,=7{heap}other{tisíc})$;", "7000", "seven heap"},
		{"infinity", "%a: Inf: endless;" + digits, "Inf", "endless"},
		{"not a number", "%a: NaN: nothing;" + digits, "NaN", "nothing"},
		{"pattern is no word", "%a: " + digits + "11: =#,##0=;", "12", ""},
		{"fraction would be lost", "%a: " + digits, "1.5", ""},
		{"least rule too great", "%a: 5: five;", "3", ""},
		{"soft hyphen and NFC", "%a: 0: e\u0301\u00adx;", "0", "éx"},
		{"mark joins", "%a: 0: e=%%b=; %%b: 0: \u0301;", "0", "é"},
		{"comment", "# of 2; and more\n%a:\n# again\n0: zero;", "0", "zero"},
		{"arrows", "%a: -x: minus →→;" + digits + "100: ←← h;", "300", "three h"},
		{"lenient parse is no set of rules", "%%lenient-parse:\n&[last primary ignorable ] << ' ' << ',';\n%a: 0: zero;", "0", "zero"},
		{"endless", "%a: 0: =%b=; %b: 0: =%a=;", "0", ""},
		{"endless and wide", "%a: 0: =%b==%b=; %b: 0: =%a==%a=;", "0", ""},
		{"too long", "%a: 0: " + strings.Repeat("x", maxWords+1) + ";", "0", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := Parse(tt.rules, cldr.Of("cs"))
			if err != nil {
				t.Fatal(err)
			}
			got, ok := f.Format("a", tt.number)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("Format(%q) by %q = %q, %v, want %q", tt.number, tt.rules, got, ok, tt.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, rules := range []string{
		"", "%a: 5: x; 4: y;", "%a: 1z: x;", "%a: 10/0: x;", "%a: 10/1: x;", "%a: 1>: x;", "%a: 0: =%b=;",
		"%a: 0: $(cardinal,one{x)$;", "%a: 0: $(gender,one{x})$;", "%a: 0: $(cardinal,heap{x})$;",
		"%a: 99999999999999999999: x;", strings.Repeat("x", maxRules+1),
	} {
		if f, err := Parse(rules, nil); err == nil {
			t.Errorf("Parse(%.40q) = %v, want an error", rules, f.Sets())
		}
	}
}

func TestSets(t *testing.T) {
	t.Parallel()
	f, err := Parse("%a: 0: x;\n%%b: 0: y;\n%c@noparse: 0: z;", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.Sets(), " "); got != "a c" {
		t.Errorf("Sets() = %q, want %q", got, "a c")
	}
	for name, want := range map[string]bool{"a": true, "c": true, "b": false, "%b": false, "%a": false, "": false} {
		if got := f.Has(name); got != want {
			t.Errorf("Has(%q) = %v, want %v", name, got, want)
		}
	}
}
