package smtp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/internal/fault"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]target{
		"smtp://mail.example.org":                  {host: "mail.example.org", port: 587},
		"SMTP://mail.example.org/":                 {host: "mail.example.org", port: 587},
		"smtps://mail.example.org":                 {host: "mail.example.org", port: 465, implicit: true},
		"smtp://mail.example.org:25":               {host: "mail.example.org", port: 25},
		"smtp://[2001:db8::1]:2525":                {host: "2001:db8::1", port: 2525},
		"smtps://u%40x.org:p%2F%3A%40@192.0.2.1:1": {host: "192.0.2.1", port: 1, user: "u@x.org", password: "p/:@", implicit: true},
	} {
		got, err := parse(raw)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(target{})); diff != "" || err != nil {
			t.Errorf("parse(%q): %v (-want +got):\n%s", raw, err, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"", "mail.example.org", "mail.example.org:587", "http://hunter2", "hunter2:x", "smtp:hunter2", "smtp://", "smtp://:587", "smtp:///x",
		"smtp://u:hunter2@", "smtp://u:hun/ter2@host", "smtp://u:hunter2#x@host", "smtp://u:hunter2?x@host", "smtp://u:hunter2@x@host name",
		"smtp://u:1/hunter2@host", "smtp://u:%zzhunter2@host", "smtp://hunter2@host", "smtp://u:@host", "smtp://:hunter2@host",
		"smtp://u:hunter2@host:0", "smtp://u:hunter2@host:65536", "smtp://u:hunter2@host:port", "smtp://u:hunter2@host/path",
		"smtp://u:hunter2@host?tls=no", "smtp://u:hunter2@host?", "smtp://u:hunter2@host#", "smtp://u:hunter2@host#x", "smtp://u:hunter2%0d%0a@host", "smtp://u%00:hunter2@host",
		"smtp://u:hunter2@ho_st", "smtp://u:hunter2@-host", "smtp://u:hunter2@hôst", "smtp://host\r\n", "smtp://h%0dost", "unix://hunter2", "smtp://unix:%2F%2Fhunter2",
		"smtp://" + strings.Repeat("hunter2", 400),
	} {
		got, err := parse(raw)
		if fault.KindOf(err) != fault.Invalid || got != (target{}) {
			t.Errorf("parse(%q) = %+v, %v, want an error of kind invalid", raw, got, err)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "ter2") {
			t.Errorf("parse(%q) shows the password: %v", raw, err)
		}
	}
}

func TestGreeting(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"": true, "mail.example.org": true, "[192.0.2.1]": true, "[IPv6:2001:db8::1]": true,
		"a b": false, "a\r\nMAIL": false, "192.0.2.1]": false, "[x]": false, "-": false, "a_b": false, strings.Repeat("a", 254): false,
	} {
		got, err := greeting(name)
		if (err == nil) != ok || ok && name != "" && got != name || ok && got == "" {
			t.Errorf("greeting(%q) = %q, %v, want it taken = %v", name, got, err, ok)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, cfg := range []Config{{}, {URL: "smtp://host", Hello: "a b"}, {URL: "smtp://host", Timeout: -1}, {URL: "smtp://host", DialTimeout: -1}} {
		if _, err := New(cfg); fault.KindOf(err) != fault.Invalid {
			t.Errorf("New(%+v) = %v, want an error of kind invalid", cfg, err)
		}
	}
}

// FuzzParse checks that whatever URL is given has a target that can be dialled, or an
// error without anything of it.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"smtp://u:p@host:1", "smtps://[::1]", "smtp://u:p%40@h", "smtp://host#", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := parse(raw)
		if err == nil {
			if got.host == "" || got.port < 1 || got.port > 65535 || (got.user == "") != (got.password == "") || strings.ContainsAny(got.host+got.user+got.password, "\r\n\x00") {
				t.Errorf("parse(%q) = %+v", raw, got)
			}
		} else if len(raw) > 12 && strings.Contains(err.Error(), raw) {
			t.Errorf("parse(%q) shows it: %v", raw, err)
		}
	})
}
