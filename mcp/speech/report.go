package speech

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vaak/mcp/tool"
	"vaak/speech"
)

// report completes the answer to a call that has spoken. Out already says how the audio is
// delivered.
func (t *synthesis) report(ctx context.Context, c tool.Call, out synthesizeOutput, res speech.Result) tool.Answer[synthesizeOutput] {
	out.Format, out.MIMEType, out.SampleRate = string(res.Format.Codec), res.Format.ContentType(), res.Format.SampleRate
	out.Bytes, out.DurationSeconds, out.Characters = res.Bytes, seconds(res.Duration), res.Characters
	out.VoiceID, out.Language, out.Notices = string(res.Voice), string(res.Language), res.Notices
	out.CharactersRemaining = t.remaining(ctx, c)
	var b strings.Builder
	switch {
	case out.File != "":
		fmt.Fprintf(&b, "Wrote %s\n", out.File)
	case out.AudioURL != "":
		fmt.Fprintf(&b, "%s\nGood until %s; no key is needed.\n", out.AudioURL, out.ExpiresAt)
	}
	fmt.Fprintf(&b, "%g s of %s at %d Hz, %d bytes; voice %s, language %s; %s",
		out.DurationSeconds, out.Format, out.SampleRate, out.Bytes, out.VoiceID, out.Language, tool.Plural(int64(out.Characters), "character"))
	if n := out.CharactersRemaining; n != nil {
		fmt.Fprintf(&b, ", %s", tool.Left(*n))
	}
	b.WriteByte('.')
	for _, n := range res.Notices {
		b.WriteString("\n" + n)
	}
	return tool.Answer[synthesizeOutput]{Value: out, Text: b.String()}
}

// remaining returns how many characters the caller has left; nil when that is not known. It is no
// error: the text was spoken all the same.
func (t *synthesis) remaining(ctx context.Context, c tool.Call) *int64 {
	if t.reports == nil {
		return nil
	}
	r, err := t.reports.Report(ctx, c.OrgID)
	if err != nil {
		t.log.WarnContext(ctx, "what remains is not told", "error", err)
		return nil
	}
	return &r.Balance.Remaining
}

// sentences returns the message of a milestone: how many sentences are made. It never quotes them.
func sentences(m speech.Milestone) string {
	if m.TotalSentences == 1 {
		return "1 of 1 sentence"
	}
	return fmt.Sprintf("%d of %d sentences", m.Sentences, m.TotalSentences)
}

// seconds returns a duration in seconds, cut to whole milliseconds.
func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }
