package mcp_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/internal/fault"
	"vaak/mcp/speech"
	"vaak/speech/clip"
)

// follow reads a link as somebody without a key does.
func (w *world) follow(t testing.TB, link string) (clip.Content, error) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	id, _, _ := strings.Cut(path.Base(u.Path), ".")
	return w.clips.Linked(t.Context(), id, u.Query().Get("expires"), u.Query().Get("signature"))
}

// idOf is the id of the clip of a link.
func idOf(link string) string {
	u, _ := url.Parse(link) // the id of a bad one is no id
	id, _, _ := strings.Cut(path.Base(u.Path), ".")
	return id
}

// TestLink speaks, and reads the link and the resource many times: only the
// speaking is charged.
func TestLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	const text = "Alpha beta."
	var r toolResult
	if got := w.charged(t, "alpha", func() {
		r = w.call(t, "alpha", "synthesize_speech", map[string]any{"text": text, "format": "wav"})
	}); got != int64(len(text)) {
		t.Errorf("charged %d characters, want %d", got, len(text))
	}
	s := spokenOf(t, r)
	if s.Delivery != "link" || !strings.HasPrefix(s.AudioURL, "https://speech.example.org/v1/audio/clips/clip_") || s.MIMEType != "audio/wav" {
		t.Fatalf("result = %s, want a link", r.StructuredContent)
	}
	if d := time.Until(s.ExpiresAt); d > 15*time.Minute || d < 10*time.Minute {
		t.Errorf("the link expires in %s, want 15 minutes", d)
	}
	if s.CharactersRemaining == nil || *s.CharactersRemaining != w.report(t, "alpha").Balance.Remaining {
		t.Errorf("characters_remaining = %v, want %d", s.CharactersRemaining, w.report(t, "alpha").Balance.Remaining)
	}
	if len(r.Content) != 2 || !strings.Contains(r.text(), s.AudioURL+"\n") {
		t.Fatalf("contents = %+v, want a text with the URL and a link", r.Content)
	}
	if l := r.Content[1]; l.Type != "resource_link" || l.URI != s.AudioURL || l.Name != idOf(l.URI)+".wav" || l.MIMEType != "audio/wav" || l.Size != s.Bytes {
		t.Errorf("link = %+v, want a resource_link to %s of %d bytes", l, s.AudioURL, s.Bytes)
	}
	inline := w.call(t, "alpha", "synthesize_speech", map[string]any{"text": text, "format": "wav", "delivery": "inline"})
	want, err := base64.StdEncoding.DecodeString(inline.Content[1].Data)
	if err != nil || len(want) == 0 {
		t.Fatal(err)
	}
	if got := w.charged(t, "alpha", func() {
		for range 3 {
			c, err := w.follow(t, s.AudioURL)
			if err != nil {
				t.Fatal(err)
			}
			if got := all(t, c.Body); !bytes.Equal(got, want) {
				t.Errorf("the link leads to %d bytes, want the %d that are spoken inline", len(got), len(want))
			}
			res, failed := w.read(t, "alpha", "speech://audio/"+idOf(s.AudioURL))
			if failed != "" || res.MIMEType != "audio/wav" || !bytes.Equal(res.Blob, want) {
				t.Errorf("the resource is %d bytes of %s (%s), want %d", len(res.Blob), res.MIMEType, failed, len(want))
			}
		}
	}); got != 0 {
		t.Errorf("reading was charged %d characters", got)
	}
}

// TestSameTextAgain: an answer that is kept costs what it cost, and each call has
// a link of its own.
func TestSameTextAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	seen := map[string]bool{}
	for range 3 {
		if got := w.charged(t, "alpha", func() {
			seen[spokenOf(t, w.call(t, "alpha", "synthesize_speech", map[string]any{"text": "Alpha beta."})).AudioURL] = true
		}); got != 11 {
			t.Errorf("charged %d characters, want 11", got)
		}
	}
	if len(seen) != 3 || w.files(t) != 3 {
		t.Errorf("%d links to %d clips, want 3", len(seen), w.files(t))
	}
}

// TestForeignClips: a clip is its owner's, and nobody learns whether there is
// one; a link cannot be made of another.
func TestForeignClips(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	mine := spokenOf(t, w.call(t, "alpha", "synthesize_speech", map[string]any{"text": "Alpha."})).AudioURL
	theirs := spokenOf(t, w.call(t, "beta", "synthesize_speech", map[string]any{"text": "Beta."})).AudioURL
	unknown := "clip_" + strings.Repeat("a", 26)
	_, want := w.read(t, "beta", "speech://audio/"+unknown)
	for _, id := range []string{idOf(mine), strings.ToUpper(idOf(mine)), "..", "%2e%2e%2f" + idOf(mine), ""} {
		if res, failed := w.read(t, "beta", "speech://audio/"+id); id != "" && failed != want || len(res.Blob) > 0 {
			t.Errorf("reading %q of another organisation = %q, want %q as of an unknown one", id, failed, want)
		}
	}
	if !strings.Contains(want, "clip_not_found") {
		t.Errorf("reading an unknown clip = %q, want clip_not_found", want)
	}
	for name, link := range map[string]string{
		"id exchanged":   strings.Replace(theirs, idOf(theirs), idOf(mine), 1),
		"later expiry":   strings.Replace(theirs, "expires=", "expires=9", 1),
		"no signature":   theirs[:strings.Index(theirs, "&signature=")],
		"unknown clip":   strings.Replace(theirs, idOf(theirs), unknown, 1),
		"other's expiry": strings.Replace(mine, "signature=", "signature=A", 1),
	} {
		if _, err := w.follow(t, link); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s: the link gives %v, want not_found", name, err)
		}
	}
}

// TestLargeInline asks for more than fits into a result: it is linked, and the
// result says why.
func TestLargeInline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	text := strings.Repeat("abcdefghi ", 15) // 11 s
	var s spoken
	var r toolResult
	if got := w.charged(t, "alpha", func() {
		r = w.call(t, "alpha", "synthesize_speech", map[string]any{"text": text, "format": "wav", "delivery": "inline"})
		s = spokenOf(t, r)
	}); got != int64(len(text)) {
		t.Errorf("charged %d characters, want %d", got, len(text))
	}
	if s.Delivery != "link" || s.Bytes <= 256<<10 || len(s.Notices) != 1 || !strings.Contains(s.Notices[0], "262144 bytes") || !strings.Contains(r.text(), s.Notices[0]) {
		t.Errorf("result = %s, want a link and why", r.StructuredContent)
	}
	c, err := w.follow(t, s.AudioURL)
	if err != nil {
		t.Fatal(err)
	}
	if got := all(t, c.Body); int64(len(got)) != s.Bytes || !bytes.HasPrefix(got, []byte("RIFF")) {
		t.Errorf("the link leads to %d bytes that begin with %.4q, want %d of wav", len(got), got, s.Bytes)
	}
}

// TestLargeResource: a resource carries little; the link carries all.
func TestLargeResource(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	text := strings.Repeat("abcdefghi ", 35) // 27 s
	s := spokenOf(t, w.call(t, "alpha", "synthesize_speech", map[string]any{"text": text, "format": "wav"}))
	if s.Bytes <= 1<<20 {
		t.Fatalf("%d bytes are not over the bound", s.Bytes)
	}
	if _, failed := w.read(t, "alpha", "speech://audio/"+idOf(s.AudioURL)); !strings.Contains(failed, "audio_too_large") || !strings.Contains(failed, "audio_url") {
		t.Errorf("reading %d bytes = %q, want audio_too_large and the way out", s.Bytes, failed)
	}
}

// broken are clips that fail at one step.
type broken struct {
	speech.Clips
	begin error
	dir   string // "" or the directory that a draft is taken from before it is kept
}

func (b broken) Begin(org string) (*clip.Draft, error) {
	if b.begin != nil {
		return nil, b.begin
	}
	d, err := b.Clips.Begin(org)
	if err == nil && b.dir != "" {
		files, _ := filepath.Glob(filepath.Join(b.dir, "clip_*")) // the pattern is good
		for _, f := range files {
			_ = os.Remove(f) // the draft notices
		}
	}
	return d, err
}

// TestClipsFail: what cannot be kept is in the result when it fits, and costs
// nothing when it does not.
func TestClipsFail(t *testing.T) {
	t.Parallel()
	full := fault.Down(fault.CodeStoreUnavailable, time.Minute, errors.New("no space left on device"), "there is no room for the audio")
	long := strings.Repeat("abcdefghi ", 50)
	for _, tt := range []struct {
		name, text, delivery string
		fails                func(*world) broken
		room                 int64
		inline               bool
	}{
		{"begin, small", "Alpha.", "link", func(*world) broken { return broken{begin: full} }, 0, true},
		{"begin, large", long, "link", func(*world) broken { return broken{begin: full} }, 0, false},
		{"begin, large inline", long, "inline", func(*world) broken { return broken{begin: full} }, 0, false},
		{"write, large", long, "link", nil, clip.MinRoom, false},
		{"keep, small", "Alpha.", "link", func(w *world) broken { return broken{dir: w.clipDir} }, 0, true},
		{"keep, large", long, "link", func(w *world) broken { return broken{dir: w.clipDir} }, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var clips broken
			w := newWorld(t, deployment{room: tt.room, clips: func(speech.Clips) speech.Clips { return &clips }})
			if tt.fails != nil {
				clips = tt.fails(w)
			}
			clips.Clips = w.clips
			for range 2 { // the second would come from the cache
				var r toolResult
				got := w.charged(t, "alpha", func() {
					r = w.call(t, "alpha", "synthesize_speech", map[string]any{"text": tt.text, "format": "wav", "delivery": tt.delivery})
				})
				if !tt.inline {
					if !r.IsError || got != 0 {
						t.Errorf("charged %d characters for %s, want an error and no charge", got, r.text())
					}
					if forGood := tt.room > 0; strings.Contains(r.text(), "too large to be kept") != forGood || strings.Contains(r.text(), "just now") == forGood {
						t.Errorf("the error is %s, want one for good: %v", r.text(), forGood)
					}
					continue
				}
				s := spokenOf(t, r)
				if got != int64(len(tt.text)) || s.Delivery != "inline" || len(r.Content) != 2 || len(s.Notices) != 1 || s.AudioURL != "" {
					t.Errorf("charged %d characters for %s, want inline audio for %d", got, r.text(), len(tt.text))
				}
			}
			if n := w.files(t); n != 0 {
				t.Errorf("%d files are left", n)
			}
		})
	}
}

// TestTwoAtOnce: calls do not meet.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	texts := []string{"Alpha beta.", "Gamma delta epsilon.", "Alpha beta.", "Zeta."}
	results := make([]toolResult, len(texts))
	var calls sync.WaitGroup
	for i, text := range texts {
		calls.Go(func() {
			_, body, err := tryPost(t.Context(), w.url, request(i, "synthesize_speech", map[string]any{"text": text, "format": "wav"}), map[string][]string{"Authorization": {"Bearer " + w.keys["alpha"]}})
			if err != nil {
				t.Error(err)
				return
			}
			results[i] = decodeResult(t, body)
		})
	}
	calls.Wait()
	seen := map[string]bool{}
	for i, r := range results {
		s := spokenOf(t, r)
		c, err := w.follow(t, s.AudioURL)
		if err != nil {
			t.Fatal(err)
		}
		if got := all(t, c.Body); int64(len(got)) != s.Bytes || s.Characters != len(texts[i]) || seen[s.AudioURL] {
			t.Errorf("call %d has %d bytes at %s, want %d at a link of its own", i, len(got), s.AudioURL, s.Bytes)
		}
		seen[s.AudioURL] = true
	}
}

// TestAudioIsPrivate: no cache between may keep the audio of a caller for others.
func TestAudioIsPrivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	uri := "speech://audio/" + idOf(spokenOf(t, w.call(t, "alpha", "synthesize_speech", map[string]any{"text": "Alpha."})).AudioURL)
	_, body := post(t, w.url, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+`",`+
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		map[string][]string{"Authorization": {"Bearer " + w.keys["alpha"]}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"resources/read"}, "Mcp-Name": {uri}})
	var m struct {
		Result struct {
			CacheScope string
			TTLMs      int
			Contents   []resourceContent
		}
	}
	if err := json.Unmarshal(body, &m); err != nil || m.Result.CacheScope != "private" || m.Result.TTLMs > 60_000 || len(m.Result.Contents) != 1 {
		t.Errorf("resources/read = %.400s (%v), want a content that is private for a minute at most", body, err)
	}
}
