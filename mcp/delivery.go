package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/account"
	"vaak/audio"
	"vaak/internal/fault"
	"vaak/speech"
)

// maxInline is the most bytes of audio that travel inside a result. Hosts cut
// results off at some ten thousand tokens, and base64 is dear in tokens.
const maxInline = 256 << 10

// errOverCap stops an answer that does not fit into a result.
var errOverCap = errors.New("audio is over the inline cap")

// capped keeps what is written up to maxInline bytes and refuses the rest.
type capped struct {
	buf  bytes.Buffer
	over int // bytes that were offered when it was refused; 0 while it fits
}

func (c *capped) Write(p []byte) (int, error) {
	if c.over > 0 || c.buf.Len()+len(p) > maxInline {
		c.over = max(c.over, c.buf.Len()+len(p))
		return 0, errOverCap
	}
	return c.buf.Write(p)
}

// speakInline answers with the audio itself.
func (t *synthesis) speakInline(ctx context.Context, caller account.Caller, req speech.Request) (answer[synthesizeOutput], error) {
	var w capped
	res, err := t.speaker.Speak(ctx, caller, req, &w)
	if w.over > 0 {
		return answer[synthesizeOutput]{}, t.tooLarge(req, w.over)
	}
	if err != nil {
		return answer[synthesizeOutput]{}, err
	}
	a := t.report(deliverInline, "", res)
	a.audio = &clip{bytes: w.buf.Bytes(), mimeType: res.Format.ContentType()}
	return a, nil
}

// charactersPerSecond of speech, in the languages that take the most letters;
// used only to suggest a length.
const charactersPerSecond = 12

// tooLarge says how much fits and how to make it fit. size is at least what
// the answer takes.
func (t *synthesis) tooLarge(req speech.Request, size int) error {
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
	return fault.New(fault.TooLarge, codeAudioTooLarge, "", "the audio is over the %d bytes that fit into a result, about %.1f s of %s at %d Hz; nothing was returned. To go on, %s",
		maxInline, fits, req.Format.Codec, req.Format.SampleRate, strings.Join(remedies, ", or "))
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

// speakToFile answers with the path of a new file in the output directory. It
// leaves nothing behind when it fails.
func (t *synthesis) speakToFile(ctx context.Context, caller account.Caller, req speech.Request, name string) (_ answer[synthesizeOutput], err error) {
	name = fileName(name, req.Format.Extension())
	f, err := t.output.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return answer[synthesizeOutput]{}, fault.New(fault.Conflict, codeFileExists, "file_name", "a file %q is there already", name)
	}
	if err != nil {
		return answer[synthesizeOutput]{}, fmt.Errorf("create audio file: %w", err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()             // closed twice at worst
			_ = t.output.Remove(name) // the first error says more
		}
	}()
	res, err := t.speaker.Speak(ctx, caller, req, f)
	if err != nil {
		return answer[synthesizeOutput]{}, err
	}
	if err := f.Close(); err != nil {
		return answer[synthesizeOutput]{}, fmt.Errorf("close audio file: %w", err)
	}
	return t.report(deliverFile, filepath.Join(t.dir, name), res), nil
}

// maxFileName is the longest name in bytes that is made, extension included;
// common file systems take 255.
const maxFileName = 120

// fileName makes a plain file name with the extension of what a caller asked
// for: letters, digits, marks and -_ stay, everything else becomes a dash. A
// name with nothing left is made up.
func fileName(asked, extension string) string {
	asked = strings.TrimSuffix(asked, "."+extension)
	stem := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.M, unicode.Nd) || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToValidUTF8(asked, "-"))
	for len(stem)+1+len(extension) > maxFileName {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	stem = strings.Trim(stem, "-.")
	if stem == "" {
		stem = "speech-" + strings.ToLower(rand.Text()[:12])
	}
	return stem + "." + extension
}
