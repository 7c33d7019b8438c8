package speech

import (
	"context"
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

// answer is a request that was checked: who says what, in which format.
type answer struct {
	service *Service
	req     Request
	info    Info
	hint    lang.Tag // that was asked for
	voice   voice.Voice
	text    frontend.Prepared
	rest    *recital         // of a text of several parts; nil of others
	stream  *schedule.Stream // once it is admitted; nil for a kept answer, which needs no turns
	said    *progress        // once there is some; nil for a kept answer
	began   time.Time
}

// prepare checks a request and takes its text through the front end.
func (s *Service) prepare(_ context.Context, req Request) (*answer, error) {
	a := &answer{service: s, req: req, began: time.Now()}
	characters, err := countText(req.Text)
	if err != nil {
		return nil, err
	}
	if a.req.Speed, err = checkSpeed(req.Speed); err != nil {
		return nil, err
	}
	if err := req.Sampling.check(); err != nil {
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
	front, err := s.front.With(frontend.Respelling{Dictionaries: req.Dictionaries}).Prepare(req.Text, hint)
	if err != nil {
		return nil, err
	}
	if err := s.speaks(front); err != nil {
		return nil, err
	}
	if a.voice, err = s.voice(req.Voice, front.Language.Code); err != nil {
		return nil, err
	}
	a.text = front
	unused, notices := req.Sampling.unused()
	a.info = Info{
		Voice:      a.voice.ID,
		Language:   front.Language.Code,
		Format:     format,
		Characters: characters,
		Notices:    slices.Concat(front.Notices, codec.Notices(req.Format, format), notices),
		Unused:     unused,
		TextTime:   time.Since(a.began),
	}
	return a, nil
}

// speaks refuses a text in a language that no engine speaks, if its opening
// tells: anything in it, or the language of the request, in which perform reads
// what comes up later.
func (s *Service) speaks(text frontend.Prepared) error {
	if len(text.Opening) == 0 {
		return nil
	}
	for _, r := range text.Opening {
		if s.engines[r.Language] == nil {
			return notSpoken(r.Language)
		}
	}
	if s.engines[text.Language.Code] == nil {
		return notSpoken(text.Language.Code)
	}
	return nil
}

func notSpoken(code lang.Code) error {
	return fault.BadParameter("lang", "language %q is not spoken by this deployment", code)
}

// countText returns the code points of a text, which is what it costs.
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

// knob is a parameter of [Sampling] with its range.
type knob struct {
	name     string
	value    *float64 // nil when it was left alone
	min, max float64
}

func (s Sampling) knobs() []knob {
	return []knob{
		{"temperature", s.Temperature, 0, 2},
		{"top_p", s.TopP, 0, 1},
		{"top_k", s.TopK, 0, 1000},
		{"min_p", s.MinP, 0, 1},
		{"repetition_penalty", s.RepetitionPenalty, 0.5, 2},
		{"presence_penalty", s.PresencePenalty, -2, 2},
	}
}

func (s Sampling) check() error {
	for _, k := range s.knobs() {
		if k.value != nil && !(*k.value >= k.min && *k.value <= k.max) {
			return fault.BadParameter(k.name, "%s %g is outside %g to %g", k.name, *k.value, k.min, k.max)
		}
	}
	return nil
}

// unused returns the knobs that were set, none of which an engine has a use for, and
// a notice that says so.
func (s Sampling) unused() (names, notices []string) {
	for _, k := range s.knobs() {
		if k.value != nil {
			names = append(names, k.name)
		}
	}
	if len(names) > 0 {
		notices = []string{"without effect, because the voices here are not sampled: " + strings.Join(names, ", ")}
	}
	return names, notices
}

// utterance is a part of a text that an engine says.
type utterance struct {
	engine.Utterance
	engine  engine.Engine
	back    text.Map  // from Utterance.Text to the text
	written text.Span // of the text: what is said here, with the signs and spaces around it
}

// utterance returns what is to be said for a run, when the first so many bytes of
// the text were said.
func (a *answer) utterance(r frontend.Run, said int) utterance {
	u := a.service.utterance(r, a.text.Language, a.voice)
	u.Continues = (!r.Last || a.rest.goesOn()) && r.EndsSentence()
	u.written = text.Span{Start: said, End: max(said, r.Map.Back(text.Span{Start: 0, End: len(r.Text)}).End)}
	if said == 0 {
		u.Before = lastWords(a.req.PreviousText, contextWords)
	}
	if r.Last {
		u.After = firstWords(a.req.NextText, lookaheadWords)
		u.written.End = len(a.req.Text)
	}
	return u
}

// utterance returns what a voice is to say for a run of a text in a language.
func (s *Service) utterance(r frontend.Run, of lang.Tag, v voice.Voice) utterance {
	u := utterance{Utterance: engine.Utterance{Text: r.Text, Language: r.Language, Voice: v}, back: r.Map}
	if s.engines[u.Language] == nil { // only after the opening; see speaks
		u.Language = of.Code
	}
	if u.Language == of.Code { // what is quoted from others has no region
		u.Region = of.Region
	}
	u.engine = s.engines[u.Language]
	return u
}

// How much of the text around a request shapes its prosody: engines phrase by
// the clause, so words farther away change nothing.
const (
	contextWords   = 12
	lookaheadWords = 6
)

func lastWords(s string, n int) string {
	w := strings.Fields(tail(s, 100*n))
	return strings.Join(w[max(0, len(w)-n):], " ")
}

func firstWords(s string, n int) string {
	w := strings.Fields(head(s, 100*n))
	return strings.Join(w[:min(n, len(w))], " ")
}

// head returns at most n bytes of s, whole code points.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// tail returns at most n bytes of s from its end, whole code points.
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

// silence is how much of it answers a text with nothing to say.
const silence = 200 * time.Millisecond

func samples(d time.Duration, rate int) int {
	return int(d * time.Duration(rate) / time.Second)
}

func duration(samples, rate int) time.Duration {
	return time.Duration(samples) * time.Second / time.Duration(rate)
}

var _ audio.Writer = (*meter)(nil)
