package console

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
	"vaak/edge"
	"vaak/internal/fault"
	"vaak/speech"
	"vaak/voice"
)

// playRoute is what the playground is called where requests are listed.
const playRoute = "console /playground"

// playSpeak speaks what was chosen, at the expense of the organisation: as a stream of
// lines for the script of the page, or as a file where there is none.
func (v *visit) playSpeak() error {
	p, err := &play{}, tooLarge(v.form(playForm))
	if err == nil {
		p, err = v.speakFor(choiceOf(v.sent))
	}
	if err == nil || !v.scripted() && !p.sent {
		return err
	}
	edge.Note(v.r.Context(), err)
	if p.sent {
		return nil
	}
	return v.refuseLines(err)
}

// playTrouble is what the script of the page is told of an error.
type playTrouble struct {
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`  // at fault
	Number  string `json:"number,omitempty"` // to tell the operator, of a fault of ours
}

func (v *visit) told(err error) (t playTrouble) {
	t.Message, t.Field = sentence(err)
	if fault.KindOf(err) == fault.Internal {
		t.Number = edge.RequestID(v.r.Context())
	}
	return t
}

// scripted reports whether the script of the page asks.
func (v *visit) scripted() bool { return strings.Contains(v.r.Header.Get("Accept"), ndjson) }

// refuseLines answers with what is wrong before anything was spoken.
func (v *visit) refuseLines(err error) error {
	body, merr := json.Marshal(map[string]playTrouble{"error": v.told(err)})
	if merr != nil {
		return merr
	}
	h := v.w.Header()
	retryAfter(h, err)
	playHead(h, "application/json")
	v.w.WriteHeader(statusOf(err))
	_, _ = v.w.Write(body) // a browser that left is no fault of ours
	return nil
}

// play is one request to speak.
type play struct {
	*visit
	caller account.Caller
	res    speech.Result
	sent   bool // an answer has begun
}

// speakFor speaks and keeps what became of it. Whether an answer has begun beside an
// error is told by [play.sent].
func (v *visit) speakFor(c choice) (_ *play, err error) {
	caller, err := v.Accounts.Console(v.r.Context(), v.org.ID)
	if err != nil {
		return &play{}, err
	}
	p := &play{visit: v, caller: caller}
	began, panicked := time.Now(), true
	defer func() { v.Accounts.Record(p.record(began, err, panicked)) }()
	err = c.inForm(p.speak(c))
	panicked = false
	return p, err
}

// record is what is kept of the request: never the text.
func (p *play) record(began time.Time, err error, panicked bool) account.RequestRecord {
	r := account.RequestRecord{
		ID: edge.RequestID(p.r.Context()), At: began, OrgID: p.org.ID, KeyID: account.ConsoleKey, Route: playRoute,
		Voice: string(p.res.Voice), Language: string(p.res.Language), Characters: int64(p.res.Charged),
		FirstAudio: p.res.FirstAudio, Audio: p.res.Duration, Status: http.StatusOK,
	}
	f, known := errors.AsType[*fault.Error](err)
	switch {
	case known && f.Kind == fault.Cancelled:
		r.Status, r.Code = statusLeft, f.Code
	case known:
		r.Status, r.Code = statusOf(err), f.Code
	case err != nil || panicked:
		r.Status, r.Code = http.StatusInternalServerError, fault.CodeInternal
	}
	return r
}

// speak counts the request, takes a stream for it and speaks.
func (p *play) speak(c choice) error {
	ctx := p.r.Context()
	if _, err := p.Accounts.Enter(ctx, p.caller); err != nil {
		return err
	}
	req, err := p.requested(c)
	if err != nil {
		return err
	}
	slot, err := p.Accounts.Admit(ctx, p.caller)
	if err != nil {
		return err
	}
	defer slot.Release()
	ctx, stop := p.Accounts.Session(ctx, p.caller)
	defer stop()
	if p.scripted() {
		return p.stream(ctx, req)
	}
	return p.whole(ctx, req)
}

// stream answers as sound is made.
func (p *play) stream(ctx context.Context, req speech.Request) error {
	s, err := newPlayStream(p.w, req.Format)
	if err != nil {
		return err
	}
	defer s.close()
	defer s.hurry(ctx)()
	req.Stream, req.Format = true, s.sound()
	p.res, err = p.Speech.Speak(ctx, p.caller, req, s)
	if err == nil {
		err = s.end(p.res)
	}
	if err = left(ctx, err); err != nil && s.sent {
		s.fail(p.told(err))
	}
	p.sent = s.sent
	return err
}

// whole answers with the file.
func (p *play) whole(ctx context.Context, req speech.Request) error {
	var body speech.Whole
	defer body.Close()
	var err error
	if p.res, err = p.Speech.Speak(ctx, p.caller, req, &body); err != nil {
		return left(ctx, err)
	}
	p.sent = true
	h := p.w.Header()
	playHead(h, p.res.Format.ContentType())
	h.Set("Content-Length", strconv.FormatInt(body.Len(), 10))
	h.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": fileName(p.res.Info, p.res.Format)}))
	if _, err := body.WriteTo(p.w); err != nil {
		return clientGone(err)
	}
	return nil
}

// left returns err, or what it really is when its context has ended: what it was ended
// with, or that the browser left.
func left(ctx context.Context, err error) error {
	if kind := fault.KindOf(err); err == nil || ctx.Err() == nil || kind != fault.Internal && kind != fault.Cancelled {
		return err
	}
	if cause, ok := errors.AsType[*fault.Error](context.Cause(ctx)); ok {
		return cause
	}
	return clientGone(err)
}

// playHead says what an answer is; it is for nobody else, and nothing but that.
func playHead(h http.Header, kind string) {
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

// fileName is a name for the file of an answer: meera-hi.mp3.
func fileName(info speech.Info, f audio.Format) string {
	name := "speech"
	if v, ok := voice.Lookup(info.Voice); ok {
		name = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return '-'
		}, strings.ToLower(v.Name))
	}
	return name + "-" + string(info.Language) + "." + f.Extension()
}
