package browser

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pools writes the settings of a pool whose members speak, are busy and are not there, and of one
// without a member that is there.
func pools(t testing.TB) string {
	t.Helper()
	well := modelServer(t, func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "audio/pcm")
		const second = 2 * 24000
		sound := make([]byte, 2*second)
		for i := range sound {
			sound[i] = byte(i * i / 97)
		}
		_, _ = w.Write(sound) // the client may leave
	})
	busy := modelServer(t, func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) })
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer gone.Close()
	path := filepath.Join(t.TempDir(), "pools.toml")
	file := fmt.Sprintf("[pools.gpu]\nkind = \"openai\"\nstreams = 8\nmembers = [{ url = %q }, { url = %q }, { url = \"http://%s\" }]\n"+
		"[pools.spare]\nkind = \"fish\"\nmembers = [{ url = \"http://%s/a/path\" }]\n"+
		"[voices.nora]\nname = \"Nora\"\npool = \"gpu\"\nlicense = \"Apache-2.0\"\n", well, busy, gone.Addr(), gone.Addr())
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// modelServer returns the address of a server whose health is good and that speaks in some way.
func modelServer(t testing.TB, speak func(http.ResponseWriter)) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			speak(w)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// askPools has the pool say some sentences.
func (w world) askPools(t testing.TB) {
	t.Helper()
	for i := range 6 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.public+"/v1/audio/speech",
			strings.NewReader(fmt.Sprintf(`{"input": "This is sentence number %d.", "voice": "Nora", "response_format": "wav"}`, i)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Xi-Api-Key", w.key)
		w.expect(t, r)
	}
}
