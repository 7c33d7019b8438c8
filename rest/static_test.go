package rest

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"vaak/voice"
)

// TestDocumentsAreZipped asks for documents as clients do that take gzip.
func TestDocumentsAreZipped(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	short := "/v1/voices/" + string(voice.DefaultVoice().ID)
	for _, target := range []string{"/v1/voices", "/v1/languages", "/openapi.json", "/asyncapi.json", short} {
		plain := do(h, request("GET", target, ""))
		tag := plain.Header().Get("ETag")
		if plain.Header().Get("Content-Encoding") != "" || plain.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("GET %s: headers %v, want it plain, and caches told", target, plain.Header())
		}
		for accept, zips := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false, "identity": false, "": false} {
			zips = zips && target != short
			w := do(h, request("GET", target, "", "Accept-Encoding", accept))
			body, sent := w.Body.Bytes(), w.Header().Get("ETag")
			if got := w.Header().Get("Content-Encoding") == "gzip"; w.Code != 200 || got != zips || (sent == tag) == zips {
				t.Errorf("GET %s for %q = %d, gzip %v under %s; want %v, plain it is %s", target, accept, w.Code, got, sent, zips, tag)
				continue
			}
			if zips {
				if len(body) > plain.Body.Len()/3 {
					t.Errorf("GET %s for %q has %d bytes of %d", target, accept, len(body), plain.Body.Len())
				}
				z, err := gzip.NewReader(bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				if body, err = io.ReadAll(z); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(body, plain.Body.Bytes()) {
				t.Errorf("GET %s for %q: other content", target, accept)
			}
			if again := do(h, request("GET", target, "", "Accept-Encoding", accept, "If-None-Match", `"x", W/`+sent)); again.Code != 304 || again.Body.Len() != 0 {
				t.Errorf("GET %s for %q with its tag = %d, %d bytes", target, accept, again.Code, again.Body.Len())
			}
			if zips {
				if other := do(h, request("GET", target, "", "Accept-Encoding", accept, "If-None-Match", tag)); other.Code != 200 {
					t.Errorf("GET %s for %q with the tag of other bytes = %d", target, accept, other.Code)
				}
			}
			head := do(h, request("HEAD", target, "", "Accept-Encoding", accept))
			if head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Length") != w.Header().Get("Content-Length") || head.Header().Get("ETag") != sent {
				t.Errorf("HEAD %s for %q = %d, %v", target, accept, head.Code, head.Header())
			}
		}
	}
	if !strings.HasPrefix(do(h, request("GET", short, "")).Body.String(), "{") {
		t.Error("a voice is no object")
	}
}
