package speech

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"vaak/account"
	"vaak/edge"
	"vaak/internal/fault"
	"vaak/rest/frame"
	"vaak/speech/clip"
)

// Clips opens the audio that a link leads to. [*clip.Service] is the one of the product.
type Clips interface {
	// Linked opens the clip of a link. The error of every link that opens nothing is of kind
	// NotFound, whether the link is expired, forged or unknown.
	Linked(ctx context.Context, id, expires, signature string) (clip.Content, error)
}

// clipInput are the parts of a link.
type clipInput struct {
	File      string `path:"file" doc:"The clip's name, as the link has it." example:"clip_aaaaaaaaaaaaaaaaaaaaaaaaaa.mp3"`
	Expires   string `query:"expires" required:"true" doc:"When the link ends, in Unix seconds, as the link has it."`
	Signature string `query:"signature" required:"true" doc:"As the link has it."`
}

func (a *api) registerClips(desc huma.API) {
	media := map[string]*huma.MediaType{}
	for name := range speechAnswer().Content {
		if strings.HasPrefix(name, "audio/") {
			media[name] = &huma.MediaType{Schema: frame.Binary("The audio.")}
		}
	}
	good := &huma.Response{Description: "The audio.", Content: media, Headers: map[string]*huma.Param{
		"ETag":                frame.HeaderOf("string", "Names the clip, for If-Range and If-None-Match."),
		"Cache-Control":       frame.HeaderOf("string", "Private, and no longer than the link is good."),
		"Content-Disposition": frame.HeaderOf("string", "inline, with a name for the file."),
	}}
	op := huma.Operation{
		OperationID: "getClip", Method: http.MethodGet, Path: clip.Path + "{file}", Tags: []string{frame.TagSpeech},
		Summary: "Hear what was spoken, by its link",
		Description: "The link comes from the tool synthesize_speech, and is good for a quarter of an hour. It needs no key; ranges are served. " +
			"A link that was changed, one that has expired and one that is opened with the key of another organisation are all 404 `clip_not_found`. " +
			"A key that is sent has to be a valid one.",
		Metadata:  map[string]any{frame.MetaFree: true},
		Responses: frame.Responses(good, 401, 404, 416, 503),
	}
	frame.Conditional(op.Responses)
	op.Responses["302"] = frame.InStorage("The audio")
	op.Responses["206"] = &huma.Response{Description: "A part of the audio, as Range asks for.", Content: media}
	frame.Operate(desc, op, a.getClip)
}

// getClip serves GET /v1/audio/clips/{file}.
func (a *api) getClip(w http.ResponseWriter, r *http.Request, in *clipInput) error {
	caller, keyed, err := a.maybeCaller(r)
	if err != nil {
		return frame.Gone(r.Context(), err)
	}
	id, _, _ := strings.Cut(in.File, ".")
	c, err := a.Clips.Linked(r.Context(), id, in.Expires, in.Signature)
	if err != nil {
		return frame.Gone(r.Context(), err)
	}
	defer c.Body.Close() // read only
	// The same answer as for a link that does not exist, so that nobody learns which clips there
	// are.
	if in.File != c.Name || keyed && caller.OrgID != c.Org {
		return clip.NotFound()
	}
	h := w.Header()
	// A cache must not give an answer without a key to a request with one: the key may be of
	// another organisation.
	h.Set("Vary", "Authorization, Xi-Api-Key")
	if elsewhere, err := a.elsewhere(r, c.Clip); err != nil {
		return frame.Gone(r.Context(), err)
	} else if elsewhere != "" {
		frame.Elsewhere(w, elsewhere)
		return nil
	}
	h.Set("Cache-Control", fmt.Sprintf("private, max-age=%d", max(0, int(time.Until(c.Expires).Seconds()))))
	h.Set("Content-Type", c.ContentType)
	h.Set("Content-Disposition", c.Disposition())
	h.Set("ETag", `"`+c.ID+`"`)
	h.Set("X-Content-Type-Options", "nosniff")
	frame.Native.ServeContent(w, r, time.Time{}, c.Body)
	return nil
}

// elsewhere returns where a client is to read a clip instead of here, or "".
func (a *api) elsewhere(r *http.Request, c clip.Clip) (string, error) {
	if clips, ok := a.Clips.(linker); ok && frame.Follows(r) {
		return clips.Direct(r.Context(), c)
	}
	return "", nil
}

// linker are clips that clients may read where they are kept; see [clip.Service.Direct].
type linker interface {
	Direct(ctx context.Context, c clip.Clip) (string, error)
}

// maybeCaller returns the caller of a request that needs no key; keyed is false when it has no
// key. The error is that of a key that is not valid.
func (a *api) maybeCaller(r *http.Request) (_ account.Caller, keyed bool, err error) {
	key, err := edge.Key(r.Header)
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.CodeMissingKey {
		return account.Caller{}, false, nil
	}
	if err != nil {
		return account.Caller{}, false, err
	}
	caller, err := a.Accounts.Authenticate(r.Context(), key)
	return caller, err == nil, err
}
