package speech

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/audio"
	"vaak/audio/codec"
	"vaak/engine"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech/schedule"
	"vaak/text"
	"vaak/text/frontend"
	"vaak/voice"
)

// answer is a checked request and the state of answering it.
type answer struct {
	service  *Service
	req      Request
	info     Info
	hint     lang.Tag // the language asked for; zero if none was
	prior    lang.Prior
	voice    voice.Voice
	speaker  speaker // says the language of the text
	replaced bool    // another voice has spoken because the requested one could not
	text     frontend.Prepared
	recital  *recital         // the state of a text of several parts; nil for a single request
	stream   *schedule.Stream // set when the answer is admitted; nil for a cached answer
	progress *progress        // set when audio is made; nil for a cached answer
	began    time.Time
}

// prepare checks a request and takes its text through the front end. parts is the recital whose
// first part the request is; nil for a request that is whole.
func (s *Service) prepare(ctx context.Context, req Request, parts *recital) (*answer, error) {
	hint, err := lang.Resolve(req.Language)
	if err == nil { // prepareAny returns the error, after those of cheaper checks
		if err := s.offers(hint.Code); err != nil {
			return nil, err
		}
	}
	return s.prepareAny(ctx, req, parts)
}

// offers refuses a requested language that the deployment does not offer.
func (s *Service) offers(code lang.Code) error {
	if code == "" || s.prior.Offers(code) {
		return nil
	}
	var offered []string
	for _, l := range s.prior.Languages() {
		offered = append(offered, fmt.Sprintf("%s (%s)", l.Code, l.Name))
	}
	return fault.BadParameter("lang", "language %q is not offered by this deployment; it offers %s", code, strings.Join(offered, ", "))
}

// prepareAny is prepare in any language that an engine speaks. Cheap checks come first, so that
// a bad request costs little.
func (s *Service) prepareAny(_ context.Context, req Request, parts *recital) (*answer, error) {
	a := &answer{service: s, req: req, began: time.Now()}
	characters, err := countText(req.Text)
	if err != nil {
		return nil, err
	}
	if a.req.Speed, err = checkSpeed(req.Speed); err != nil {
		return nil, err
	}
	if err := checkSampling(req.Sampling); err != nil {
		return nil, err
	}
	format, err := codec.Check(req.Format)
	if err != nil {
		return nil, err
	}
	hint, err := lang.Resolve(req.Language)
	if err != nil {
		return nil, err
	}
	a.hint = hint
	a.prior = s.prior
	if hint.IsZero() && req.Voice != "" {
		if v, err := s.voices.Find("voice", req.Voice); err == nil { // s.voice returns the error below
			a.prior = a.prior.Voiced(v.Native)
		}
	}
	front, err := s.frontFor(req, parts).Expecting(a.prior).Prepare(req.Text, hint)
	if err != nil {
		return nil, err
	}
	// A text of several parts may have something to say later.
	if err := speakable(front); err != nil && !parts.goesOn() {
		return nil, err
	}
	if err := s.speaks(front); err != nil {
		return nil, err
	}
	if a.voice, err = s.voice(req.Voice, front.Language.Code); err != nil {
		return nil, err
	}
	if a.speaker, err = s.speakerFor(a.voice, front.Language.Code); err != nil {
		return nil, err
	}
	a.text = front
	unused, notices, err := checkKnobs(req.Sampling, a.speaker)
	if err != nil {
		return nil, err
	}
	notices = append(notices, s.standIns(a.voice, front)...)
	a.info = Info{
		Voice:      a.voice.ID,
		Language:   front.Language.Code,
		Format:     format,
		Characters: characters - countUnread(front, req.Text),
		Notices:    slices.Concat(front.Notices, codec.Notices(req.Format, format), notices),
		Unused:     unused,
		Fallback:   a.speaker.fallback(),
		Engine:     a.speaker.engine.Name(), // unless the first sound tells more
		TextTime:   time.Since(a.began),
	}
	return a, nil
}

// frontFor returns the front end for a request, or for a part of a recital.
func (s *Service) frontFor(req Request, parts *recital) *frontend.Frontend {
	f := s.front.Styled(req.Style).With(frontend.Respelling{Dictionaries: req.Dictionaries})
	if parts != nil {
		f = f.Continuing(&parts.markdown)
	}
	return f
}

// speakable refuses a text that is only in scripts of no supported language. A text of signs or
// emoji has nothing to say either, and is silence: clients send such pieces of a longer text.
func speakable(text frontend.Prepared) error {
	if len(text.Opening) > 0 {
		return nil
	}
	if scripts := text.Unread.Scripts; len(scripts) > 0 {
		return fault.New(fault.Unprocessable, fault.CodeScript, "input", "input is in %s script, which no supported language is written in; send text in one of these scripts: %s",
			strings.Join(scripts, " and "), strings.Join(frontend.SpokenScripts(), ", "))
	}
	return nil
}

// countUnread returns the code points of a text that are left out because of their script.
func countUnread(p frontend.Prepared, s string) int {
	n := 0
	for _, span := range p.Unread.Spans {
		n += utf8.RuneCountInString(span.In(s))
	}
	return n
}

// speaks refuses a text that is in a language no engine speaks, as far as the opening of
// the text shows. A language that comes up later in the text is no reason to refuse: it
// is then spoken in the language of the request, which must be spoken too.
func (s *Service) speaks(text frontend.Prepared) error {
	if len(text.Opening) == 0 {
		return nil
	}
	for _, r := range text.Opening {
		if !s.engines.Speaks(r.Language) {
			return notSpoken(r.Language)
		}
	}
	if !s.engines.Speaks(text.Language.Code) {
		return notSpoken(text.Language.Code)
	}
	return nil
}

func notSpoken(code lang.Code) error {
	return fault.BadParameter("lang", "language %q is not spoken by this deployment", code)
}

// countText checks a text and returns its code points, which are what it costs.
func countText(s string) (int, error) {
	if !utf8.ValidString(s) {
		return 0, fault.BadParameter("input", "input is not valid UTF-8")
	}
	if strings.TrimSpace(s) == "" {
		return 0, fault.BadParameter("input", "input is empty; send 1 to %d characters of text", MaxCharacters)
	}
	n := utf8.RuneCountInString(s)
	if n > MaxCharacters {
		return 0, fault.New(fault.Invalid, fault.CodeTextTooLong, "input",
			"input has %d characters; at most %d are allowed in one request", n, MaxCharacters)
	}
	return n, nil
}

func checkSpeed(speed float64) (float64, error) {
	if speed == 0 {
		return 1, nil
	}
	if !(speed >= MinSpeed && speed <= MaxSpeed) { // also refuses NaN
		return 0, fault.BadParameter("speed", "speed %g is outside %g to %g", speed, MinSpeed, MaxSpeed)
	}
	return speed, nil
}

// utterance is a piece of a text that one engine speaks in one go.
type utterance struct {
	engine.Utterance
	speaker   speaker
	unsayable error     // why nobody can say it
	back      text.Map  // maps Utterance.Text back to the caller's text
	written   text.Span // of the caller's text: what is said here, with the signs and spaces around it
}

// utterance returns what is to be said for a run, after the first done bytes of the text.
func (a *answer) utterance(r frontend.Run, done int) utterance {
	// Only at the end of a sentence does it matter to the engine that more follows: the
	// pitch then falls as inside a text, not as at its end.
	u := a.service.utterance(r, a.text.Language, a.voice, a.req.Sampling)
	u.Continues = (!r.Last || a.recital.goesOn()) && r.EndsSentence()
	u.written = text.Span{Start: done, End: max(done, r.Map.Back(text.Span{Start: 0, End: len(r.Text)}).End)}
	if done == 0 {
		u.Before = lastWords(a.req.PreviousText, contextWords)
	}
	if r.Last {
		u.After = firstWords(a.req.NextText, lookaheadWords)
		u.written.End = len(a.req.Text)
	}
	return u
}

// utterance returns what a voice is to say for a run of a text in the language of.
func (s *Service) utterance(r frontend.Run, of lang.Tag, v voice.Voice, sampling Sampling) utterance {
	u := utterance{Utterance: engine.Utterance{Text: r.Text, Language: r.Language}, back: r.Map}
	if !s.engines.Speaks(u.Language) { // happens only after the opening; see speaks
		u.Language = of.Code
	}
	if u.Language == of.Code { // a quotation in another language has no region
		u.Region = of.Region
	}
	u.speaker, u.unsayable = s.speakerFor(v, u.Language)
	u.Voice = u.speaker.voice
	u.Sampling = within(sampling, u.speaker.traits)
	return u
}

// These are how many words around a request are given to the engine to shape its
// prosody. Engines phrase by the clause, so words farther away change nothing.
const (
	contextWords   = 12
	lookaheadWords = 6
)

// lastWords returns the last n words of s.
func lastWords(s string, n int) string {
	w := strings.Fields(tail(s, 100*n)) // 100 bytes a word, so that a long s is not split whole
	return strings.Join(w[max(0, len(w)-n):], " ")
}

// firstWords returns the first n words of s.
func firstWords(s string, n int) string {
	w := strings.Fields(head(s, 100*n))
	return strings.Join(w[:min(n, len(w))], " ")
}

// head returns the longest start of s that has at most n bytes and splits no code point.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	// s[n] is the first byte that is cut off. If it is inside a code point, that goes too.
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// tail returns the longest end of s that has at most n bytes and splits no code point.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := len(s) - n
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}

// silence is the length of the answer to a text with nothing to say. It is not 0 because
// players refuse files without audio.
const silence = 200 * time.Millisecond

func samples(d time.Duration, rate int) int {
	return int(d * time.Duration(rate) / time.Second)
}

func duration(samples, rate int) time.Duration {
	return time.Duration(samples) * time.Second / time.Duration(rate)
}

var _ audio.Writer = (*meter)(nil)
