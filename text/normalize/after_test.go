package normalize_test

import (
	"testing"

	"vaak/lang"
	"vaak/text/normalize"
)

func TestRunIn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before string
		of     lang.Code
		s      string
		code   lang.Code
		want   string
	}{
		{before: "OTP ", of: "en", s: "482913 है", code: "hi", want: "चार आठ दो नौ एक तीन है"},
		{before: "UPI PIN", of: "en", s: ": 4829 डालें", code: "hi", want: ": चार आठ दो नौ डालें"},
		{before: "OTP ", of: "en", s: "है 482913", code: "hi", want: "है चार आठ दो नौ एक तीन"},
		{before: "OTP ", of: "en", s: "10 मिनट के लिए", code: "hi", want: "दस मिनट के लिए"},
		{before: "OTP ", of: "en", s: "", code: "hi", want: ""},
		{before: "You owe me ", of: "en", s: "4829 है", code: "hi", want: "चार हज़ार आठ सौ उनतीस है"},
		{before: "OTP ", of: "", s: "4829", code: "hi", want: "चार हज़ार आठ सौ उनतीस"},
		{before: "OTP ", of: "en", s: "739204, কাউকে জানাবেন না।", code: "bn", want: "সাত তিন নয় দুই শূন্য চার, কাউকে জানাবেন না।"},
		{before: "OTP ", of: "en", s: "105782 आहे.", code: "mr", want: "एक शून्य पाच सात आठ दोन आहे."},
		{before: "OTP ", of: "en", s: "640185 છે.", code: "gu", want: "છ ચાર શૂન્ય એક આઠ પાંચ છે."},
		{before: "OTP ", of: "en", s: "518306 ਹੈ", code: "pa", want: "ਪੰਜ ਇੱਕ ਅੱਠ ਤਿੰਨ ਸਿਫ਼ਰ ਛੇ ਹੈ"},
		{before: "OTP ", of: "en", s: "274916 ہے", code: "ur", want: "دو سات چار نو ایک چھ ہے"},
		{before: "Tower B, Noida ", of: "en", s: "201301", code: "hi", want: "दो शून्य एक तीन शून्य एक"},
		{before: "Noida ", of: "en", s: "201301 लोग", code: "hi", want: "दो लाख एक हज़ार तीन सौ एक लोग"},
	} {
		got, _ := normalize.RunIn(normalize.Around{Before: tt.before, Run: tt.before, Of: tt.of}, tt.s, tt.code, lang.Tag{Code: tt.code})
		if got != tt.want {
			t.Errorf("RunIn(%q, %q, %q, %q) = %q, want %q", tt.before, tt.of, tt.s, tt.code, got, tt.want)
		}
	}
}

func FuzzRunIn(f *testing.F) {
	f.Add("OTP ", "482913 है")
	f.Add("\xff PIN:", "\xff है 1")
	f.Fuzz(func(t *testing.T, before, s string) {
		normalize.RunIn(normalize.Around{Before: before, Run: before, Of: "en", After: s, To: "en"}, s, "hi", lang.Tag{Code: "hi"})
	})
}
