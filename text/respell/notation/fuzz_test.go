package notation_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vaak/text/respell"
)

func FuzzCheck(f *testing.F) {
	for _, values := range refused {
		for _, v := range values {
			f.Add(v, v, "hi", "", "")
		}
	}
	f.Add("API", "A P I", "hi,en", "en-IN", "")
	f.Add("\xff\u0301", "\u200B", "klingon,auto", ",", "ipa")
	f.Add(strings.Repeat("𐀀", 200), strings.Repeat("\x00", 300), strings.Repeat("\U000E0001", 90), strings.Repeat("xx,", 90), strings.Repeat("\x01", 999))
	fields := []respell.Field{respell.FieldType, respell.FieldTerm, respell.FieldRespelling, respell.FieldOnly, respell.FieldExcept} // in order
	f.Fuzz(func(t *testing.T, term, respelling, only, except, alphabet string) {
		list := func(s string) []string {
			if s == "" {
				return nil
			}
			return strings.Split(s, ",")
		}
		rules := []respell.Rule{
			{Term: term, Respelling: respelling, Only: list(only), Except: list(except), Alphabet: alphabet},
			{Term: respelling, Respelling: term, InWords: true},
			{Term: term, Respelling: respelling, Only: list(only), Except: list(except)},
		}
		err := respell.Check(rules)
		if err == nil {
			t.Fatal("a rule that is there twice passes")
		}
		refusal, ok := errors.AsType[*respell.Refusal](err)
		if !ok {
			t.Fatalf("error is %T (%v), want a *Refusal", err, err)
		}
		last := -1
		for _, fault := range refusal.Faults {
			place := fault.Rule*len(fields) + slices.Index(fields, fault.Field)
			if fault.Rule < 0 || fault.Rule >= len(rules) || !slices.Contains(fields, fault.Field) || place <= last {
				t.Errorf("fault %+v is of no rule or field, or out of order", fault)
			}
			last = place
			for _, s := range []string{fault.Msg, fault.Suggestion} {
				if !utf8.ValidString(s) || len(s) >= 400 {
					t.Errorf("%q: %d bytes", s, len(s))
				}
			}
			if !utf8.ValidString(fault.Term) || utf8.RuneCountInString(fault.Term) > respell.MaxTerm {
				t.Errorf("term %q of a fault", fault.Term)
			}
			if fault.Msg == "" || fault.Code == respell.CodePhonemes && fault.Suggestion == "" {
				t.Errorf("fault %+v says too little", fault)
			}
		}
		if !utf8.ValidString(err.Error()) {
			t.Errorf("error %q", err)
		}
	})
}
