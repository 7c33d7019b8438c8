package negotiate

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAccept(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][]Range{
		"":               nil,
		",, ,":           nil,
		"text/html":      {{"text/html", map[string]string{}, 1}},
		"Text/HTML;Q=.5": {{"text/html", map[string]string{"q": ".5"}, 0.5}},
		`a/b;p="x,y;\"z",c/d;q=0`: {
			{"a/b", map[string]string{"p": `x,y;"z`}, 1}, {"c/d", map[string]string{"q": "0"}, 0},
		},
		"a/b;q=2, a/b;q=-1, a/b;q=x, a/b;q=NaN, a/b;q=1e-3, a/b;q=0x1p-2, a/b;x, /, c/d": {{"c/d", map[string]string{}, 1}},
		`a/b;p="never ends, c/d`: nil,
		`a/b;p="\`:               nil,
	} {
		got := slices.Collect(Accept([]string{header}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Accept(%q) (-want +got):\n%s", header, diff)
		}
	}
	two := slices.Collect(Accept([]string{"a/b", "c/d;q=0.1"}))
	if len(two) != 2 || two[1].Weight != 0.1 {
		t.Errorf("of two lines: %v", two)
	}
	for first := range Accept([]string{"a/b, c/d", "e/f"}) {
		if first.Type != "a/b" {
			t.Errorf("the first is %q, want a/b", first.Type)
		}
		break
	}
}

func TestGzip(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"": false, "br": false, "gzip": true, "br, GZIP": true, "gzip;q=0": false, "gzip; q=0.0": false,
		"gzip;q=0.1, br": true, "gzip;Q=0": false, "gzip;q=x": false, "br;q=1, gzip;q=.5": true, "x-gzip": false, "gzip;x=0": true,
		"*": true, "*;q=0": false, "gzip;q=0, *": false, "gzip;q=0.1, identity;q=1": false, "gzip, identity": true, "identity;q=0, gzip;q=0.1": true, "gzip;q=1e-3": false,
	} {
		if got := Gzip([]string{header}); got != want {
			t.Errorf("Gzip(%q) = %v, want %v", header, got, want)
		}
	}
	if !Gzip([]string{"br", "gzip"}) || Gzip(nil) {
		t.Error("of two lines the second counts too, and of none nothing")
	}
}

func FuzzAccept(f *testing.F) {
	for _, s := range []string{"", "a/b", `a/b;p="x,y";q=0.5, */*`, `"`, `\`, "a/b;p*0=x;p*1=y", "a/b;q=1e-400"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if joined := strings.Join(slices.Collect(entries(header)), ","); joined != header {
			t.Errorf("the entries of %q joined are %q", header, joined)
		}
		for r := range Accept([]string{header}) {
			if r.Weight < 0 || r.Weight > 1 || r.Type == "" {
				t.Errorf("Accept(%q) has %+v", header, r)
			}
		}
		Gzip([]string{header})
	})
}
