package speech

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vaak/account"
	"vaak/audio"
	"vaak/console/page"
	"vaak/edge"
	"vaak/internal/fault"
	"vaak/speech"
	"vaak/voice"
)

// route is what the list of requests calls the playground.
const route = "console /playground"

// speak speaks what was chosen, at the expense of the organisation: as a stream of lines
// for the script of the page, or as a file where there is no script.
func (ps *pages) speak(v *page.Visit) error {
	u, err := &utterance{}, tooLarge(v.ReadForm(maxForm))
	if err == nil {
		u, err = ps.speakFor(v, choiceOf(ps.Voices, v.Sent.Values))
	}
	if err == nil || !scripted(v) && !u.sent {
		return err // of an error the frame makes a page
	}
	edge.Note(v.R.Context(), err)
	if u.sent {
		return nil // the stream or the file broke off, so no page can follow
	}
	return refuseInJSON(v, err)
}

// errorLine is what the script of the page gets for an error.
type errorLine struct {
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`  // at fault
	Number  string `json:"number,omitempty"` // of the request, for the operator, when the fault is ours
}

func errorLineOf(v *page.Visit, err error) (l errorLine) {
	l.Message, l.Field = page.Sentence(err)
	if fault.KindOf(err) == fault.Internal {
		l.Number = edge.RequestID(v.R.Context())
	}
	return l
}

// scripted reports whether the script of the page asks.
func scripted(v *page.Visit) bool { return strings.Contains(v.R.Header.Get("Accept"), ndjson) }

// refuseInJSON answers the script with what is wrong before anything was spoken.
func refuseInJSON(v *page.Visit, err error) error {
	body, merr := json.Marshal(map[string]errorLine{"error": errorLineOf(v, err)})
	if merr != nil {
		return merr
	}
	h := v.W.Header()
	page.RetryAfter(h, err)
	setHead(h, "application/json")
	v.W.WriteHeader(page.StatusOf(err))
	_, _ = v.W.Write(body) // a browser that left is no fault of ours
	return nil
}

// utterance is one request to speak.
type utterance struct {
	ps     *pages
	v      *page.Visit
	caller account.Caller
	res    speech.Result
	sent   bool // an answer has begun
}

// speakFor speaks, and records the outcome among the requests of the organisation. The
// utterance is there beside an error, too, and says whether an answer has begun.
func (ps *pages) speakFor(v *page.Visit, c choice) (_ *utterance, err error) {
	caller, err := ps.Accounts.Console(v.R.Context(), v.Org.ID)
	if err != nil {
		return &utterance{}, err
	}
	u := &utterance{ps: ps, v: v, caller: caller}
	// A panic passes through here on its way to the frame, and is recorded as a fault of
	// ours: then panicked is still true.
	began, panicked := time.Now(), true
	defer func() { ps.Accounts.Record(u.record(began, err, panicked)) }()
	err = c.inForm(u.speak(c))
	panicked = false
	return u, err
}

// record returns what is kept of the request: never the text.
func (u *utterance) record(began time.Time, err error, panicked bool) account.RequestRecord {
	r := account.RequestRecord{
		ID: edge.RequestID(u.v.R.Context()), At: began, OrgID: u.v.Org.ID, KeyID: account.ConsoleKey, Route: route,
		Voice: string(u.res.Voice), Language: string(u.res.Language), Engine: u.res.Engine, Characters: int64(u.res.Charged),
		FirstAudio: u.res.FirstAudio, Audio: u.res.Duration, Status: http.StatusOK,
	}
	f, known := errors.AsType[*fault.Error](err)
	switch {
	case known:
		r.Status, r.Code = page.StatusOf(err), f.Code
	case err != nil || panicked:
		r.Status, r.Code = http.StatusInternalServerError, fault.CodeInternal
	}
	return r
}

// speak counts the request, takes a stream for it and speaks.
func (u *utterance) speak(c choice) error {
	ctx, accounts := u.v.R.Context(), u.ps.Accounts
	// A request counts to the minute also when it is refused for what it asks, as with
	// the other transports.
	if _, err := accounts.Enter(ctx, u.caller); err != nil {
		return err
	}
	req, err := u.ps.requested(u.v, c)
	if err != nil {
		return err
	}
	slot, err := accounts.Admit(ctx, u.caller)
	if err != nil {
		return err
	}
	defer slot.Release()
	ctx, stop := accounts.Session(ctx, u.caller)
	defer stop()
	if scripted(u.v) {
		return u.stream(ctx, req)
	}
	return u.file(ctx, req)
}

// stream answers while sound is made.
func (u *utterance) stream(ctx context.Context, req speech.Request) error {
	s, err := newStream(u.v.W, u.ps.Voices, req.Format)
	if err != nil {
		return err
	}
	defer s.close()
	// Deferred last and so run first: it waits until no deadline is being set any more.
	defer s.hurry(ctx)()
	req.Stream, req.Format = true, s.sound()
	u.res, err = u.ps.Speech.Speak(ctx, u.caller, req, s)
	if err == nil {
		err = s.end(u.res)
	}
	if err = cause(ctx, err); err != nil && s.sent {
		s.fail(errorLineOf(u.v, err))
	}
	u.sent = s.sent
	return err
}

// file answers with the whole file.
func (u *utterance) file(ctx context.Context, req speech.Request) error {
	var body speech.Whole
	defer body.Close()
	var err error
	if u.res, err = u.ps.Speech.Speak(ctx, u.caller, req, &body); err != nil {
		return cause(ctx, err)
	}
	// Before the first byte, because a write that fails has begun the answer too.
	u.sent = true
	h := u.v.W.Header()
	setHead(h, u.res.Format.ContentType())
	h.Set("Content-Length", strconv.FormatInt(body.Len(), 10))
	h.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": fileName(u.ps.Voices, u.res.Info, u.res.Format)}))
	if _, err := body.WriteTo(u.v.W); err != nil {
		return clientGone(err)
	}
	return nil
}

// cause returns err, or the reason behind it when its context has ended: the error that
// the context was cancelled with, or that the browser left.
func cause(ctx context.Context, err error) error {
	if kind := fault.KindOf(err); err == nil || ctx.Err() == nil || kind != fault.Internal && kind != fault.Cancelled {
		return err
	}
	if cause, ok := errors.AsType[*fault.Error](context.Cause(ctx)); ok {
		return cause
	}
	return clientGone(err)
}

// setHead sets the type of an answer that nobody may keep.
func setHead(h http.Header, kind string) {
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

// fileName returns a name for the file of an answer: meera-hi.mp3.
func fileName(voices *voice.Directory, info speech.Info, f audio.Format) string {
	name := "speech"
	if v, ok := voices.ByID(info.Voice); ok {
		name = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return '-'
		}, strings.ToLower(v.Name))
	}
	return name + "-" + string(info.Language) + "." + f.Extension()
}
