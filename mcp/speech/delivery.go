package speech

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"vaak/audio"
	"vaak/internal/fault"
	"vaak/mcp/tool"
	"vaak/speech"
	clips "vaak/speech/clip"
)

// errOverCap stops an answer that does not fit into a result.
var errOverCap = errors.New("audio is over the inline cap")

// speakOver answers with the audio itself or with a link to it, as the call asks. Audio that
// does not fit into a result is linked instead. Audio that cannot be kept for a link is in the
// result instead, if it fits.
func (t *synthesis) speakOver(ctx context.Context, c tool.Call, req speech.Request, link bool) (tool.Answer[synthesizeOutput], error) {
	out := &tray{clips: t.clips, org: c.OrgID, link: link}
	defer out.discard()
	res, err := t.perform(ctx, c, req, out)
	if out.failed != nil {
		t.log.WarnContext(ctx, "audio was not kept for a link", "error", out.failed)
	}
	switch {
	case t.clips == nil && out.over > 0:
		return tool.Answer[synthesizeOutput]{}, t.tooLarge(req, out.over)
	case err != nil && out.failed != nil && errors.Is(err, out.failed):
		return tool.Answer[synthesizeOutput]{}, t.notKept(req, out.over, err)
	case err != nil:
		return tool.Answer[synthesizeOutput]{}, err
	case out.clip.ID != "":
		return t.linked(ctx, c, res, out, link), nil
	}
	if link {
		// With its capacity cut, append copies: the notices belong to the service.
		res.Notices = append(res.Notices[:len(res.Notices):len(res.Notices)], "The audio could not be kept for a link: it is in this result instead.")
	}
	a := t.report(ctx, c, synthesizeOutput{Delivery: tool.DeliverInline}, res)
	a.Audio = &tool.Clip{Bytes: out.buf, MimeType: res.Format.ContentType()}
	return a, nil
}

// linked returns the answer with a link to a clip. Wanted says whether the call asked for a link.
func (t *synthesis) linked(ctx context.Context, c tool.Call, res speech.Result, out *tray, wanted bool) tool.Answer[synthesizeOutput] {
	if !wanted {
		res.Notices = append(res.Notices[:len(res.Notices):len(res.Notices)],
			fmt.Sprintf("The audio is over the %d bytes that fit into a result: it is linked instead.", tool.MaxInline))
	}
	url := t.clips.Link(t.public, out.clip)
	a := t.report(ctx, c, synthesizeOutput{Delivery: tool.DeliverLink, AudioURL: url, ExpiresAt: tool.Instant(out.clip.Expires)}, res)
	a.Links = []tool.Link{{Uri: url, Name: out.clip.Name, Title: "Audio", MimeType: out.clip.ContentType, Size: out.clip.Size}}
	return a
}

// charactersPerSecond is about how many characters are spoken in a second, in the languages
// that need the most letters. It serves only to suggest a length.
const charactersPerSecond = 12

// tooLarge returns the error that says how much audio fits, and how to make it fit. The answer
// takes at least size bytes.
func (t *synthesis) tooLarge(req speech.Request, size int) error {
	return fault.New(fault.TooLarge, tool.CodeAudioTooLarge, "", "the audio is over the %d bytes that fit into a result, about %.1f s of %s at %d Hz; nothing was returned. To go on, %s",
		tool.MaxInline, t.inlineSeconds(req.Format), req.Format.Codec, req.Format.SampleRate, t.remedies(req, size))
}

// notKept returns the error of audio that does not fit into a result and could not be kept for
// a link either, because of cause.
func (t *synthesis) notKept(req speech.Request, size int, cause error) error {
	why := "cannot be kept for a link just now"
	if errors.Is(cause, clips.ErrTooLarge) {
		why = "is too large to be kept for a link"
	}
	f := fault.Down(fault.CodeStoreUnavailable, 0, cause,
		"the audio %s, and is over the %d bytes that fit into a result; nothing was charged. To go on now, %s", why, tool.MaxInline, t.remedies(req, size))
	if c, ok := errors.AsType[*fault.Error](cause); ok {
		f.RetryAfter = c.RetryAfter
	}
	return f
}

// remedies lists what would make the audio fit into a result.
func (t *synthesis) remedies(req speech.Request, size int) string {
	fits := t.inlineSeconds(req.Format)
	runes := utf8.RuneCountInString(req.Text)
	length := min(int(fits*charactersPerSecond), runes*tool.MaxInline/size*9/10)
	remedies := []string{fmt.Sprintf("send at most about %d characters of text in a call", max(length, 1))}
	if small := (audio.Format{Codec: req.Format.Codec, SampleRate: audio.SampleRates[0]}); req.Format.SampleRate > small.SampleRate && t.inlineSeconds(small) > fits {
		remedies = append(remedies, fmt.Sprintf("set sample_rate to %d (%.0f s fit)", small.SampleRate, t.inlineSeconds(small)))
	}
	if best := t.smallest(req.Format.SampleRate); best != req.Format.Codec {
		f := audio.Format{Codec: best, SampleRate: req.Format.SampleRate}
		remedies = append(remedies, fmt.Sprintf("set format to %s (%.0f s fit)", best, t.inlineSeconds(f)))
	}
	if t.output != nil {
		remedies = append(remedies, "set delivery to file")
	}
	return strings.Join(remedies, ", or ")
}

// smallest returns the offered codec that takes the fewest bytes at a sample rate.
func (t *synthesis) smallest(rate int) audio.Codec {
	best := t.formats[0]
	for _, c := range t.formats[1:] {
		if t.inlineSeconds(audio.Format{Codec: c, SampleRate: rate}) > t.inlineSeconds(audio.Format{Codec: best, SampleRate: rate}) {
			best = c
		}
	}
	return best
}

// inlineSeconds returns how many seconds of audio in a format fit into a result, at the default bit
// rate of the codec.
func (t *synthesis) inlineSeconds(f audio.Format) float64 {
	return float64(tool.MaxInline) / float64(f.BytesPerSecond())
}
