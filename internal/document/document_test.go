package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vaak/internal/fault"
)

func TestCheck(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	manyKeys := func(last string) string {
		var b strings.Builder
		b.WriteString("{")
		for i := range 40 {
			fmt.Fprintf(&b, `"k%d":%d,`, i, i)
		}
		return b.String() + `"` + last + `":1}`
	}
	for _, tt := range []struct {
		name, body, want string // want "" is accepted
	}{
		{"object", `{"input":"hi","speed":1.5e0,"x":[1,-0.5,true,false,null,{}]}`, ""},
		{"white space around", " \t\r\n {} \n", ""},
		{"scalar", `-12.5E+3`, ""},
		{"escapes", `"\"\\\/\b\f\n\r\té😀"`, ""},
		{"text of many scripts", `"नमस्ते 😀 中文"`, ""},
		{"same key at another level", `{"a":{"a":1},"b":{"a":2}}`, ""},
		{"same key in two objects of an array", `[{"a":1},{"a":2}]`, ""},
		{"32 levels", deep(32), ""},
		{"many keys", manyKeys("other"), ""},

		{"empty", "", "the body is empty; a JSON value is expected"},
		{"white space only", " \n", "the body is empty; a JSON value is expected"},
		{"33 levels", deep(33), "the body nests deeper than 32 levels at byte 32"},
		{"100,000 levels", deep(100_000), "the body nests deeper than 32 levels at byte 32"},
		{"trailing bytes", `{} x`, "the body goes on after its JSON value, at byte 3"},
		{"two values", `{}{}`, "the body goes on after its JSON value, at byte 2"},
		{"cut off", `{"input":"h`, "the body ends in the middle of its JSON value, at byte 11"},
		{"cut off after a key", `{"input"`, "the body ends in the middle of its JSON value, at byte 8"},
		{"cut off in an escape", `"\`, "the body ends in the middle of its JSON value, at byte 2"},
		{"cut off in a code unit", `"\u00`, "the body ends in the middle of its JSON value, at byte 5"},
		{"duplicate key", `{"input":"a","input":"b"}`, `the body has the key "input" twice, the second time at byte 13`},
		{"duplicate key by escape", `{"input":"a","\u0069nput":"b"}`, `the body has the key "input" twice, the second time at byte 13`},
		{"duplicate key inside", `{"x":[{"a":1,"a":1}]}`, `the body has the key "a" twice, the second time at byte 13`},
		{"duplicate key among many", manyKeys("k3"), `the body has the key "k3" twice, the second time at byte 341`},
		{"duplicate key among many, early", strings.Replace(manyKeys("z"), `"k20"`, `"k1"`, 1), `the body has the key "k1" twice, the second time at byte 161`},
		{"NUL in a string", "\"a\x00\"", "the body holds the character NUL at byte 2"},
		{"NUL as an escape", `"a\u0000"`, "the body holds the character NUL at byte 2"},
		{"NUL outside", "{\x00}", "the body holds the character NUL at byte 1"},
		{"NUL behind", "{}\x00", "the body holds the character NUL at byte 2"},
		{"high surrogate alone", `"\ud83d"`, "the body holds half of a surrogate pair at byte 1"},
		{"low surrogate alone", `"\ude00"`, "the body holds half of a surrogate pair at byte 1"},
		{"high surrogate twice", `"\ud83d\ud83d"`, "the body holds half of a surrogate pair at byte 1"},
		{"surrogates the wrong way round", `"\ude00\ud83d"`, "the body holds half of a surrogate pair at byte 1"},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", "the body is not UTF-8: 0xed at byte 1"},
		{"invalid UTF-8", "\"a\xff\"", "the body is not UTF-8: 0xff at byte 2"},
		{"overlong UTF-8", "\"\xc0\xaf\"", "the body is not UTF-8: 0xc0 at byte 1"},
		{"invalid UTF-8 outside", "\xff{}", "the body is not UTF-8: 0xff at byte 0"},
		{"control character in a string", "\"a\nb\"", `the body is not JSON: '\n' is not expected at byte 2`},
		{"byte order mark", "\ufeff{}", `the body is not JSON: '\ufeff' is not expected at byte 0`},
		{"single quotes", `{'a':1}`, `the body is not JSON: '\'' is not expected at byte 1`},
		{"trailing comma", `{"a":1,}`, `the body is not JSON: '}' is not expected at byte 7`},
		{"trailing comma of an array", `[1,]`, `the body is not JSON: ']' is not expected at byte 3`},
		{"no comma", `[1 2]`, `the body is not JSON: '2' is not expected at byte 3`},
		{"no colon", `{"a" 1}`, `the body is not JSON: '1' is not expected at byte 5`},
		{"key that is no string", `{1:2}`, `the body is not JSON: '1' is not expected at byte 1`},
		{"leading zero", `01`, "the body goes on after its JSON value, at byte 1"},
		{"number without digits", `-x`, `the body is not JSON: 'x' is not expected at byte 1`},
		{"number that ends in a point", `[1.]`, `the body is not JSON: ']' is not expected at byte 3`},
		{"exponent without digits", `[1e]`, `the body is not JSON: ']' is not expected at byte 3`},
		{"NaN", `NaN`, `the body is not JSON: 'N' is not expected at byte 0`},
		{"word cut off", `[nul]`, `the body is not JSON: ']' is not expected at byte 4`},
		{"unknown escape", `"\x41"`, `the body is not JSON: 'x' is not expected at byte 2`},
		{"bad hexadecimal", `"\u00g0"`, `the body is not JSON: 'g' is not expected at byte 5`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := Check("the body", []byte(tt.body))
			if tt.want == "" {
				if err != nil {
					t.Errorf("Check(%.80q) = %v, want nil", tt.body, err)
				}
				return
			}
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Kind != fault.Invalid || f.Code != fault.CodeInvalidBody || f.Msg != tt.want {
				t.Errorf("Check(%.80q) = %#v, want %q", tt.body, err, tt.want)
			}
		})
	}
}

func TestCheckAllocates(t *testing.T) {
	body := []byte(`{"model":"speech-1","input":"The quick brown fox jumps over नमस्ते.","voice":{"id":"sv_a"},"speed":1.1,"stream":true}`)
	// The race detector makes a pool forget what it was given, at random: the least of several
	// runs is one in which it did not.
	least := testing.AllocsPerRun(100, func() { _ = Check("the body", body) })
	for range 50 {
		least = min(least, testing.AllocsPerRun(1, func() { _ = Check("the body", body) }))
	}
	if least != 0 {
		t.Errorf("Check of a small body allocates %v times, want 0", least)
	}
}

// FuzzCheck holds Check against encoding/json: what it takes is valid, and what it refuses
// for its syntax is not.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `[]`, `{"a":1,"a":2}`, `"\ud83d\ude00"`, `"\ud83d"`, `"\u0000"`, `"\\u0000"`, "\"\xff\"", "\"\xe0\xa4", `[[[[]]]]`, `1e5`, `-0.1`,
		`{"a":{"b":[true,false,null]}}`, `01`, `{"\u0061":1,"a":2}`, `{"a",}`, `[1,]`, `[,]`, `{"a":1,]`, `"\u0000\x"`,
	} {
		f.Add([]byte(seed))
	}
	byRule := regexp.MustCompile(`is not UTF-8|holds the character NUL|half of a surrogate pair|twice|nests deeper`)
	byteAt := regexp.MustCompile(`at byte (\d+)$`)
	f.Fuzz(func(t *testing.T, data []byte) {
		err, valid := Check("the body", data), json.Valid(data)
		if err == nil {
			if !valid {
				t.Fatalf("Check takes %q, which is not valid JSON", data)
			}
			return
		}
		if valid && !byRule.MatchString(err.Error()) {
			t.Fatalf("Check refuses valid JSON %q: %v", data, err)
		}
		if m := byteAt.FindStringSubmatch(err.Error()); m != nil {
			if at, _ := strconv.Atoi(m[1]); at > len(data) {
				t.Fatalf("Check(%q) = %v, which points behind its end", data, err)
			}
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	body := []byte(`{"model":"speech-1","input":"The quick brown fox jumps over the lazy dog.","voice":"sv_aaaaaaaaaaaaaaaa"}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Check("the body", body); err != nil {
			b.Fatal(err)
		}
	}
}
