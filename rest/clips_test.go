package rest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/internal/seal"
	"vaak/rest/frame"
	"vaak/rest/speech"
	"vaak/speech/clip"
)

// newClips returns clips in a directory.
func newClips(t testing.TB, dir string) *clip.Service {
	t.Helper()
	s, err := clip.Open(clip.Config{Dir: dir, MaxBytes: 256 << 20, Secret: seal.New(bytes.Repeat([]byte{1}, 32))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// keepClip keeps a clip of an organisation and returns it with its link.
func keepClip(t testing.TB, s *clip.Service, org, audio string) (clip.Clip, string) {
	t.Helper()
	d, err := s.Begin(org)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(d, audio); err != nil {
		t.Fatal(err)
	}
	c, err := d.Keep(clip.Kind{ContentType: "audio/pcm;rate=24000;channels=1", Extension: "pcm"})
	if err != nil {
		t.Fatal(err)
	}
	return c, s.Link("", c)
}

func TestClip(t *testing.T) {
	t.Parallel()
	clips := newClips(t, t.TempDir())
	c, link := keepClip(t, clips, account.Local.OrgID, "0123456789")
	h := newHandler(t, Config{Clips: clips})
	for _, tt := range []struct {
		name, method string
		header       []string
		status       int
		body         string
		want         map[string]string
	}{
		{"whole", "GET", nil, 200, "0123456789", map[string]string{"Content-Length": "10"}},
		{"head", "HEAD", nil, 200, "", map[string]string{"Content-Length": "10"}},
		{"with the owner's key", "GET", []string{"xi-api-key", testKey}, 200, "0123456789", nil},
		{"with no key in the header", "GET", []string{"Authorization", "Basic YTpi", "xi-api-key", " "}, 200, "0123456789", nil},
		{"a range", "GET", []string{"Range", "bytes=2-4"}, 206, "234", map[string]string{"Content-Range": "bytes 2-4/10"}},
		{"the end", "GET", []string{"Range", "bytes=-3"}, 206, "789", map[string]string{"Content-Range": "bytes 7-9/10"}},
		{"a range of a head", "HEAD", []string{"Range", "bytes=2-4"}, 206, "", map[string]string{"Content-Length": "3"}},
		{"a range if it is the same", "GET", []string{"Range", "bytes=2-4", "If-Range", `"` + c.ID + `"`}, 206, "234", nil},
		{"a range if it were another", "GET", []string{"Range", "bytes=2-4", "If-Range", `"x"`}, 200, "0123456789", nil},
	} {
		w := do(h, request(tt.method, link, "", tt.header...))
		if w.Code != tt.status || w.Body.String() != tt.body {
			t.Errorf("%s: %d %q, want %d %q", tt.name, w.Code, w.Body, tt.status, tt.body)
		}
		for name, want := range map[string]string{
			"Content-Type": "audio/pcm;rate=24000;channels=1", "Content-Disposition": `inline; filename="` + c.Name + `"`,
			"Accept-Ranges": "bytes", "ETag": `"` + c.ID + `"`, "X-Content-Type-Options": "nosniff",
			"Access-Control-Allow-Origin": "*", "Referrer-Policy": "no-referrer",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", tt.name, name, got, want)
			}
		}
		for name, want := range tt.want {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", tt.name, name, got, want)
			}
		}
		private, age, _ := strings.Cut(w.Header().Get("Cache-Control"), ", max-age=")
		if n, err := strconv.Atoi(age); err != nil || private != "private" || n > 900 || time.Now().Add(time.Duration(n)*time.Second).After(c.Expires) || n < 600 {
			t.Errorf("%s: Cache-Control is %q, want private until %s", tt.name, w.Header().Get("Cache-Control"), c.Expires)
		}
	}
	if w := do(h, request("GET", link, "", "If-None-Match", `"`+c.ID+`"`)); w.Code != 304 || w.Body.Len() != 0 {
		t.Errorf("with its tag: %d %q, want 304", w.Code, w.Body)
	}
	bad := do(h, request("GET", link, "", "Range", "bytes=10-"))
	wantError(t, bad, 416, frame.CodeRangeNotSatisfiable, "")
	for _, name := range []string{"Content-Disposition", "ETag"} {
		if got := bad.Header().Get(name); got != "" {
			t.Errorf("416 has %s %q", name, got)
		}
	}
	wantError(t, do(h, request("POST", link, "{}")), 405, frame.CodeMethodNotAllowed, "")
	if w := do(h, request("OPTIONS", link, "")); w.Code != 204 || w.Header().Get("Access-Control-Allow-Methods") != "GET, HEAD" {
		t.Errorf("OPTIONS = %d %v", w.Code, w.Header())
	}
}

// TestClipNotFound: forged, expired and foreign links are all the same 404.
func TestClipNotFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clips := newClips(t, dir)
	_, link := keepClip(t, clips, "org_a", "0123456789")
	other, _ := keepClip(t, clips, "org_b", "9876543210")
	past, err := clip.Open(clip.Config{Dir: dir, MaxBytes: 256 << 20, Secret: seal.New(bytes.Repeat([]byte{1}, 32)),
		Now: func() time.Time { return time.Now().Add(-time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = past.Close() })
	_, expired := keepClip(t, past, "org_a", "0123456789")
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	change := func(name, value string) string {
		v := *u
		q := v.Query()
		q.Set(name, value)
		v.RawQuery = q.Encode()
		return v.String()
	}
	h := newHandler(t, Config{Clips: clips, Accounts: accounts{caller: account.Caller{OrgID: "org_b", KeyID: "key_b"}}})
	var want failure
	for i, tt := range []struct{ name, link, key string }{
		{"another organisation's key", link, testKey},
		{"expired", expired, ""},
		{"prolonged", change("expires", "99999999999"), ""},
		{"another signature", change("signature", strings.Repeat("A", 22)), ""},
		{"no signature", u.Path, ""},
		{"no signature, with the owner's key", clip.Path + other.Name, testKey},
		{"another clip", clip.Path + other.Name + "?" + u.RawQuery, ""},
		{"another extension", strings.Replace(link, ".pcm", ".html", 1), ""},
		{"no extension", strings.Replace(link, ".pcm", "", 1), ""},
		{"two extensions", strings.Replace(link, ".pcm", ".pcm.pcm", 1), ""},
		{"bytes", clip.Path + "%00%ff?expires=%ff&signature=%00", ""},
		{"a path", clip.Path + "..%2fsecret?" + u.RawQuery, ""},
		{"broken query", clip.Path + other.Name + "?expires=%zz;&signature", ""},
	} {
		got := wantError(t, do(h, request("GET", tt.link, "", "xi-api-key", tt.key)), 404, "clip_not_found", "")
		if i == 0 {
			want = got
		} else if got != want {
			t.Errorf("%s: %+v, want %+v as for the others", tt.name, got, want)
		}
	}
	wantError(t, do(h, request("GET", link, "", "xi-api-key", "wrong")), 401, "invalid_api_key", "")
	wantError(t, do(h, request("GET", "/v1/audio/clips/x", "", "xi-api-key", "wrong")), 401, "invalid_api_key", "")
	wantError(t, do(h, request("GET", link, "", "xi-api-key", "a", "Authorization", "Bearer b")), 401, "invalid_api_key", "")
	wantError(t, do(h, request("GET", link, "", "xi-api-key", "down")), 503, "store_unavailable", "")
	if w := do(h, request("GET", link, "")); w.Code != 200 {
		t.Errorf("without a key: %d, want 200", w.Code)
	}
	wantError(t, do(newHandler(t, Config{}), request("GET", link, "")), 404, "not_found", "")
}

// closing tells when a clip was closed.
type closing struct {
	speech.Clips
	closed chan struct{}
}

type closingBody struct {
	io.ReadSeekCloser
	closed chan struct{}
}

func (c closing) Linked(ctx context.Context, id, expires, signature string) (clip.Content, error) {
	content, err := c.Clips.Linked(ctx, id, expires, signature)
	content.Body = closingBody{content.Body, c.closed}
	return content, err
}

func (b closingBody) Close() error {
	defer close(b.closed)
	return b.ReadSeekCloser.Close()
}

// TestClipReaderLeaves: a reader who leaves in the middle leaves no file open.
func TestClipReaderLeaves(t *testing.T) {
	t.Parallel()
	clips := newClips(t, t.TempDir())
	_, link := keepClip(t, clips, "org_a", strings.Repeat("0123456789", 3<<20))
	closed := make(chan struct{})
	server := httptest.NewServer(newHandler(t, Config{Clips: closing{clips, closed}}))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(conn, "GET "+link+" HTTP/1.1\r\nHost: x.test\r\n\r\n")
	if _, rerr := io.ReadFull(conn, make([]byte, 1000)); errors.Join(err, rerr) != nil {
		t.Fatal(err, rerr)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Error("the clip is still open")
	}
}

// FuzzClipLink: no link gives a fault of the server, or a clip that it does not name.
func FuzzClipLink(f *testing.F) {
	clips := newClips(f, f.TempDir())
	c, link := keepClip(f, clips, "org_a", "0123456789")
	h := newHandler(f, Config{Clips: clips})
	u, err := url.Parse(link)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(c.Name, u.RawQuery, "")
	f.Add(c.Name, u.RawQuery, "bytes=0-1,5-")
	f.Add("..", "expires=-1&signature=é", "bytes=9-1")
	f.Fuzz(func(t *testing.T, file, query, wanted string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path, r.URL.RawQuery = clip.Path+file, query
		r.Header.Set("Range", wanted)
		w := do(h, r)
		if w.Code >= 500 || w.Code == 200 && w.Body.String() != "0123456789" {
			t.Errorf("GET %q ? %q = %d %.100q", file, query, w.Code, w.Body)
		}
	})
}

// elsewhere are clips that are also kept at another address.
type elsewhere struct{ *clip.Service }

func (elsewhere) Direct(context.Context, clip.Clip) (string, error) {
	return "https://storage.example.org/clip?signature=x", nil
}

// TestClipElsewhere redirects to where a clip is kept, only those who may have it and follow.
func TestClipElsewhere(t *testing.T) {
	t.Parallel()
	clips := newClips(t, t.TempDir())
	_, link := keepClip(t, clips, account.Local.OrgID, "0123456789")
	h := newHandler(t, Config{Clips: elsewhere{clips}})
	for name, tt := range map[string]struct {
		method, link, header, value string
		want                        int
	}{
		"a client":             {http.MethodGet, link, "", "", http.StatusFound},
		"one who wants a part": {http.MethodGet, link, "Range", "bytes=0-1", http.StatusFound},
		"HEAD":                 {http.MethodHead, link, "", "", http.StatusOK},
		"our own pages":        {http.MethodGet, link, "Sec-Fetch-Site", "same-origin", http.StatusOK},
		"a forged link":        {http.MethodGet, link + "x", "", "", http.StatusNotFound},
	} {
		req := httptest.NewRequest(tt.method, tt.link, nil)
		if tt.header != "" {
			req.Header.Set(tt.header, tt.value)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		if w.Code != tt.want || (w.Header().Get("Location") != "") != (tt.want == http.StatusFound) {
			t.Errorf("%s: %d to %q, want %d", name, w.Code, w.Header().Get("Location"), tt.want)
		}
		if w.Code == http.StatusFound && (!strings.Contains(w.Header().Get("Cache-Control"), "private") || w.Header().Get("Vary") == "") {
			t.Errorf("%s: %v", name, w.Header())
		}
	}
}
