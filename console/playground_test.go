package console

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/console/page"
	"vaak/dictionary"
	"vaak/identity"
	"vaak/text/respell"
	"vaak/voice"
)

// addDictionary adds a dictionary of an organisation that says "engine x" for nginx.
func (w *world) addDictionary(t testing.TB, org account.Organisation) string {
	t.Helper()
	d, err := w.Dictionaries.Create(t.Context(), org.ID, account.ConsoleKey, dictionary.Draft{
		Name: "Servers of " + org.Name, Rules: []respell.Rule{{Term: "nginx", Respelling: "engine x"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d.ID
}

func TestPlayground(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	own, foreign := w.addDictionary(t, w.acme), w.addDictionary(t, w.other)
	at := "/o/" + w.acme.ID + "/playground"
	b := w.as(t, w.member)
	body := shown(t, b.get(at), http.StatusOK)
	has(t, body, `<form id="play" method="post" action="`+at+`/speak"`, voice.PreviewText("en"), "Hannah · English", "हिन्दी",
		`<option value="`+own+`">Servers of Acme</option>`, `min="0.7" max="1.5"`, "<option selected>wav</option>", "24,000 Hz", api+"/v1/audio/speech")
	lacks(t, body, foreign, "Servers of Other", "<script>", "style=", "onclick")
	if len(body) > 60<<10 {
		t.Errorf("the page has %d bytes", len(body))
	}

	hindi := voice.ForLanguage("hi")[0]
	body = shown(t, b.get(at+"?voice="+string(hindi.ID)+"&dictionary="+own+"&response_format=flac&sample_rate=16000&speed=1.2&lang=hi"), http.StatusOK)
	has(t, body, `value="`+hindi.Name+` · Hindi"`, voice.PreviewText("hi"), `<option value="`+own+`" selected>`, "<option selected>flac</option>",
		`<option value="16000" selected>`, `value="1.2"`, `<option value="hi" selected>`, "flac_16000", string(hindi.ID))

	body = shown(t, b.get(at+"?voice=nobody&speed=fast"), http.StatusOK)
	has(t, body, "Speed &#34;fast&#34; is not a number", `value="nobody"`)
	shown(t, w.as(t, w.another).get(at), http.StatusNotFound)
	shown(t, w.as(t, w.operator).get(at), http.StatusOK)
	moved(t, w.as(t, identity.Person{}).get(at), page.SignInPath+"?to="+url.QueryEscape(at))
}

// extension is the end of the name of a file. In its address a digest stands before it.
var extension = regexp.MustCompile(`\.[a-z]+$`)

func TestPlaygroundWeight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	body := shown(t, b.get("/o/"+w.acme.ID+"/playground"), http.StatusOK)
	total := len(body)
	for _, name := range []string{"htmx.min.js", "console.js", "client/player.js", "playground.js", "codetabs.js", "vaak.css"} {
		pattern := `/static/` + extension.ReplaceAllString(name, `\.[0-9a-f]{12}$0`)
		if dir, file, ok := strings.Cut(name, "/"); ok { // the digest is that of the directory
			pattern = `/static/` + dir + `\.[0-9a-f]{12}/` + file
		}
		address := regexp.MustCompile(pattern).FindString(body)
		if address == "" {
			t.Fatalf("the page does not load %s", name)
		}
		rec := b.get(address)
		if rec.Code != http.StatusOK {
			t.Fatalf("%s: status %d", address, rec.Code)
		}
		total += rec.Body.Len()
	}
	if total > 150<<10 {
		t.Errorf("the page and its files have %d bytes, want at most 150 KiB", total)
	}
}

func TestPlayReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	own, foreign := w.addDictionary(t, w.acme), w.addDictionary(t, w.other)
	at := "/o/" + w.acme.ID + "/playground/reading"
	b := w.as(t, w.member)
	read := func(status int, fields ...string) string {
		t.Helper()
		rec := b.do(http.MethodPost, at, strings.NewReader(encoded(fields...).Encode()),
			"Content-Type", "application/x-www-form-urlencoded", "Origin", site, "HX-Request", "true")
		body := shown(t, rec, status)
		lacks(t, body, "<html", "<h1")
		return html.UnescapeString(body)
	}
	body := read(http.StatusOK, "input", "nginx costs $5. नमस्ते!", "dictionary", own, "lang", "en", "response_format", "pcm", "speed", "1.5")
	has(t, body, "23 characters", "<dt>Dictionary hits</dt><dd>1</dd>", "engine x costs five dollars", `lang="hi-IN"`, "Hannah · English",
		`"response_format": "pcm"`, `"speed": 1.5`, own, `"input": "nginx costs $5. नमस्ते!"`)
	has(t, read(http.StatusOK, "input", " \n "), "Type a text")
	for _, c := range []struct {
		status int
		want   string
		fields []string
	}{
		{400, "The text has 5,001 characters. At most 5,000 are spoken at once.", []string{"input", strings.Repeat("a", 5001)}},
		{400, "Speed 2 is outside 0.7 to 1.5.", []string{"input", "a", "speed", "2"}},
		{400, `Speed "0" is not a number`, []string{"input", "a", "speed", "0"}},
		{400, `Speed "x" is not a number`, []string{"input", "a", "speed", "x"}},
		{400, "Speed NaN is outside", []string{"input", "a", "speed", "NaN"}},
		{400, `Format "wma" is not one of`, []string{"input", "a", "response_format", "wma"}},
		{400, "Sample rate 11025 is not one of 8000, 16000, ", []string{"input", "a", "sample_rate", "11025"}},
		{400, `Sample rate "x" is not one of 8000, 16000, `, []string{"input", "a", "sample_rate", "x"}},
		{404, "No voice is called “bob”. Pick one from the list", []string{"input", "a", "voice", "bob"}},
		{404, "There is no such dictionary.", []string{"input", "a", "dictionary", foreign}},
		{400, "klingon", []string{"input", "a", "lang", "klingon"}},
		{400, "The text has 200,001 characters.", []string{"input", strings.Repeat("a", 200_001)}},
		{413, "At most 5,000 characters", []string{"input", strings.Repeat("a", 1<<20)}},
	} {
		has(t, read(c.status, c.fields...), c.want, `role="alert"`)
	}
	if used := w.charged(t, w.acme); len(used) > 0 {
		t.Errorf("a reading was charged: %+v", used)
	}
}

// charged returns what an organisation used this month, by key.
func (w *world) charged(t testing.TB, org account.Organisation) map[string]account.KeyUsage {
	t.Helper()
	report, err := w.accounts.Report(t.Context(), org.ID)
	if err != nil {
		t.Fatal(err)
	}
	all, err := w.accounts.Usage(t.Context(), org.ID, report.Period)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]account.KeyUsage{}
	for _, u := range all {
		by[u.KeyID] = u
	}
	return by
}

// TestPlayReadingPlain reads without scripts.
func TestPlayReadingPlain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := "/o/" + w.acme.ID + "/playground/reading"
	b := w.as(t, w.member)
	body := shown(t, b.post(at, "input", "It is 5 pm", "voice", "stanley", "lang", "en"), http.StatusOK)
	has(t, body, "It is 5 pm</textarea>", `value="stanley"`, "Stanley · English", "10 characters")
	body = shown(t, b.post(at, "input", "It is 5 pm", "voice", "bob"), http.StatusNotFound)
	has(t, body, "It is 5 pm</textarea>", "No voice is called “bob”", `list="voices" value="bob" autocomplete="off" spellcheck="false" aria-invalid="true"`)
	if n := strings.Count(body, "No voice is called"); n != 1 {
		t.Errorf("the page says %d times what is wrong", n)
	}
}

// TestPlayReadingBalance tells what is left of a balance.
func TestPlayReadingBalance(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limit(t, ledger.Plan{Name: "Small", MonthlyCharacters: 12, RequestsPerMinute: ledger.Unlimited, MaxStreams: ledger.Unlimited})
	at := "/o/" + w.acme.ID + "/playground/reading"
	b := w.as(t, w.member)
	has(t, shown(t, b.post(at, "input", "Ten chars."), http.StatusOK), "<dt>Balance afterwards</dt><dd>2 characters</dd>")
	has(t, shown(t, b.post(at, "input", "Thirteen char"), http.StatusOK), "too small")
}

// limit changes the plan that Acme has.
func (w *world) limit(t testing.TB, p ledger.Plan) {
	t.Helper()
	p.ID = account.DefaultPlan
	if err := w.accounts.SetPlan(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

// TestPlayDictionaries tells dictionaries of one name apart, and tells of hits where one
// is chosen.
func TestPlayDictionaries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := w.addDictionary(t, w.acme), w.addDictionary(t, w.acme)
	at := "/o/" + w.acme.ID + "/playground"
	b := w.as(t, w.member)
	body := shown(t, b.get(at), http.StatusOK)
	has(t, body, ">Servers of Acme · "+one[:8]+"<", ">Servers of Acme · "+two[:8]+"<")
	lacks(t, body, "Dictionary hits")
	has(t, shown(t, b.get(at+"?dictionary="+one), http.StatusOK), "Dictionary hits")
}
