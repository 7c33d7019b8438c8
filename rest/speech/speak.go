package speech

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"vaak/account"
	"vaak/edge"
	"vaak/internal/document"
	"vaak/rest/frame"
	"vaak/speech"
)

// speechInput holds the raw body, because huma's decoder cannot say which parameter is wrong.
type speechInput struct {
	RawBody []byte `contentType:"application/json"`
}

var speechBinder = document.NewBinder[speechRequest]()

// speak serves POST /v1/audio/speech.
func (a *api) speak(w http.ResponseWriter, r *http.Request, in *speechInput) error {
	var body speechRequest
	ignored, err := speechBinder.BindNoting(document.Of(in.RawBody), &body)
	// Before the error is looked at, because a refusal names the ignored keys too.
	frame.NoteIgnored(w.Header(), ignored...)
	if err != nil {
		return err
	}
	req, how, err := body.request()
	if err != nil {
		return err
	}
	if req.Dictionaries, err = a.dictionaries(r, body.Dictionary, body.Locators); err != nil {
		return err
	}
	return a.speaking(w, r, func(ctx context.Context, caller account.Caller) error {
		switch how {
		case chunks:
			return a.speakChunks(ctx, w, caller, req)
		case events:
			return a.speakStream(ctx, caller, req, &eventStream{writer: newFlusher(w)})
		default:
			return a.speakWhole(ctx, w, caller, req)
		}
	})
}

// speaking runs f while the request holds a stream slot. The context of f ends with the request
// and when the key of the caller is revoked.
func (a *api) speaking(w http.ResponseWriter, r *http.Request, f func(context.Context, account.Caller) error) error {
	slot, err := edge.Admit(w, r, a.Accounts)
	if err != nil {
		return err
	}
	defer slot.Release()
	caller := frame.Caller(r)
	ctx, stop := a.Accounts.Session(r.Context(), caller)
	defer stop()
	if err = f(ctx, caller); err != nil {
		// An error here is answered with headers that are not sent yet, and they count the slot. A
		// stream that has begun returns no error.
		edge.GiveBack(w.Header(), slot)
	}
	return err
}

// speakWhole sends the answer when all audio is made, with a Content-Length.
func (a *api) speakWhole(ctx context.Context, w http.ResponseWriter, caller account.Caller, req speech.Request) error {
	var whole speech.Whole
	defer whole.Close()
	return a.collect(ctx, caller, req, &whole, func(res speech.Result) error {
		h := w.Header()
		speechHeaders(h, res.Info, res.Total)
		h.Set("Content-Type", res.Format.ContentType())
		h.Set("Content-Length", strconv.FormatInt(whole.Len(), 10))
		_, err := whole.WriteTo(w)
		return err
	})
}

// collect speaks a whole request into a writer and then calls send, which writes the answer. An
// error of send means that the client left.
func (a *api) collect(ctx context.Context, caller account.Caller, req speech.Request, into io.Writer, send func(speech.Result) error) error {
	res, err := a.Speech.Speak(ctx, caller, req, into)
	// Before the error: a request that broke off has spoken a part, which is charged and recorded.
	frame.Spoken(ctx, res)
	if err != nil {
		return frame.Gone(ctx, err)
	}
	if err := send(res); err != nil {
		edge.Note(ctx, frame.ClientGone(err))
	}
	return nil
}

// stream writes an answer while its audio is made.
type stream interface {
	speech.Starter
	Write(p []byte) (int, error)
	// hurry breaks off writes that block when ctx has ended, so that a client that stopped
	// reading does not delay the end. The caller calls done after the last write under ctx.
	hurry(ctx context.Context) (done func())
	// begun reports whether anything was sent to the client.
	begun() bool
	// finish ends the answer. It needs info where Start was never called, because there was no
	// audio, and for the trailers.
	finish(info speech.Info) error
	// fail breaks the answer off, after it has begun.
	fail(err error)
}

// speakStream sends the answer while its audio is made. After the first byte the status is sent,
// so an error breaks off the stream. The client then sees that the answer is not complete.
func (a *api) speakStream(ctx context.Context, caller account.Caller, req speech.Request, s stream) error {
	res, err := a.speakTo(ctx, caller, req, s)
	frame.Spoken(ctx, res)
	if err == nil {
		err = s.finish(res.Info)
	}
	if err == nil {
		return nil
	}
	err = frame.Gone(ctx, err)
	if !s.begun() {
		return err
	}
	edge.Note(ctx, err)
	s.fail(err)
	return nil
}

// speakTo speaks into a stream whose client may have stopped reading when ctx ends.
func (a *api) speakTo(ctx context.Context, caller account.Caller, req speech.Request, s stream) (speech.Result, error) {
	defer s.hurry(ctx)()
	return a.Speech.Speak(ctx, caller, req, s)
}

// speechHeaders sets the headers about the audio of an answer. Total is 0 while the audio is not
// complete.
func speechHeaders(h http.Header, info speech.Info, total time.Duration) {
	h.Set("Character-Cost", strconv.Itoa(info.Characters))
	h.Set("X-Voice-Id", string(info.Voice))
	h.Set("X-Language", string(info.Language))
	if info.Engine != "" {
		h.Set("X-Engine", info.Engine)
	}
	h.Set("Server-Timing", serverTiming(info, total))
	if info.Cache != "" {
		h.Set("X-Cache", string(info.Cache))
	}
	if info.Fallback != "" {
		h.Set("X-Fallback-Voice", string(info.Fallback))
	}
	frame.NoteIgnored(h, info.Unused...)
	for _, notice := range info.Notices {
		h.Add("X-Notice", frame.Printable(notice))
	}
}

// serverTiming returns the value of the header Server-Timing, in milliseconds.
func serverTiming(info speech.Info, total time.Duration) string {
	var room [96]byte
	b := room[:0]
	add := func(name string, d time.Duration) {
		if len(b) > 0 {
			b = append(b, ", "...)
		}
		b = append(b, name...)
		b = append(b, ";dur="...)
		b = strconv.AppendFloat(b, float64(d.Microseconds())/1000, 'f', -1, 64)
	}
	add("queue", info.QueueTime)
	add("text", info.TextTime)
	add("first-audio", info.FirstAudio)
	if total > 0 {
		add("total", total)
	}
	return string(b)
}
