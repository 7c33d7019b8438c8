package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/audio"
	"vaak/internal/fault"
	"vaak/speech"
	clips "vaak/speech/clip"
)

// maxInline is the most bytes of audio that travel inside a result. Hosts cut
// results off at some ten thousand tokens, and base64 is dear in tokens.
const maxInline = 256 << 10

// errOverCap stops an answer that does not fit into a result.
var errOverCap = errors.New("audio is over the inline cap")

// speakOver answers with the audio itself or a link to it, whichever is wanted
// while it can be had: audio that does not fit into a result is linked, and
// audio that cannot be kept for a link is in the result if it fits.
func (t *synthesis) speakOver(ctx context.Context, c call, req speech.Request, link bool) (answer[synthesizeOutput], error) {
	out := &tray{clips: t.clips, org: c.OrgID, link: link}
	defer out.discard()
	res, err := t.perform(ctx, c, req, out)
	if out.failed != nil {
		t.log.WarnContext(ctx, "audio was not kept for a link", "error", out.failed)
	}
	switch {
	case t.clips == nil && out.over > 0:
		return answer[synthesizeOutput]{}, t.tooLarge(req, out.over)
	case err != nil && out.failed != nil && errors.Is(err, out.failed):
		return answer[synthesizeOutput]{}, t.notKept(req, out.over, err)
	case err != nil:
		return answer[synthesizeOutput]{}, err
	case out.clip.ID != "":
		return t.linked(ctx, c, res, out, link), nil
	}
	if link {
		res.Notices = append(res.Notices[:len(res.Notices):len(res.Notices)], "The audio could not be kept for a link: it is in this result instead.")
	}
	a := t.report(ctx, c, synthesizeOutput{Delivery: deliverInline}, res)
	a.audio = &clip{bytes: out.buf, mimeType: res.Format.ContentType()}
	return a, nil
}

// linked is the answer with the link to a clip, wanted or not.
func (t *synthesis) linked(ctx context.Context, c call, res speech.Result, out *tray, wanted bool) answer[synthesizeOutput] {
	if !wanted {
		res.Notices = append(res.Notices[:len(res.Notices):len(res.Notices)],
			fmt.Sprintf("The audio is over the %d bytes that fit into a result: it is linked instead.", maxInline))
	}
	url := t.clips.Link(t.public, out.clip)
	a := t.report(ctx, c, synthesizeOutput{Delivery: deliverLink, AudioURL: url, ExpiresAt: instant(out.clip.Expires)}, res)
	a.links = []link{{uri: url, name: out.clip.Name, title: "Audio", mimeType: out.clip.ContentType, size: out.clip.Size}}
	return a
}

// instant is a time as the service writes it: in UTC, to the second.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05-07:00") }

// charactersPerSecond of speech, in the languages that take the most letters;
// used only to suggest a length.
const charactersPerSecond = 12

// tooLarge says how much fits and how to make it fit. size is at least what
// the answer takes.
func (t *synthesis) tooLarge(req speech.Request, size int) error {
	return fault.New(fault.TooLarge, codeAudioTooLarge, "", "the audio is over the %d bytes that fit into a result, about %.1f s of %s at %d Hz; nothing was returned. To go on, %s",
		maxInline, t.inlineSeconds(req.Format), req.Format.Codec, req.Format.SampleRate, t.remedies(req, size))
}

// notKept is the error of audio that could neither be linked, for some cause,
// nor put into a result.
func (t *synthesis) notKept(req speech.Request, size int, cause error) error {
	why := "cannot be kept for a link just now"
	if errors.Is(cause, clips.ErrTooLarge) {
		why = "is too large to be kept for a link"
	}
	f := fault.Down(fault.CodeStoreUnavailable, 0, cause,
		"the audio %s, and is over the %d bytes that fit into a result; nothing was charged. To go on now, %s", why, maxInline, t.remedies(req, size))
	if c, ok := errors.AsType[*fault.Error](cause); ok {
		f.RetryAfter = c.RetryAfter
	}
	return f
}

// remedies are what makes audio fit into a result.
func (t *synthesis) remedies(req speech.Request, size int) string {
	fits := t.inlineSeconds(req.Format)
	runes := utf8.RuneCountInString(req.Text)
	length := min(int(fits*charactersPerSecond), runes*maxInline/size*9/10)
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

// smallest is the offered codec that takes the fewest bytes at a rate.
func (t *synthesis) smallest(rate int) audio.Codec {
	best := t.formats[0]
	for _, c := range t.formats[1:] {
		if t.inlineSeconds(audio.Format{Codec: c, SampleRate: rate}) > t.inlineSeconds(audio.Format{Codec: best, SampleRate: rate}) {
			best = c
		}
	}
	return best
}

// inlineSeconds is how much audio of a format fits into a result, at the
// default bit rate of the codec.
func (t *synthesis) inlineSeconds(f audio.Format) float64 {
	perSecond := 2 * f.SampleRate
	switch f.Codec {
	case audio.MP3:
		perSecond = 128_000 / 8
	case audio.AAC:
		perSecond = 96_000 / 8
	case audio.Opus:
		perSecond = 64_000 / 8
	case audio.ULaw, audio.ALaw:
		perSecond = f.SampleRate
	}
	return float64(maxInline) / float64(perSecond)
}
