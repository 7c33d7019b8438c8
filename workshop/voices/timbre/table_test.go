package timbre

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"vaak/engine/espeak"
	"vaak/lang"
	"vaak/voice"
	"vaak/workshop/voices/rig"
)

// committed returns the table of results.
func committed(t *testing.T) []row {
	t.Helper()
	b, err := os.ReadFile("../../../" + tablePath)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := parseTable(string(b))
	if err != nil {
		t.Fatal(err)
	}
	timbres, err := os.ReadFile("../../../" + timbresPath)
	if err != nil {
		t.Fatal(err)
	}
	if formatTable(rows, string(timbres)) != string(b) {
		t.Errorf("%s is not as it would be written", tablePath)
	}
	return rows
}

func TestTableHasEveryVoice(t *testing.T) {
	t.Parallel()
	rows, voices := committed(t), voice.All()
	if len(rows) != len(voices) {
		t.Fatalf("%d rows, want %d", len(rows), len(voices))
	}
	timbres := espeak.Timbres()
	for i, v := range voices {
		r := rows[i]
		if r.id != v.ID || r.native != v.Native || r.gender != v.Gender {
			t.Errorf("row %d is %s, %s, %s; want %s, %s, %s", i+1, r.id, r.native, r.gender, v.ID, v.Native, v.Gender)
		}
		if hz := timbres[v.ID].Hz; math.Abs(r.hz-float64(hz)) > 0.6 {
			t.Errorf("%s speaks at %.1f Hz, and timbres.tsv says %d", v.ID, r.hz, hz)
		}
		if near, ok := voice.Lookup(r.neighbour); !ok || near.Native != v.Native || near.ID == v.ID {
			t.Errorf("%s is nearest to %s, which is no other voice of its language", v.ID, r.neighbour)
		}
	}
}

func TestTimbresAreAsWritten(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../../" + timbresPath)
	if err != nil {
		t.Fatal(err)
	}
	if want := formatTimbres(voice.All(), espeak.Timbres()); string(b) != want {
		t.Errorf("%s is not as it would be written", timbresPath)
	}
}

func TestTableHoldsTheFloor(t *testing.T) {
	t.Parallel()
	softest, loudest := math.Inf(1), math.Inf(-1)
	for _, r := range committed(t) {
		if r.least < floor {
			t.Errorf("%s (%s) is only %.2f times as far from another as one is from itself, want %.1f", r.id, r.native, r.least, floor)
		}
		if r.nearest < floor*r.self-0.02 {
			t.Errorf("%s (%s) is %.2f dB from %s and %.2f from itself, want %.1f times that", r.id, r.native, r.nearest, r.neighbour, r.self, floor)
		}
		if r.peak >= 32767 {
			t.Errorf("%s (%s) clips", r.id, r.native)
		}
		softest, loudest = min(softest, r.lufs), max(loudest, r.lufs)
	}
	if loudest-softest > levelLU {
		t.Errorf("levels are %.2f to %.2f LUFS, want within %.1f", softest, loudest, levelLU)
	}
	if math.Abs((softest+loudest)/2-rig.TargetLUFS) > 0.25 {
		t.Errorf("levels are %.2f to %.2f LUFS, want around %.1f", softest, loudest, rig.TargetLUFS)
	}
}

func TestTableIsBalanced(t *testing.T) {
	t.Parallel()
	byNative := map[lang.Code][]row{}
	women := 0
	rows := committed(t)
	for _, r := range rows {
		byNative[r.native] = append(byNative[r.native], r)
		if r.gender == voice.Female {
			women++
		}
	}
	if women != len(rows)/2 {
		t.Errorf("%d of %d voices are women, want half", women, len(rows))
	}
	for code, of := range byNative {
		hz := map[voice.Gender][]float64{}
		for _, r := range of {
			hz[r.gender] = append(hz[r.gender], r.hz)
		}
		men, women := hz[voice.Male], hz[voice.Female]
		if len(men) == 0 || len(women) == 0 || max(len(men)-len(women), len(women)-len(men)) > 1 {
			t.Fatalf("%s has %d men and %d women, want as many", code, len(men), len(women))
		}
		if slices.Max(men) >= slices.Min(women) {
			t.Errorf("%s: a man at %.0f Hz is above a woman at %.0f", code, slices.Max(men), slices.Min(women))
		}
		if slices.Max(women) < 1.5*slices.Min(men) {
			t.Errorf("%s goes from %.0f to %.0f Hz only", code, slices.Min(men), slices.Max(women))
		}
		for g, list := range hz {
			slices.Sort(list)
			for i := 1; i < len(list) && len(of) <= crowd; i++ {
				if list[i]-list[i-1] < pitchApart {
					t.Errorf("%s: %s voices at %.1f and %.1f Hz, want %.0f apart", code, g, list[i-1], list[i], pitchApart)
				}
			}
		}
	}
}

func TestPictureIsOfTheTable(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../../" + picturePath)
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != drawing(committed(t)) {
		t.Errorf("%s is not of %s", picturePath, tablePath)
	}
	shapes := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(string(b))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			shapes[start.Name.Local]++
		}
	}
	// One more of each is in the legend.
	if shapes["circle"] != 161 || shapes["rect"] != 161 {
		t.Errorf("%d circles and %d squares, want 161 of each", shapes["circle"], shapes["rect"])
	}
}

func TestParseTableRefuses(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("1\t", 15) + "1\n"
	if _, err := parseTable(good); err != nil {
		t.Fatalf("parseTable(%q): %v", good, err)
	}
	for _, bad := range []string{"a\tb\n", "1\t" + good, strings.Repeat("1\t", 15) + "x\n", strings.Replace(good, "1\t1\t1\t1", "1\t1\t1\tx", 1)} {
		if rows, err := parseTable(bad); err == nil {
			t.Errorf("parseTable(%q) = %+v", bad, rows)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	v := voice.ForLanguage("sr")[0]
	line := string(v.ID) + "\tlow-pitched\tx\tA medium-pitched " + string(v.Gender) + " voice.\n"
	roster := "# a low-pitched comment\n" + line
	for hz, want := range map[int]string{80: "low", 400: "high"} {
		got := describe(roster, map[voice.ID]espeak.Timbre{v.ID: {Hz: hz}})
		if wanted := strings.Replace(roster, "medium", want, 1); got != wanted {
			t.Errorf("at %d Hz: %q, want %q", hz, got, wanted)
		}
	}
}
