package speech

import (
	"context"
	"io"
	"time"

	"vaak/audio"
	"vaak/mcp/tool"
	"vaak/mcp/transport"
	"vaak/speech"
	clips "vaak/speech/clip"
)

// Clips keeps audio for everyone who has the link to it. The service of package clip is one.
type Clips interface {
	// Begin begins a clip of an organisation.
	Begin(org string) (*clips.Draft, error)
	// Link returns the address at which a clip can be had without a key.
	Link(publicURL string, c clips.Clip) string
	// Owned opens a clip for the organisation that owns it. For any other it is not found.
	Owned(ctx context.Context, org, id string) (clips.Content, error)
}

// outlet takes the audio of a call. Start comes before the first byte. Finish comes before the
// answer is charged: if it fails, the call costs nothing.
type outlet interface {
	io.Writer
	speech.Starter
	speech.Finisher
}

// perform speaks into an outlet, and reports progress to a client that asked for it.
func (t *synthesis) perform(ctx context.Context, c tool.Call, req speech.Request, out outlet) (speech.Result, error) {
	if c.Progress.Wanted() {
		out = watched{out, c.Progress}
	}
	res, err := t.speaker.Speak(ctx, c.Caller, req, out)
	if err == nil && res.Duration < mute && t.silent(ctx, req) {
		res.Notices = append(res.Notices[:len(res.Notices):len(res.Notices)], "Nothing in the text is spoken: the audio is silence.")
	}
	return res, err
}

// mute is longer than the audio of any text in which nothing is spoken.
const mute = 500 * time.Millisecond

// silent reports whether a text has nothing that can be spoken.
func (t *synthesis) silent(ctx context.Context, req speech.Request) bool {
	r, err := t.speaker.Read(ctx, req)
	return err == nil && len(r.Runs) == 0
}

// watched is an outlet that reports each sentence as progress.
type watched struct {
	outlet
	progress *transport.Progress
}

// Reach reports a milestone to the client.
func (w watched) Reach(m speech.Milestone) {
	w.progress.Tell(float64(m.Characters), float64(m.TotalCharacters), sentences(m))
}

// tray takes audio for the result or for a link. It keeps the audio in memory while that fits
// into a result, and otherwise as a clip.
type tray struct {
	clips Clips // nil makes no links
	org   string
	link  bool // a link is wanted; otherwise only audio that does not fit gets one

	format audio.Format
	buf    []byte // nil when it did not fit
	over   int    // how many bytes there were when the audio no longer fit; 0 while it fits
	draft  *clips.Draft
	clip   clips.Clip // its id is "" while there is no clip
	failed error      // why there is no clip
}

// Start notes the format of the audio.
func (t *tray) Start(i speech.Info) { t.format = i.Format }

// Write takes audio.
func (t *tray) Write(p []byte) (int, error) {
	if t.failed != nil {
		return 0, t.failed
	}
	if t.over == 0 && len(t.buf)+len(p) <= tool.MaxInline {
		t.buf = append(t.buf, p...)
		return len(p), nil
	}
	if t.over == 0 {
		t.over = len(t.buf) + len(p)
		if t.clips == nil {
			return 0, errOverCap
		}
		if t.failed = t.begin(); t.failed != nil {
			return 0, t.failed
		}
		t.buf = nil
	}
	if t.draft == nil {
		return 0, errOverCap
	}
	n, err := t.draft.Write(p)
	t.failed = err
	return n, err
}

// Finish keeps the clip, if one is wanted or needed. It fails when the audio can be delivered
// neither in the result nor as a link; the call then costs nothing.
func (t *tray) Finish() error {
	if t.failed != nil || !t.link && t.over == 0 {
		return t.failed
	}
	if t.over > 0 && t.draft == nil {
		return errOverCap
	}
	// Audio that fits is delivered in the result when it cannot be kept, so that is no failure.
	if t.failed = t.keep(); t.failed != nil && t.over > 0 {
		return t.failed
	}
	return nil
}

func (t *tray) keep() (err error) {
	if t.draft == nil {
		if err := t.begin(); err != nil {
			return err
		}
	}
	t.clip, err = t.draft.Keep(clips.Kind{ContentType: t.format.ContentType(), Extension: t.format.Extension()})
	return err
}

// begin begins a clip with what is in memory.
func (t *tray) begin() (err error) {
	if t.draft, err = t.clips.Begin(t.org); err != nil {
		t.draft = nil
		return err
	}
	_, err = t.draft.Write(t.buf)
	return err
}

// discard deletes a clip that was begun and not kept.
func (t *tray) discard() {
	if t.draft != nil {
		t.draft.Discard()
	}
}
