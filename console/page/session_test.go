package page

import (
	"testing"
)

// TestInward keeps people on this server after they have signed in.
func TestInward(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"":                             "/",
		"/o/org_a/keys":                "/o/org_a/keys",
		"/o/org_a/requests?key=b":      "/o/org_a/requests?key=b",
		"https://evil.test/":           "/",
		"//evil.test/":                 "/",
		"/\\evil.test":                 "/",
		"javascript:alert(1)":          "/",
		"/%2fevil.test":                "/",
		"/ok/../../x":                  "/ok/../../x",
		"http:/evil.test":              "/",
		"\t//evil.test":                "/",
		"/o/org_a/voices?q=a%20b#frag": "/o/org_a/voices?q=a%20b",
	} {
		if got := Inward(address); got != want {
			t.Errorf("Inward(%q) = %q, want %q", address, got, want)
		}
	}
}
