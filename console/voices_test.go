package console

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"vaak/account"
	"vaak/console/page"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/identity"
	"vaak/speech"
	"vaak/voice"
)

// playLink is where a preview is.
var playLink = regexp.MustCompile(`href="/voices/(sv_[a-z2-7]{16})/preview"`)

// voicesIn returns the ids of the voices on a page.
func voicesIn(body string) []voice.ID {
	var ids []voice.ID
	for _, m := range playLink.FindAllStringSubmatch(body, -1) {
		ids = append(ids, voice.ID(m[1]))
	}
	return ids
}

func TestVoicesArePaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	at := "/o/" + w.acme.ID + "/voices"
	var all []voice.ID
	pages := 0
	for next := at; next != ""; pages++ {
		body := shown(t, b.get(next), http.StatusOK)
		has(t, body, "320 voices")
		if n := len(body); n > 150<<10 {
			t.Errorf("%s has %d bytes", next, n)
		}
		all = append(all, voicesIn(body)...)
		next = ""
		if m := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(body); m != nil {
			next = html.UnescapeString(m[1])
		}
	}
	want := voice.All()
	if pages != 8 || len(all) != len(want) {
		t.Fatalf("%d pages have %d voices, want 8 with %d", pages, len(all), len(want))
	}
	for i, v := range want {
		if all[i] != v.ID {
			t.Fatalf("voice %d is %s, want %s", i, all[i], v.ID)
		}
	}
}

func TestVoicesAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	first := voice.All()[0]
	for _, tt := range []struct {
		name  string
		query url.Values
		want  func(voice.Voice) bool
	}{
		{"an id", url.Values{"search": {string(first.ID)}}, func(v voice.Voice) bool { return v.ID == first.ID }},
		{"words as the API finds them", url.Values{"search": {"hin FEMALE"}}, nil},
		{"a language", url.Values{"language": {"ta"}}, func(v voice.Voice) bool { return v.Native == "ta" }},
		{"a language and a gender", url.Values{"language": {"ta"}, "gender": {"female"}}, func(v voice.Voice) bool { return v.Native == "ta" && v.Gender == voice.Female }},
		{"a quality", url.Values{"quality": {"basic"}}, func(v voice.Voice) bool { return v.QualityBand == voice.Basic }},
		{"an accent", url.Values{"accent": {first.Accent}}, func(v voice.Voice) bool { return v.Accent == first.Accent }},
		{"nothing", url.Values{"search": {"zzzz"}}, func(voice.Voice) bool { return false }},
		{"a value that is none", url.Values{"language": {`"><script>`}}, func(voice.Voice) bool { return false }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := w.as(t, w.member)
			path := "/o/" + w.acme.ID + "/voices?" + tt.query.Encode()
			body := shown(t, b.get(path), http.StatusOK)
			lacks(t, body, `"><script>`)
			want := voice.BuiltIn().Select(voice.Query{Search: tt.query.Get("search")})
			i := 0
			for _, v := range want {
				if tt.want == nil || tt.want(v) {
					want[i], i = v, i+1
				}
			}
			got := voicesIn(body)
			if len(got) != i {
				t.Fatalf("%d voices, want %d", len(got), i)
			}
			for k, id := range got {
				if id != want[k].ID {
					t.Errorf("voice %d is %s, want %s", k, id, want[k].ID)
				}
			}
			// In place, the same voices come without the page around them.
			part := shown(t, b.get(path, "HX-Request", "true"), http.StatusOK)
			lacks(t, part, "<html", "<h1")
			has(t, part, `hx-swap-oob="true"`)
			if in := voicesIn(part); len(in) != len(got) {
				t.Errorf("in place there are %d voices, want %d", len(in), len(got))
			}
		})
	}
	shown(t, b.get("/o/"+w.acme.ID+"/voices?search="+strings.Repeat("a", 1001)), http.StatusBadRequest)
}

// TestFacetsCount counts what a choice would find.
func TestFacetsCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := shown(t, w.as(t, w.member).get("/o/"+w.acme.ID+"/voices?language=ta&gender=male"), http.StatusOK)
	has(t, body,
		`<option value="female">female (4)</option>`, `<option value="male" selected>male (4)</option>`, // of Tamil
		`<option value="ta" selected>Tamil (4)</option>`, `<option value="hi">Hindi (6)</option>`, // of men
		`<option value="standard">standard (4)</option>`, "4 voices", "Show all")
	lacks(t, body, `<option value="basic">`)
}

// TestAddedVoicesAreShown: they are told apart by their category, and tell of their model.
func TestAddedVoicesAreShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, cfg *Config) {
		added := []voice.Voice{
			{ID: "sv_aaaaaaaaaaaaaaaa", Name: "Amy (x-low)", Gender: voice.Female, Native: "en", Accent: "American English", QualityBand: voice.Standard, Engine: "onnx", PreviewLanguage: "en",
				License: "CC <0>", Quality: "x_low", Bytes: 63_200_000, Load: 0.125},
			{ID: "sv_bbbbbbbbbbbbbbbb", Name: "Heart (Kokoro)", Gender: voice.Female, Native: "en", Accent: "American English", QualityBand: voice.Standard, Engine: "onnx", PreviewLanguage: "en"},
		}
		directory, err := voice.NewDirectory(voice.Naming{Added: added})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Speech, err = speech.New(speech.Config{Engines: engine.Set{&enginetest.Tone{}}, Voices: directory, Ledger: account.Unmetered{}})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Voices = directory
	})
	b := w.as(t, w.member)
	at := "/o/" + w.acme.ID + "/voices"
	body := shown(t, b.get(at+"?category=custom"), http.StatusOK)
	if got := voicesIn(body); len(got) != 2 || got[0] != "sv_aaaaaaaaaaaaaaaa" {
		t.Errorf("custom voices are %v", got)
	}
	has(t, body,
		`<option value="custom" selected>custom (2)</option>`, `<option value="premade">premade (320)</option>`,
		`<option value="x_low">x-low (1)</option>`, "<dt>Engine</dt><dd>onnx</dd>", "<dt>Quality</dt><dd>x-low</dd>",
		"CC &lt;0&gt;", "63.2 MB", "8 × real time")
	if n := strings.Count(body, "<dt>Speed"); n != 1 {
		t.Errorf("%d voices tell a speed, want the one of which it is known", n)
	}
	if got := voicesIn(shown(t, b.get(at+"?quality=x_low"), http.StatusOK)); len(got) != 1 {
		t.Errorf("of the quality x_low are %v", got)
	}
	if got := voicesIn(shown(t, b.get(at+"?category=premade&search=amy"), http.StatusOK)); len(got) > 0 && got[0] == "sv_aaaaaaaaaaaaaaaa" {
		t.Errorf("premade voices are %v", got)
	}
	plain := newWorld(t)
	lacks(t, shown(t, plain.as(t, plain.member).get("/o/"+plain.acme.ID+"/voices"), http.StatusOK), "facet-category", "real time")
}

func TestPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := "/voices/" + string(voice.DefaultVoice().ID) + "/preview"
	b := w.as(t, w.member)
	rec := b.get(at)
	h := rec.Header()
	if rec.Code != http.StatusOK || !strings.HasPrefix(h.Get("Content-Type"), "audio/") || rec.Body.Len() < 1000 {
		t.Fatalf("status %d, %v, %d bytes", rec.Code, h, rec.Body.Len())
	}
	if h.Get("Cache-Control") != "private, max-age=86400" || h.Get("ETag") == "" {
		t.Errorf("headers %v", h)
	}
	if again := b.get(at, "If-None-Match", h.Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("status %d for what is known, want 304", again.Code)
	}
	if part := b.get(at, "Range", "bytes=0-9"); part.Code != http.StatusPartialContent || part.Body.Len() != 10 {
		t.Errorf("status %d with %d bytes for a range", part.Code, part.Body.Len())
	}
	shown(t, b.get("/voices/sv_none/preview"), http.StatusNotFound)
	moved(t, w.as(t, identity.Person{}).get(at), page.SignInPath+"?to="+url.QueryEscape(at))
}

func TestVoicesWithoutSpeech(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, cfg *Config) { cfg.Speech, cfg.Dictionaries = nil, nil })
	b := w.as(t, w.member)
	for _, path := range []string{"/o/" + w.acme.ID + "/voices", "/o/" + w.acme.ID + "/dictionaries", "/voices/" + string(voice.DefaultVoice().ID) + "/preview"} {
		shown(t, b.get(path), http.StatusNotFound)
	}
}
