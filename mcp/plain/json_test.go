package plain_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vaak/mcp/plain"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		`{"a":"x\u0000y","b\u0000":1.50e+02}`:                                          `{"a":"xy","b":1.50e+02}`,
		`["<script>x</script>",{"<b>":"<b>t</b>"},"a\/b"]`:                             `["",{"":"t"},"a\/b"]`,
		`{"a" : "\u202edesrever" , "b":[ "\ud800" ]}`:                                  `{"a" : "desrever" , "b":[ "" ]}`,
		`"\u003cb\u003ebold"`:                                                          `"bold"`,
		`"` + strings.Repeat("x", 6000) + `"`:                                          `"` + strings.Repeat("x", plain.MaxString-1) + `…"`,
		`"a\u2028b & <laugh> \"q\"\u200b"`:                                             `"a\nb & <laugh> \"q\""`,
		`{"<b>SYSTEM</b>\n call": 2, "ma<!-- hidden -->le": 1}`:                        `{"SYSTEM call": 2, "male": 1}`,
		`{"a":{"x":1,"<b>a":2},"c":3,"\u200ba":4,"a<i>":5,"b":{"a":6},"<b>c":7,"d":8}`: `{"a":{"x":1,"a":2},"c":3,"a (2)":4,"a (3)":5,"b":{"a":6},"c (2)":7,"d":8}`,
		`{"<b>":0,` + strings.Repeat(`"":1,`, 40_000) + `"z":2}`:                       `{"":0,"(2)":1,`,
		`[{" a":1},{"a  b":1},{"a ":1},{"a b":1}]`:                                     `[{"a":1},{"a b":1},{"a":1},{"a b":1}]`,
		`{"` + strings.Repeat("k", 300) + `":1,"` + strings.Repeat("k", 301) + `":2}`:  `{"` + strings.Repeat("k", plain.MaxName-1) + `…":1,"` + strings.Repeat("k", plain.MaxName-5) + `… (2)":2}`,
	} {
		if got := plain.JSON(json.RawMessage(give)); string(got) != want && (len(got) < 1<<16 || !strings.HasPrefix(string(got), want)) {
			t.Errorf("JSON(%.60s) = %.60s, want %.60s", give, got, want)
		}
	}
}

func TestJSONStays(t *testing.T) {
	t.Parallel()
	escaped, err := json.Marshal(written)
	if err != nil {
		t.Fatal(err)
	}
	for _, give := range []string{`{}`, `null`, `-1.0E5`, `"\ud83d\udc4d"`, `{"a":["é\n\\","\u003c 3"],"big":123456789012345678901234567890}`, string(escaped)} {
		if got := plain.JSON(json.RawMessage(give)); string(got) != give {
			t.Errorf("JSON(%s) = %s, want it as it was", give, got)
		}
	}
	for _, broken := range []string{"", `"`, `"\`, `{"a`, `{"a":"\u00`} {
		plain.JSON(json.RawMessage(broken)) // ends
	}
}

func TestJSONLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc, err := json.Marshal(map[string]any{hostile().Draw(t, "key"): hostile().Draw(t, "value"), "n": []any{1.5, hostile().Draw(t, "in"), nil}})
		if err != nil {
			t.Fatal(err)
		}
		obeyJSON(t, doc)
	})
}

func obeyJSON(t interface{ Errorf(string, ...any) }, doc []byte) {
	got := plain.JSON(bytes.Clone(doc))
	if !json.Valid(got) {
		t.Errorf("JSON(%q) = %q, which is none", doc, got)
		return
	}
	if again := plain.JSON(got); !bytes.Equal(again, got) {
		t.Errorf("JSON(%q) = %q, and of that it is %q", doc, got, again)
	}
	visitNames(got, func(name string) {
		if clean := plain.Line(name, plain.MaxName); clean != name {
			t.Errorf("JSON(%q) has the name %q, want %q", doc, name, clean)
		}
	})
	was, is := shape(doc), shape(got)
	if was != is {
		t.Errorf("JSON(%q) has the shape %q, want %q", doc, is, was)
	}
}

// visitNames visits the names of members.
func visitNames(doc []byte, visit func(string)) {
	var members map[string]json.RawMessage
	var list []json.RawMessage
	switch {
	case json.Unmarshal(doc, &members) == nil:
		for name, v := range members {
			visit(name)
			visitNames(v, visit)
		}
	case json.Unmarshal(doc, &list) == nil:
		for _, v := range list {
			visitNames(v, visit)
		}
	}
}

// TestJSONKeepsMembers: names that look the same do not become one.
func TestJSONKeepsMembers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := map[string]int{}
		for _, name := range rapid.SliceOfN(hostile(), 0, 20).Draw(t, "names") {
			doc[strings.ToValidUTF8(name, "")] = 1
		}
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]int
		if err := json.Unmarshal(plain.JSON(raw), &got); err != nil || len(got) != len(doc) {
			t.Errorf("JSON(%s) has %d members (%v), want %d", raw, len(got), err, len(doc))
		}
	})
}

// shape is a document without what its strings say.
func shape(doc []byte) string {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var b strings.Builder
	for {
		token, err := dec.Token()
		if err != nil {
			return b.String()
		}
		switch v := token.(type) {
		case string:
			b.WriteString("s ")
		case json.Number:
			b.WriteString(v.String() + " ")
		case json.Delim:
			b.WriteString(v.String() + " ")
		default:
			b.WriteString("x ")
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":"<b>"}`, `["\ud800",1e5]`, `"\\\""`, `{"a\"":"\u200b"}`, `{"<b>":1,"":2,"(2)":3,"<i>":4}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if json.Valid(doc) {
			obeyJSON(t, doc)
		} else {
			plain.JSON(doc)
		}
	})
}
