// Package demo serves a page on which a scripted agent talks. A person asks it something in one
// of several languages; it answers aloud, its words light up as they are heard, and it falls
// silent when it is interrupted. It shows what a page does with a single-use token, the native
// socket and the client of JavaScript.
package demo

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"vaak/clients"
	"vaak/edge"
	"vaak/internal/fault"
	"vaak/internal/ratelimit"
	"vaak/internal/ui"
	"vaak/lang"
	"vaak/web/site"
)

// Path is where the page is.
const Path = "/demo"

const (
	tokenPath = Path + "/token"
	// MaxCharacters is how many code points a token of the page speaks. The longest line of the
	// dialogues is shorter; a test holds it to that.
	MaxCharacters = 400
	// tokensPerMinute is how many lines a client address hears in a minute.
	tokensPerMinute = 60
	// maxForm is how large the form that asks for a token may be, in bytes.
	maxForm = 1 << 10
)

// policy lets the page run scripts of this server, and talk to it alone.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

var (
	//go:embed demo.html
	page string
	//go:embed demo.css
	style []byte
	//go:embed demo.js
	script []byte
	//go:embed dialogues.json
	dialogues []byte
)

// Tokens makes the tokens with which the page speaks.
type Tokens interface {
	// Token returns a single-use token for a socket that speaks a language, and at most some
	// code points.
	Token(ctx context.Context, language lang.Code, characters int) (string, error)
}

// Config is what the page needs.
type Config struct {
	Kit     *ui.Kit
	Nav     []ui.Link
	Version string // of the product; "" leaves the foot out
	Tokens  Tokens
	// Speaks reports whether a language is spoken here; nil is for all.
	Speaks func(lang.Code) bool
	// Refuse answers with an error, as a sentence of plain text.
	Refuse edge.Refuse
}

// line is a question and what the agent says to it.
type line struct {
	Ask string `json:"ask"`
	Say string `json:"say"`
}

// dialogue is what the agent knows in a language.
type dialogue struct {
	Language lang.Code `json:"language"`
	Tag      string    `json:"tag"`  // BCP 47, for the page
	Name     string    `json:"name"` // of the language, in itself
	Prompt   string    `json:"prompt"`
	Greeting string    `json:"greeting"`
	Turns    []line    `json:"turns"`
	Other    string    `json:"other"` // what it says to anything else
}

// New returns the route of the page and of what makes its tokens, and the files that it loads.
func New(cfg Config) ([]site.Route, []*ui.Asset, error) {
	if cfg.Tokens == nil || cfg.Refuse == nil {
		return nil, nil, errors.New("the demonstration needs Tokens and Refuse")
	}
	if cfg.Speaks == nil {
		cfg.Speaks = func(lang.Code) bool { return true }
	}
	spoken, err := readDialogues(cfg.Speaks)
	if err != nil {
		return nil, nil, err
	}
	data, err := json.Marshal(spoken)
	if err != nil {
		return nil, nil, err
	}
	// The script of the page imports the client by a relative path.
	files, err := clients.Modules()
	if err != nil {
		return nil, nil, err
	}
	files["demo.js"], files["dialogues.json"] = script, data
	folder := ui.NewFolder(site.StaticPrefix, "demo", files)
	looks := ui.NewAsset(site.StaticPrefix, "demo.css", "text/css; charset=utf-8", style)
	body, err := render(cfg, spoken, folder, looks)
	if err != nil {
		return nil, nil, err
	}
	p := &tokens{Config: cfg, limiter: ratelimit.NewLimiter(0), guard: http.NewCrossOriginProtection(), spoken: map[lang.Code]bool{}}
	for _, d := range spoken {
		p.spoken[d.Language] = true
	}
	return []site.Route{{Path: Path, Page: site.NewDocument("text/html; charset=utf-8", policy, body)}, {
		Path: tokenPath, Page: http.HandlerFunc(onlyPost), Post: p,
	}}, append(folder.Assets, looks), nil
}

// readDialogues returns the dialogues in languages that are spoken.
func readDialogues(speaks func(lang.Code) bool) ([]dialogue, error) {
	var all, spoken []dialogue
	if err := json.Unmarshal(dialogues, &all); err != nil {
		return nil, fmt.Errorf("dialogues.json: %w", err)
	}
	for _, d := range all {
		l, ok := lang.Lookup(d.Language)
		if !ok {
			return nil, fmt.Errorf("dialogues.json: there is no language %q", d.Language)
		}
		if d.Tag, d.Name = l.BCP47, l.Native; speaks(d.Language) {
			spoken = append(spoken, d)
		}
	}
	if len(spoken) == 0 {
		return nil, errors.New("the demonstration has no dialogue in a language that is offered here")
	}
	return spoken, nil
}

func render(cfg Config, spoken []dialogue, folder ui.Folder, looks *ui.Asset) ([]byte, error) {
	t, err := ui.Parse(nil, page)
	if err != nil {
		return nil, fmt.Errorf("demo.html: %w", err)
	}
	return cfg.Kit.Render(t, ui.Page{
		Title:       "A conversation",
		Description: "Talk with a library that answers aloud, in many languages: interrupt it, and watch its words.",
		Path:        Path,
		Class:       "talk",
		Nav:         cfg.Nav,
		Version:     cfg.Version,
		Data: struct {
			Dialogues             []dialogue
			Script, Style, Folder string
			Modules               []string
		}{spoken, folder.Path + "demo.js", looks.Path(), folder.Path, []string{"index.js", "vaak.js", "http.js", "live.js", "player.js", "captions.js", "error.js"}},
	})
}

// tokens answers the page with a token.
type tokens struct {
	Config
	limiter *ratelimit.Limiter
	guard   *http.CrossOriginProtection
	spoken  map[lang.Code]bool
}

// ServeHTTP takes a form with the language, and answers {"token": …}.
func (p *tokens) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secret, err := p.token(w, r)
	if err != nil {
		p.Refuse(w, r, err)
		return
	}
	body, err := json.Marshal(map[string]string{"token": secret})
	if err != nil {
		p.Refuse(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // a client that left needs no answer
}

func (p *tokens) token(w http.ResponseWriter, r *http.Request) (string, error) {
	if p.guard.Check(r) != nil {
		return "", fault.New(fault.Forbidden, fault.CodeOriginNotAllowed, "", "pages of other origins get no tokens here; theirs are made by a server that has a key")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return "", fault.BadParameter("", "a form of at most %d bytes with the field language is expected", maxForm)
	}
	language := lang.Code(r.PostForm.Get("language"))
	if !p.spoken[language] {
		return "", fault.BadParameter("language", "language %.40q has no dialogue here", language)
	}
	scope, ok := edge.ClientScope(r.Context())
	if !ok {
		return "", errors.New("the demonstration has no address of its client")
	}
	if d := p.limiter.Take(scope, time.Now(), tokensPerMinute); !d.Allowed {
		e := fault.New(fault.RateLimited, fault.CodeRateLimited, "", "%d answers a minute are spoken for one address; the next one can be spoken in %d s",
			tokensPerMinute, int(d.RetryAfter.Seconds())+1)
		e.RetryAfter = d.RetryAfter
		return "", e
	}
	return p.Tokens.Token(r.Context(), language, MaxCharacters)
}

// onlyPost refuses to read what is only sent to.
func onlyPost(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Allow", http.MethodPost)
	http.Error(w, "this method is not taken here; allowed: POST", http.StatusMethodNotAllowed)
}
