package voice

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"vaak/lang"
)

func TestRosterHasItsNumbers(t *testing.T) {
	t.Parallel()
	all := All()
	if len(all) != 320 {
		t.Errorf("All() has %d voices, want 320", len(all))
	}
	natives := 0
	for _, l := range lang.All() {
		n := len(ForLanguage(l.Code))
		switch {
		case l.NativeVoices && n < 3:
			t.Errorf("%s has %d voices, want 3 at least", l.Code, n)
		case !l.NativeVoices && n > 0:
			t.Errorf("%s has %d voices, want none", l.Code, n)
		}
		if n > 0 {
			natives++
		}
	}
	if natives != 78 {
		t.Errorf("voices have %d native languages, want 78", natives)
	}
	for code, want := range map[lang.Code]int{"en": 14, "hi": 12, "bn": 8, "ur": 8, "es": 5, "ja": 5, "or": 4, "ko": 4, "sw": 3} {
		if got := len(ForLanguage(code)); got != want {
			t.Errorf("%s has %d voices, want %d", code, got, want)
		}
	}
}

func TestGendersAreBalanced(t *testing.T) {
	t.Parallel()
	count := map[lang.Code]map[Gender]int{}
	women := 0
	for _, v := range All() {
		if count[v.Native] == nil {
			count[v.Native] = map[Gender]int{}
		}
		count[v.Native][v.Gender]++
		if v.Gender == Female {
			women++
		}
	}
	if women != 160 {
		t.Errorf("%d voices are women's, want 160", women)
	}
	for code, n := range count {
		if d := n[Female] - n[Male]; d < -1 || d > 1 || n[Neutral] > 0 {
			t.Errorf("%s has %v", code, n)
		}
	}
}

// Ids are in the hands of callers. This digest may change when voices are
// added; it must not when nothing was added.
func TestIDsNeverChange(t *testing.T) {
	t.Parallel()
	const golden = "6258c3004883c373302f39f8f70a98f308af0ae4b2b42429134671063c4f9f71"
	form := regexp.MustCompile(`^sv_[a-z2-7]{16}$`)
	var ids []string
	for _, v := range All() {
		if !form.MatchString(string(v.ID)) {
			t.Errorf("id %q is not sv_ and 16 characters of a-z2-7", v.ID)
		}
		ids = append(ids, string(v.ID))
	}
	slices.Sort(ids)
	if n := len(slices.Compact(slices.Clone(ids))); n != len(ids) {
		t.Errorf("%d ids of %d are different", n, len(ids))
	}
	sum := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	if got := hex.EncodeToString(sum[:]); got != golden {
		t.Errorf("digest of the ids = %s, want %s", got, golden)
	}
}

// varieties are what the ways of speaking of regions are called.
var varieties = map[string]string{
	"US": "American", "GB": "British", "ES": "European", "419": "Latin American", "BR": "Brazilian", "PT": "European",
	"FR": "European", "AM": "Eastern",
}

func TestVoicesAreWhole(t *testing.T) {
	t.Parallel()
	names := map[string]ID{}
	for _, v := range All() {
		l, ok := lang.Lookup(v.Native)
		if !ok {
			t.Errorf("%s: native language %q is not supported", v.ID, v.Native)
			continue
		}
		if other, ok := names[v.Name]; ok {
			t.Errorf("%s and %s are both named %s", v.ID, other, v.Name)
		}
		names[v.Name] = v.ID
		band := "standard"
		if v.Native == "ar" || v.Native == "he" {
			band = "basic"
		}
		accent := l.Name
		if v.Region != "" {
			accent = varieties[v.Region] + " " + l.Name
		} else if strings.HasSuffix(l.BCP47, "-IN") {
			accent += " (Indian)"
		}
		got := Voice{Accent: v.Accent, QualityBand: v.QualityBand, NativeSource: v.NativeSource, PreviewLanguage: v.PreviewLanguage}
		want := Voice{Accent: accent, QualityBand: band, NativeSource: !l.BorrowedPhonology, PreviewLanguage: v.Native}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", v.ID, d)
		}
		if !strings.Contains(v.Description, l.Name) || !strings.Contains(v.Description, " "+string(v.Gender)+" voice") {
			t.Errorf("%s, %s %s: description %q", v.ID, v.Gender, l.Name, v.Description)
		}
		for _, s := range []string{v.Name, v.Accent, v.Description} {
			if s == "" || strings.TrimSpace(s) != s || !norm.NFC.IsNormalString(s) {
				t.Errorf("%s: %q is empty, has space around it or is not in NFC", v.ID, s)
			}
		}
	}
}

func TestAllIsInTheOrderOfLanguages(t *testing.T) {
	t.Parallel()
	var want []Voice
	for _, l := range lang.All() {
		want = append(want, ForLanguage(l.Code)...)
	}
	if d := cmp.Diff(want, All()); d != "" {
		t.Errorf("All() (-by language +got):\n%s", d)
	}
	All()[0] = Voice{}
	ForLanguage("en")[0] = Voice{}
	if All()[0].ID == "" || ForLanguage("en")[0].ID == "" {
		t.Error("a caller can change the roster")
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, v := range All() {
		if got, ok := Lookup(v.ID); !ok || got != v {
			t.Errorf("Lookup(%q) = %+v, %v", v.ID, got, ok)
		}
	}
	for _, id := range []ID{"", "sv_", "alloy", ID(strings.ToUpper(string(All()[0].ID)))} {
		if got, ok := Lookup(id); ok {
			t.Errorf("Lookup(%q) = %+v, want none", id, got)
		}
	}
}

func TestDefault(t *testing.T) {
	t.Parallel()
	for _, l := range lang.All() {
		want := l.Code
		if s, ok := standIns[l.Code]; ok {
			want = s
		}
		if got := Default(l.Code); got.Native != want || got != ForLanguage(want)[0] {
			t.Errorf("Default(%q) = %s of %q, want the first of %q", l.Code, got.ID, got.Native, want)
		}
	}
	if got := DefaultVoice(); got.Native != "en" || Default("xx") != got {
		t.Errorf("DefaultVoice() = %+v, Default of an unknown code = %+v", got, Default("xx"))
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	v := ForLanguage("kok")[0]
	want := map[string]string{
		"native_language": "Konkani", "native_language_code": "kok", "accent": "Konkani (Indian)", "quality_band": "standard",
		"is_native_source": "false", "preview_language": "kok", "gender": string(v.Gender),
	}
	if d := cmp.Diff(want, v.Labels()); d != "" {
		t.Errorf("Labels() (-want +got):\n%s", d)
	}
}

// TestLabelsOfAddedVoices: they tell the engine, and what is known of quality and licence.
func TestLabelsOfAddedVoices(t *testing.T) {
	t.Parallel()
	v := Voice{Native: "en", Engine: "onnx", Quality: "x_low", License: "CC0"}
	labels := v.Labels()
	if labels["engine"] != "onnx" || labels["quality"] != "x_low" || labels["license"] != "CC0" {
		t.Errorf("labels are %v", labels)
	}
	labels = Voice{Native: "en", Engine: "onnx"}.Labels()
	for _, name := range []string{"quality", "license"} {
		if l, ok := labels[name]; ok {
			t.Errorf("a voice of which nothing is known has the %s %q", name, l)
		}
	}
}

func TestPreviewText(t *testing.T) {
	t.Parallel()
	for _, l := range lang.All() {
		text := PreviewText(l.Code)
		if n := utf8.RuneCountInString(text); n < 15 || n > 120 {
			t.Errorf("PreviewText(%q) has %d characters: %q", l.Code, n, text)
		}
		if !norm.NFC.IsNormalString(text) || strings.ContainsAny(text, "0123456789<>[]") {
			t.Errorf("PreviewText(%q) = %q is not plain text in NFC", l.Code, text)
		}
		for _, r := range text {
			if s := lang.ScriptOf(r); unicode.IsLetter(r) && s != "Zyyy" && !l.Writes(s) {
				t.Errorf("PreviewText(%q) has %q, of script %s: %q", l.Code, r, s, text)
			}
		}
	}
	if got := PreviewText("xx"); got != "" {
		t.Errorf("PreviewText of an unknown code = %q, want none", got)
	}
}
