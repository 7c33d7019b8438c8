package browser

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/engine/onnx/tiny"
	"vaak/store"
	"vaak/voice"
)

// password is that of the operator.
const password = "seven quiet harbours"

// world is a server with what an operator and two organisations have after a month.
type world struct {
	*server
	org string // the organisation that the pages show
	key string // one of its keys
	// delivery is one of its webhook endpoint.
	delivery string
}

// live returns a server with such data. The operator is not signed in anywhere.
func live(t testing.TB) world {
	t.Helper()
	dir := t.TempDir()
	vaak(t, dir, "demo")
	addVoices(t, dir)
	w := world{}
	month := openMonth(t, dir)
	w.org, w.key = month.organisation("Lotus Bank", []string{"production", "staging", "ivr pilot"}, 60_000)
	month.organisation("Tidewater Transit", []string{"announcements"}, 9_000)
	month.close()
	w.server = serve(t, dir, "--pools", pools(t))
	w.setUp(t, open(t, w.console))
	w.askPools(t)
	w.dictionaries(t)
	w.enquiries(t)
	w.webhooks(t, dir)
	return w
}

// webhooks adds an endpoint with a delivery that fails and one that waits behind it.
func (w *world) webhooks(t testing.TB, dir string) {
	t.Helper()
	made := vaak(t, dir, "webhook", "create", "https://hooks.lotus-bank.invalid/vaak/usage", "--org", w.org, "--description", "Alerts of the billing team")
	id, _, _ := strings.Cut(made, "\t")
	w.delivery = strings.TrimSpace(vaak(t, dir, "webhook", "test", id, "--org", w.org))
	vaak(t, dir, "webhook", "test", id, "--org", w.org)
}

// addVoices adds tiny neural voices, if ONNX Runtime is beside the program.
func addVoices(t testing.TB, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(filepath.Dir(program), "libonnxruntime.so")); err != nil {
		return
	}
	amy, amyConfig := tiny.Piper(tiny.PiperOptions{Dataset: "amy"})
	choir, choirConfig := tiny.Piper(tiny.PiperOptions{Speakers: 2, Language: "de_DE", Voice: "de", Dataset: "chor", Quality: "x_low", SampleRate: 16000})
	for _, voice := range []map[string][]byte{
		{"en_US-amy-medium.onnx": amy, "en_US-amy-medium.onnx.json": amyConfig, "MODEL_CARD": []byte("* License: CC BY 4.0, with attribution to the speaker and her studio\n")},
		{"de_DE-chor-x_low.onnx": choir, "de_DE-chor-x_low.onnx.json": choirConfig},
		{"kokoro.onnx": tiny.Kokoro(tiny.KokoroOptions{Durations: "duration"}), "voices-v1.0.bin": tiny.NPZVoices(2, false), "config.json": tiny.KokoroConfig()},
	} {
		from := t.TempDir()
		for name, data := range voice {
			if err := os.WriteFile(filepath.Join(from, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		vaak(t, dir, "voice", "add", from)
	}
}

// month is a server's books while the last thirty days are written into them.
type month struct {
	t      testing.TB
	store  *store.Store
	books  *account.Service
	now    time.Time
	random *rand.Rand
}

func openMonth(t testing.TB, dir string) *month {
	t.Helper()
	m := &month{t: t, now: time.Now(), random: rand.New(rand.NewPCG(1, 2))}
	clock := func() time.Time { return m.now }
	var err error
	if m.store, err = store.Open(t.Context(), store.Config{DSN: "sqlite:" + filepath.Join(dir, "vaak.db"), Now: clock}); err != nil {
		t.Fatal(err)
	}
	if m.books, err = account.New(account.Config{Store: m.store, Now: clock}); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *month) close() {
	m.t.Helper()
	if err := m.books.Close(m.t.Context()); err != nil {
		m.t.Error(err)
	}
	if err := m.store.Close(); err != nil {
		m.t.Error(err)
	}
}

func (m *month) check(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// days is how long the use goes back.
const days = 30

// organisation adds one whose keys spoke so many characters on an ordinary day. It
// returns its id and the first key.
func (m *month) organisation(name string, labels []string, ordinary int) (id, first string) {
	m.t.Helper()
	ctx := m.t.Context()
	today := time.Now()
	m.now = today.AddDate(0, 0, -days)
	org, err := m.books.CreateOrganisation(ctx, name, "growth")
	m.check(err)
	_, err = m.books.Grant(ctx, org.ID, account.GrantRequest{Characters: 750_000, Expires: today.AddDate(0, 2, 0), Source: "invoice 2041"})
	m.check(err)
	var callers []account.Caller
	for _, label := range labels {
		secret, _, err := m.books.CreateKey(ctx, org.ID, account.KeyRequest{Label: label})
		m.check(err)
		if first == "" {
			first = secret
		}
		c, err := m.books.Authenticate(ctx, secret)
		m.check(err)
		callers = append(callers, c)
	}
	for day := days; day >= 0; day-- {
		m.now = today.AddDate(0, 0, -day)
		if day == 0 {
			m.now = today.Add(-time.Minute)
		}
		for i, c := range callers {
			m.speak(c, ordinary/(1+2*i*i)*(60+m.random.IntN(80))/100, i+3*day)
		}
	}
	m.now = today
	m.records(org.ID, callers)
	if len(callers) > 2 {
		m.check(m.books.RevokeKey(ctx, callers[2].KeyID))
	}
	return org.ID, first
}

// speak charges what a key spoke on a day.
func (m *month) speak(c account.Caller, characters, n int) {
	m.t.Helper()
	if weekday := m.now.Weekday(); weekday == time.Saturday || weekday == time.Sunday {
		characters /= 4
	}
	hold, err := m.books.Reserve(m.t.Context(), c, characters)
	m.check(err)
	said := spoken[n%len(spoken)]
	m.check(hold.Commit(m.t.Context(), account.Receipt{
		Characters: characters, Audio: time.Duration(characters) * 65 * time.Millisecond,
		Voice: said.id, Language: said.language, Delivered: true,
	}))
}

// spoken are voices with the languages that they speak here.
var spoken = []struct{ id, language string }{
	{string(voice.Default("hi").ID), "hi"}, {string(voice.Default("en").ID), "en"}, {string(voice.Default("ta").ID), "ta"},
}

// records writes down the requests of the last hours.
func (m *month) records(org string, callers []account.Caller) {
	for i := range 90 {
		said := spoken[i%len(spoken)]
		r := account.RequestRecord{
			ID: fmt.Sprintf("req_%016x", m.random.Uint64()), At: m.now.Add(-time.Duration(90-i) * 11 * time.Minute),
			OrgID: org, KeyID: callers[i%len(callers)].KeyID, Route: "/v1/audio/speech", Voice: said.id, Language: said.language,
			Characters: int64(40 + m.random.IntN(400)), FirstAudio: time.Duration(18+m.random.IntN(40)) * time.Millisecond, Status: 200,
		}
		r.Audio = time.Duration(r.Characters) * 65 * time.Millisecond
		switch i % 30 {
		case 11:
			r.Status, r.Code, r.Characters, r.Audio, r.FirstAudio = 429, "rate_limit_exceeded", 0, 0, 0
		case 23:
			r.Status, r.Code, r.Characters, r.Audio, r.FirstAudio = 400, "invalid_parameter", 0, 0, 0
		}
		m.books.Record(r)
	}
}

// setUp makes the first operator, who is signed in in the tab from then on.
func (s *server) setUp(t testing.TB, b *tab) {
	t.Helper()
	b.visit("/")
	b.fill("token", s.token(t))
	b.fill("name", "Olga Operator")
	b.fill("email", "olga@vaak.example")
	b.fill("password", password)
	b.follow("Set up", 200)
}

// begin starts a server with an organisation and opens a page of it, as its operator.
func begin(t testing.TB, organisation, page string) (s *server, org string, b *tab) {
	t.Helper()
	s = serve(t, t.TempDir())
	org = vaak(t, s.dir, "org", "create", organisation)
	b = open(t, s.console)
	s.setUp(t, b)
	b.visit("/o/" + org + "/" + page)
	return s, org, b
}

// signIn signs the operator in.
func (b *tab) signIn() {
	b.t.Helper()
	b.visit("/signin")
	b.fill("email", "olga@vaak.example")
	b.fill("password", password)
	b.follow("Sign in", 200)
}

// dictionaries makes two, as a client does.
func (w world) dictionaries(t testing.TB) {
	t.Helper()
	for _, body := range []string{
		`{"name": "Banking terms", "description": "Acronyms that callers ask about", "rules": [
			{"type": "alias", "string_to_replace": "NEFT", "alias": "neft"}, {"type": "alias", "string_to_replace": "KYC", "alias": "kay why see"},
			{"type": "alias", "string_to_replace": "EMI", "alias": "ee em eye"}]}`,
		`{"name": "Branch names", "rules": [{"type": "alias", "string_to_replace": "Versova", "alias": "Vursova"}]}`,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.public+"/v1/pronunciation-dictionaries/add-from-rules", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Xi-Api-Key", w.key)
		w.expect(t, r)
	}
}

// enquiries sends two from the public pages.
func (w world) enquiries(t testing.TB) {
	t.Helper()
	for _, form := range []url.Values{
		{"name": {"Priya Raman"}, "email": {"priya@acme.example"}, "company": {"Acme Assistants"}, "intent": {"quote"},
			"dataset": {"demo-hi-in-banking-dual"}, "message": {"A licence for training a recogniser, about 200 hours."}, "consent": {"yes"}},
		{"name": {"Jon Hart"}, "email": {"jon@university.example"}, "intent": {"question"},
			"message": {"May students publish figures about the samples?"}, "consent": {"yes"}},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.public+"/enquiry", bytes.NewReader([]byte(form.Encode())))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", w.public)
		w.expect(t, r)
	}
}

// expect sends a request that has to go well.
func (w world) expect(t testing.TB, r *http.Request) {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		var body bytes.Buffer
		_, _ = body.ReadFrom(resp.Body)
		t.Fatalf("%s %s = %d: %.2000s", r.Method, r.URL.Path, resp.StatusCode, &body)
	}
}
