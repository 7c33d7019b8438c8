package catalogue

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/internal/document"
)

// fill sets a value and all that is in it to random values. One in three of what may be absent is.
func fill(r *rand.Rand, v reflect.Value) {
	texts := []string{"", "plain", `<b>"quoted"</b> & \ \u003c`, "हिन्दी\u2028\n", "sample/a b&c.wav", ManifestFile}
	switch v.Kind() {
	case reflect.Pointer:
		if r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, r.IntN(60), r.IntN(2)*500, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(r, v.Field(i))
		}
	case reflect.Slice:
		if n := r.IntN(4); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n-1, n-1))
		}
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Map:
		if n := r.IntN(4); n > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n - 1 {
				k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				fill(r, k)
				fill(r, e)
				v.SetMapIndex(k, e)
			}
		}
	case reflect.String:
		v.SetString(texts[r.IntN(len(texts))])
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64N(1000) - 500)
	case reflect.Float64:
		v.SetFloat([]float64{0, -0.5, 1e21, 1e-9, 12.25, r.Float64()}[r.IntN(6)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	}
}

// drawnText returns a random record as it is stored.
func drawnText(t *testing.T, r *rand.Rand) Text {
	t.Helper()
	var d Dataset
	fill(r, reflect.ValueOf(&d).Elem())
	d.Slug = "a-slug"
	files := []File{{Name: ManifestFile, SHA256: "0123456789abcdef"}, {Name: "sample/a b&c.wav", SHA256: "ff"}}
	record, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := json.Marshal(files[:r.IntN(3)])
	if err != nil {
		t.Fatal(err)
	}
	return Text{Revision: 1, Status: Retired, Record: record, Files: listed}
}

// decoded returns the answer of a record by way of its decoded form.
func decoded(t *testing.T, at addresses, text Text) string {
	t.Helper()
	stored, err := text.Stored()
	if err != nil {
		t.Fatal(err)
	}
	(&Service{at: at}).fill(&stored)
	answer, err := document.Encode(&stored.Dataset)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// TestSpliced compares the answer that is made from the text of a record with that of the decoded one.
func TestSpliced(t *testing.T) {
	t.Parallel()
	for n := range uint64(2000) {
		text := drawnText(t, rand.New(rand.NewPCG(n, 1)))
		at := addresses{[]string{"", "https://x.test", `https://x.test/"é`}[n%3]}
		got, ok := at.spliced("a-slug", text)
		if !ok {
			t.Fatalf("record %d is not spliced: %s", n, text.Record)
		}
		if diff := cmp.Diff(decoded(t, at, text), string(got)); diff != "" {
			t.Fatalf("record %d (-decoded +spliced):\n%s", n, diff)
		}
	}
}

// TestSplicedOtherVersions checks that the text of another version of the program is left to the
// decoder: with a member less, with one more, in another order, in another layout, cut off.
func TestSplicedOtherVersions(t *testing.T) {
	t.Parallel()
	at := addresses{"https://x.test"}
	for n := range uint64(300) {
		r := rand.New(rand.NewPCG(n, 2))
		text := drawnText(t, r)
		whole := string(text.Record)
		var indented bytes.Buffer
		if err := json.Indent(&indented, text.Record, "", " "); err != nil {
			t.Fatal(err)
		}
		id := whole[1:strings.Index(whole, `"slug":`)]
		for name, other := range map[string]string{
			"less":    strings.Replace(whole, id, "", 1),
			"more":    strings.Replace(whole, `"slug":`, `"former":[{"a":1}],"slug":`, 1),
			"last":    whole[:len(whole)-1] + `,"more":null}`,
			"order":   strings.Replace(whole, `{`+id, `{"slug":"a-slug",`+id, 1),
			"layout":  indented.String(),
			"behind":  whole + " ",
			"retyped": strings.Replace(whole, `"streams":[`, `"streams":[1,`, 1),
		} {
			if other == whole {
				continue
			}
			text.Record = []byte(other)
			if got, ok := at.spliced("a-slug", text); ok {
				t.Errorf("record %d, %s: spliced to %s", n, name, got)
			}
		}
		for cut := range min(len(whole), 400) {
			text.Record = []byte(whole[:len(whole)-1-cut])
			if got, ok := at.spliced("a-slug", text); ok {
				t.Fatalf("record %d without its last %d bytes: spliced to %s", n, cut+1, got)
			}
		}
	}
}

// BenchmarkSpliced measures how long the answer of a stored record takes.
func BenchmarkSpliced(b *testing.B) {
	at := addresses{"https://x.test"}
	var d Dataset
	fill(rand.New(rand.NewPCG(4, 3)), reflect.ValueOf(&d).Elem())
	record, err := json.Marshal(d)
	if err != nil {
		b.Fatal(err)
	}
	text := Text{Record: record, Files: []byte(`[{"name":"recordings.csv","sha256":"0123456789abcdef"}]`)}
	b.SetBytes(int64(len(record)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := at.spliced("a-slug", text); !ok {
			b.Fatal("not spliced")
		}
	}
}
