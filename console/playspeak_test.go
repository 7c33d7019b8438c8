package console

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf16"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/audio"
	"vaak/audio/codec"
	"vaak/console/page"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/engine/espeak"
	"vaak/identity"
	"vaak/internal/fault"
	"vaak/speech"
)

// startLine and endLine are the first and the last line of the stream, as the script of
// the playground reads them.
type startLine struct {
	Voice       string   `json:"voice"`
	Speaker     string   `json:"speaker"`
	Language    string   `json:"language"`
	Characters  int      `json:"characters"`
	Format      string   `json:"format"`
	ContentType string   `json:"content_type"`
	SampleRate  int      `json:"sample_rate"`
	File        bool     `json:"file"`
	FileName    string   `json:"file_name"`
	Notices     []string `json:"notices"`
}

type endLine struct {
	Charged    int     `json:"charged"`
	Audio      int64   `json:"audio_ms"`
	FirstAudio float64 `json:"first_audio_ms"`
	Total      float64 `json:"total_ms"`
}

// spokenLine is a line of the stream.
type spokenLine struct {
	Start *startLine
	Audio *[]byte
	Words [][4]int
	File  []byte
	Head  []byte
	End   *endLine
	Error *struct{ Message string }
}

// played is a stream that was taken apart.
type played struct {
	start startLine
	pcm   []byte
	words [][4]int
	file  []byte
	end   *endLine
	wrong string
}

// playedOf checks the order of the lines of a stream and puts them together.
func playedOf(t testing.TB, body []byte) (p played) {
	t.Helper()
	for i, text := range bytes.Split(bytes.TrimSuffix(body, []byte("\n")), []byte("\n")) {
		var l spokenLine
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatalf("line %d is no JSON: %v\n%.200s", i, err, text)
		}
		if (l.Start != nil) != (i == 0) {
			t.Fatalf("line %d: start is not the first line alone:\n%.200s", i, text)
		}
		if p.end != nil || p.wrong != "" {
			t.Fatalf("line %d comes behind the end:\n%.200s", i, text)
		}
		switch {
		case l.Start != nil:
			p.start = *l.Start
		case l.Audio != nil:
			p.pcm = append(p.pcm, *l.Audio...)
			p.words = append(p.words, l.Words...)
		case l.File != nil:
			p.file = append(p.file, l.File...)
		case l.Head != nil:
			copy(p.file, l.Head)
		case l.End != nil:
			p.end = l.End
		case l.Error != nil:
			p.wrong = l.Error.Message
		default:
			t.Fatalf("line %d is none of ours: %.200s", i, text)
		}
	}
	return p
}

// speak posts the form as the script does.
func (b *browser) speak(org account.Organisation, fields ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	return b.do(http.MethodPost, "/o/"+org.ID+"/playground/speak", strings.NewReader(encoded(fields...).Encode()),
		"Content-Type", "application/x-www-form-urlencoded", "Origin", site, "Accept", "application/x-ndjson")
}

// said takes apart the answer to a request that went well.
func said(t testing.TB, rec *httptest.ResponseRecorder) played {
	t.Helper()
	if got := rec.Header().Get("Content-Type"); rec.Code != http.StatusOK || got != "application/x-ndjson" {
		t.Fatalf("status %d, %s:\n%.500s", rec.Code, got, rec.Body)
	}
	p := playedOf(t, rec.Body.Bytes())
	if p.end == nil {
		t.Fatalf("the stream ends with %q", p.wrong)
	}
	return p
}

func TestPlaySpeak(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const text = "Hello 😀 there,\r\nfriend"
	p := said(t, w.as(t, w.member).speak(w.acme, "input", text, "voice", "Hannah · English", "lang", "en", "speed", "1", "response_format", "pcm", "sample_rate", "16000"))
	if p.start.Voice == "" || p.start.Speaker != "Hannah · English" || p.start.Language != "en" || p.start.Characters != 21 || p.start.Format != "pcm" ||
		p.start.SampleRate != 16000 || p.start.File || p.start.FileName != "hannah-en.pcm" || p.start.ContentType != "audio/pcm; rate=16000; channels=1" {
		t.Errorf("start %+v", p.start)
	}
	want := time.Duration(len(p.pcm)/2) * time.Second / 16000
	if p.end.Charged != 21 || math.Abs(float64(p.end.Audio)-float64(want.Milliseconds())) > 1 || p.end.FirstAudio <= 0 || p.end.Total < p.end.FirstAudio {
		t.Errorf("end %+v, want 21 characters and %s", p.end, want)
	}
	units := utf16.Encode([]rune(strings.ReplaceAll(text, "\r", "")))
	var words []string
	at := 0
	for _, h := range p.words {
		words = append(words, string(utf16.Decode(units[h[0]:h[1]])))
		if h[2] < at || h[3] <= h[2] || int64(h[3]) > p.end.Audio+1 {
			t.Errorf("word %v is out of order or beyond %d ms", h, p.end.Audio)
		}
		at = h[2]
	}
	if got := strings.Join(words, "|"); got != "Hello|😀|there,|friend" && got != "Hello|there,|friend" {
		t.Errorf("words %s", got)
	}
}

// TestPlayFormats compares the file with what the same text is answered with whole.
func TestPlayFormats(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	for _, c := range codec.Available() {
		for _, rate := range []string{"", "8000", "22050", "44100"} {
			fields := []string{"input", "One two three.", "lang", "en", "response_format", string(c), "sample_rate", rate}
			whole := b.post("/o/"+w.acme.ID+"/playground/speak", fields...)
			if whole.Code != http.StatusOK {
				t.Fatalf("%s %s: status %d: %.300s", c, rate, whole.Code, whole.Body)
			}
			p := said(t, b.speak(w.acme, fields...))
			if got := whole.Header().Get("Content-Type"); got != p.start.ContentType {
				t.Errorf("%s %s: %s, and %s whole", c, rate, p.start.ContentType, got)
			}
			has(t, whole.Header().Get("Content-Disposition"), "inline", p.start.FileName)
			file := p.file
			switch c {
			case audio.PCM:
				file = p.pcm
			case audio.WAV:
				file = append(bytes.Clone(whole.Body.Bytes()[:44]), p.pcm...)
			}
			if p.start.File == (c == audio.PCM || c == audio.WAV) {
				t.Errorf("%s: start says file %v", c, p.start.File)
			}
			if !bytes.Equal(file, whole.Body.Bytes()) {
				t.Errorf("%s %s: the file has %d bytes, and %d whole, or others", c, rate, len(file), whole.Body.Len())
			}
			if len(p.words) != 3 {
				t.Errorf("%s %s: words %v", c, rate, p.words)
			}
		}
	}
}

// TestPlayCharge charges what is spoken to the organisation, under the console's name.
func TestPlayCharge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limit(t, ledger.Plan{Name: "Small", MonthlyCharacters: 30, RequestsPerMinute: 3, MaxStreams: 1})
	b := w.as(t, w.member)
	said(t, b.speak(w.acme, "input", "Ten chars.", "response_format", "mp3"))
	if rec := b.post("/o/"+w.acme.ID+"/playground/speak", "input", "Ten chars!"); rec.Code != http.StatusOK {
		t.Errorf("without scripts: status %d", rec.Code)
	}
	refused(t, b.speak(w.acme, "input", "Eleven char"), http.StatusPaymentRequired, "", "")
	rec := b.speak(w.acme, "input", "Ten chars.")
	refused(t, rec, http.StatusTooManyRequests, "", "3 requests a minute")
	if rec.Header().Get("Retry-After") == "" {
		t.Error("nothing says when to try again")
	}
	said(t, w.as(t, w.another).speak(w.other, "input", "Not theirs."))
	used := w.charged(t, w.acme)
	if got := used[account.ConsoleKey]; len(used) != 1 || got.Characters != 20 || got.Requests != 2 || got.Audio <= 0 {
		t.Errorf("used %+v, want 20 characters under %q", used, account.ConsoleKey)
	}
	var got []string
	for _, r := range w.speakings(t) {
		if r.KeyID != account.ConsoleKey || r.Route != "console /playground" || r.ID == "" {
			t.Errorf("record %+v", r)
		}
		got = append(got, r.Code)
	}
	if want := fault.CodeRateLimited + " " + fault.CodeInsufficientQuota + "  "; strings.Join(got, " ") != want {
		t.Errorf("codes %q, want %q", got, want)
	}
}

// speakings returns the records of Acme's requests, the latest first. Nothing is charged
// any more.
func (w *world) speakings(t testing.TB) []account.RequestRecord {
	t.Helper()
	if err := w.accounts.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := w.accounts.Requests(t.Context(), w.acme.ID, account.RequestQuery{Limit: account.MaxRequests})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// refused checks a refusal before anything was spoken.
func refused(t testing.TB, rec *httptest.ResponseRecorder, status int, field, words string) {
	t.Helper()
	var body struct {
		Error struct{ Message, Field string }
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
		t.Fatalf("status %d: %v\n%.300s", rec.Code, err, rec.Body)
	}
	if rec.Code != status || body.Error.Field != field || !strings.Contains(body.Error.Message, words) || body.Error.Message == "" {
		t.Errorf("status %d, %+v, want %d, field %q and %q", rec.Code, body.Error, status, field, words)
	}
}

func TestPlayRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	foreign := w.addDictionary(t, w.other)
	b := w.as(t, w.member)
	refused(t, b.speak(w.acme), 400, "input", "Type a text.")
	refused(t, b.speak(w.acme, "input", strings.Repeat("é", 5001)), 400, "input", "5,001 characters")
	refused(t, b.speak(w.acme, "input", "a", "voice", "bob"), 404, "voice", "bob")
	refused(t, b.speak(w.acme, "input", "a", "lang", "klingon"), 400, "lang", "klingon")
	refused(t, b.speak(w.acme, "input", "a", "response_format", "wma"), 400, "response_format", "wma")
	refused(t, b.speak(w.acme, "input", "a", "sample_rate", "1"), 400, "sample_rate", "1")
	refused(t, b.speak(w.acme, "input", "a", "speed", "3"), 400, "speed", "outside 0.7 to 1.5")
	refused(t, b.speak(w.acme, "input", "a", "dictionary", foreign), 404, "dictionary", "no such dictionary")
	refused(t, b.speak(w.acme, "input", strings.Repeat("a", 1<<20)), 413, "input", "5,000")
	refused(t, b.speak(w.acme, "input", "a\x00"), 400, "input", "UTF-8")
	shown(t, b.speak(w.other, "input", "a"), http.StatusNotFound)
	moved(t, w.as(t, identity.Person{}).speak(w.acme, "input", "a"), page.SignInPath)
	if rec := b.do(http.MethodPost, "/o/"+w.acme.ID+"/playground/speak", strings.NewReader("input=a"),
		"Content-Type", "application/x-www-form-urlencoded", "Origin", "http://evil.test", "Sec-Fetch-Site", "cross-site"); rec.Code != http.StatusForbidden {
		t.Errorf("from another site: status %d", rec.Code)
	}
	body := shown(t, b.post("/o/"+w.acme.ID+"/playground/speak", "input", "abc", "speed", "3"), 400)
	has(t, body, `role="alert">Speed 3 is outside`, "abc</textarea>", `name="speed" type="range"`)
	if used := w.charged(t, w.acme); len(used) > 0 {
		t.Errorf("refusals were charged: %+v", used)
	}
}

// humming has the engine of a world call before ahead of each frame, with its number.
func humming(t testing.TB, before func(ctx context.Context, frame int64) error) func(*world, *Config) {
	return func(w *world, c *Config) {
		var frames atomic.Int64
		tone := &enginetest.Tone{Before: func(ctx context.Context, _ engine.Utterance) error { return before(ctx, frames.Add(1)) }}
		var err error
		if c.Speech, err = speech.New(speech.Config{Engines: engine.Set{tone}, Ledger: w.accounts, PreviewDir: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlayBreaksOff says what is wrong when the engine fails after it has begun.
func TestPlayBreaksOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, humming(t, func(_ context.Context, frame int64) error {
		if frame > 8 {
			return errors.New("the engine of the test failed")
		}
		return nil
	}))
	p := playedOf(t, w.as(t, w.member).speak(w.acme, "input", "one two three four five six seven eight nine ten", "lang", "en", "response_format", "flac").Body.Bytes())
	if p.end != nil || !strings.Contains(p.wrong, "The fault is ours") || strings.Contains(p.wrong, "of the test") || len(p.pcm) == 0 {
		t.Errorf("end %+v, error %q behind %d bytes", p.end, p.wrong, len(p.pcm))
	}
	if used := w.charged(t, w.acme); used[account.ConsoleKey].Characters != 0 {
		t.Errorf("a fault of ours was charged: %+v", used)
	}
	if all := w.speakings(t); len(all) != 1 || all[0].Code != "internal_error" || all[0].Status != http.StatusInternalServerError {
		t.Errorf("records %+v", all)
	}
}

// TestPlayLeave stops speaking when the browser leaves, and charges what it got.
func TestPlayLeave(t *testing.T) {
	t.Parallel()
	speaking, stopped := make(chan struct{}), make(chan struct{})
	w := newWorld(t, humming(t, func(ctx context.Context, frame int64) error {
		if frame == 12 {
			close(speaking)
			<-ctx.Done()
			close(stopped)
		}
		return nil
	}))
	srv := httptest.NewServer(w)
	defer srv.Close()
	b := w.as(t, w.member)
	ctx, leave := context.WithTimeout(t.Context(), time.Minute)
	defer leave()
	text := strings.Repeat("word ", 100)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+"/o/"+w.acme.ID+"/playground/speak", strings.NewReader(encoded("input", text, "lang", "en").Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/x-ndjson")
	req.AddCookie(b.cookie)
	res, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	ended := make(chan error)
	go func() {
		_, err := io.Copy(io.Discard, res.Body)
		ended <- err
	}()
	<-speaking
	leave()
	if err := <-ended; err == nil {
		t.Error("the stream ended whole")
	}
	<-stopped
	srv.Close() // waits for the request
	used := w.charged(t, w.acme)[account.ConsoleKey]
	if used.Characters <= 0 || used.Characters >= int64(len(text)) {
		t.Errorf("charged %d of %d characters", used.Characters, len(text))
	}
	all := w.speakings(t)
	if len(all) != 1 || all[0].Status != 499 || all[0].Code != "client_closed_request" || all[0].Characters != used.Characters {
		t.Errorf("records %+v, want one of a browser that left with %d characters", all, used.Characters)
	}
}

// TestPlayStreams gives the slot back, also of a stream that was refused.
func TestPlayStreams(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	w := newWorld(t, humming(t, func(_ context.Context, frame int64) error {
		if frame == 1 {
			close(begun)
			<-goOn
		}
		return nil
	}))
	w.limit(t, ledger.Plan{Name: "One", MonthlyCharacters: ledger.Unlimited, RequestsPerMinute: ledger.Unlimited, MaxStreams: 1})
	first := make(chan *httptest.ResponseRecorder)
	one, two := w.as(t, w.member), w.as(t, w.operator)
	go func() { first <- one.speak(w.acme, "input", "one two", "lang", "en") }()
	<-begun
	refused(t, two.speak(w.acme, "input", "one", "lang", "en"), http.StatusTooManyRequests, "", "1 streams at once")
	close(goOn)
	said(t, <-first)
	said(t, two.speak(w.acme, "input", "one", "lang", "en"))
}

// TestPlayReal compares the times of words with the sound of the real engine.
func TestPlayReal(t *testing.T) {
	t.Parallel()
	e, err := espeak.Open(espeak.Config{Worker: enginetest.Worker(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	w := newWorld(t, func(w *world, c *Config) {
		if c.Speech, err = speech.New(speech.Config{Engines: engine.Set{e}, Ledger: w.accounts, PreviewDir: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
	})
	for _, c := range []struct {
		text  string
		words int
	}{
		{"The train leaves at 7:45. It stops, twice, before noon.", 10},
		{"आपका कुल बिल ₹1,249 है।", 5},
		{"今天天气很好。", 6},
		{"Hello नमस्ते 😀 bye", 3},
	} {
		p := said(t, w.as(t, w.member).speak(w.acme, "input", c.text, "response_format", "flac", "sample_rate", "48000", "speed", "1.2"))
		if len(p.words) < c.words || len(p.words) > c.words+1 { // an emoji may have a time of its own
			t.Errorf("%q has the words %v, want %d", c.text, p.words, c.words)
		}
		last := p.words[len(p.words)-1]
		if total := int(p.end.Audio); last[3] > total+1 || last[2] < total/3 {
			t.Errorf("%q: the last word %v is not where %d ms of sound end", c.text, last, total)
		}
		for i, h := range p.words {
			loudest := 0
			for at := h[2] * 48; at < min(h[3]*48, len(p.pcm)/2); at++ {
				s := int(int16(binary.LittleEndian.Uint16(p.pcm[2*at:])))
				loudest = max(loudest, s, -s)
			}
			if loudest < 1000 && len(p.words) == c.words {
				t.Errorf("%q: nothing is heard of word %d, %v", c.text, i, h)
			}
		}
		if !bytes.HasPrefix(p.file, []byte("fLaC")) {
			t.Errorf("the file begins with %q", p.file[:min(4, len(p.file))])
		}
	}
}
