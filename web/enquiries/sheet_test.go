package enquiries

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestParseSheet(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		body string
		want sheet
		bad  string // field at fault; "" with fine is no error
		fine bool
	}{
		{"", sheet{}, "", true},
		{"name=A+B&email=a%40b&other=1&x", sheet{"name": "A B", "email": "a@b"}, "", true},
		{"name", sheet{"name": ""}, "", true},
		{"message=a%0D%0Ab%0Dc%0A", sheet{"message": "a\nb\nc\n"}, "", true},
		{"%6Eame=x", sheet{"name": "x"}, "", true},
		{"name=1&name=2", sheet{"name": "1"}, "name", false},
		{"name=1&%6Eame=2", sheet{"name": "1"}, "name", false},
		{"name=1;email=2", sheet{"name": "1;email=2"}, "", true},
		{"email=%zz&name=A", sheet{"email": "", "name": "A"}, "email", false},
		{"message=abc%E0%A4", sheet{"message": "abc\uFFFD"}, "message", false},
		{"message=abc%E", sheet{"message": "abc"}, "message", false},
		{"name=a%00b", sheet{"name": "a\uFFFDb"}, "name", false},
		{"consent=yes", sheet{"consent": "yes"}, "", true},
		{"%zz=1", sheet{}, "", false},
	} {
		got, err := parseSheet(tt.body)
		if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != tt.fine || fieldOf(err) != tt.bad {
			t.Errorf("parseSheet(%q) = %v, %v (field %q); want field %q, fine %v\n%s", tt.body, got, err, fieldOf(err), tt.bad, tt.fine, diff)
		}
	}
}

// FuzzParseSheet: whatever comes, what is returned is text of known fields, and what
// is taken without an error is what was written.
func FuzzParseSheet(f *testing.F) {
	for _, s := range []string{"", "name=A&email=b%40c", "message=%E0%A4%95%0D%0A&consent=yes", "name=1&name=2", "%", "a=%zz&=&&", "message=%ff%00", "name=a;b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got, err := parseSheet(body)
		for name, text := range got {
			if !utf8.ValidString(text) || strings.ContainsAny(text, "\r\x00") || !strings.Contains("name email company intent dataset message consent", name) {
				t.Errorf("parseSheet(%q) has %q = %q", body, name, text)
			}
		}
		if err != nil {
			return
		}
		again := url.Values{}
		for name, text := range got {
			again.Set(name, text)
		}
		twice, err := parseSheet(again.Encode())
		if diff := cmp.Diff(got, twice); diff != "" || err != nil {
			t.Errorf("parseSheet(%q) written again is %v\n%s", body, err, diff)
		}
	})
}

func TestDisposition(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"hi-cc-sample.zip": "attachment; filename=hi-cc-sample.zip", "": "attachment; filename=sample.zip", "../../etc/passwd": "attachment; filename=passwd",
		`c:\x.zip`: "attachment; filename=x.zip", "a\r\nSet-Cookie: b.zip": `attachment; filename="a  Set-Cookie: b.zip"`, "हि.zip": "attachment; filename*=utf-8''%E0%A4%B9%E0%A4%BF.zip",
	} {
		if got := disposition(name); got != want {
			t.Errorf("disposition(%q) = %q, want %q", name, got, want)
		}
	}
}
