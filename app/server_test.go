package app

import "testing"

func TestLinked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ flag, address, want string }{
		{"", "http://127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"", "https://[2001:db8::1]:443", "https://[2001:db8::1]:443"},
		{"", "http://[::]:8080", ""},
		{"", "http://0.0.0.0:8080", ""},
		{"https://x.test", "https://x.test", "https://x.test"},
		{"http://0.0.0.0:1", "http://0.0.0.0:1", "http://0.0.0.0:1"}, // as it was told
	} {
		if got := (Config{PublicURL: tt.flag}).linked(tt.address); got != tt.want {
			t.Errorf("linked(%q) with --public-url %q = %q, want %q", tt.address, tt.flag, got, tt.want)
		}
	}
}
