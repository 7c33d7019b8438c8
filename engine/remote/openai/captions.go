package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"vaak/engine/remote/exchange"
	"vaak/engine/remote/wire"
)

// mostWords bounds how many words an answer may tell of, mostWord how long one is in bytes.
const (
	mostWords = 100_000
	mostWord  = 200
)

// captions reads the samples' bytes of captioned speech, a JSON object a line:
//
//	{"audio":"<base64>","audio_format":"audio/pcm","timestamps":[{"word":"x","start_time":0.1,"end_time":0.2}]}
//
// Times are in seconds from the beginning of the answer.
type captions struct {
	lines *exchange.Lines
	text  string
	audio []byte
	words []wire.Word
}

func newCaptions(r io.Reader, text string) *captions {
	return &captions{lines: exchange.NewLines(r, lineBytes), text: text}
}

func (c *captions) told() []wire.Word { return c.words }

func (c *captions) Read(p []byte) (int, error) {
	for len(c.audio) == 0 {
		line, err := c.lines.Next()
		if err != nil {
			return 0, err // io.EOF too
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := c.line(line); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.audio)
	c.audio = c.audio[n:]
	return n, nil
}

func (c *captions) line(line []byte) error {
	var l struct {
		Audio  *string         `json:"audio"`
		Format string          `json:"audio_format"`
		Times  []caption       `json:"timestamps"`
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(line, &l) != nil {
		return broken("captioned speech that is no JSON")
	}
	if l.Audio == nil {
		if len(l.Error) > 0 || len(l.Detail) > 0 {
			return failed(line, c.text)
		}
		return &wire.Failure{Reason: wire.Failed, Status: http.StatusOK, Detail: "JSON instead of sound"}
	}
	if l.Format != "" && l.Format != "audio/pcm" && l.Format != "pcm" {
		return broken("captioned speech that is no PCM")
	}
	audio, ok := decode([]byte(*l.Audio))
	if !ok {
		return broken("sound that is no base64")
	}
	c.audio = audio
	for _, t := range l.Times {
		c.words = keep(c.words, t.Word, t.Start, t.End, time.Second)
	}
	return nil
}

type caption struct {
	Word  string  `json:"word"`
	Start float64 `json:"start_time"`
	End   float64 `json:"end_time"`
}

// keep adds a word whose times make sense: servers give none or the same to signs.
func keep(words []wire.Word, word string, start, end float64, unit time.Duration) []wire.Word {
	const latest = float64(24 * time.Hour)
	begin, until := start*float64(unit), end*float64(unit)
	if !(begin >= 0 && until >= begin && until < latest) || word == "" || len(word) > mostWord || len(words) >= mostWords {
		return words
	}
	w := wire.Word{Text: word, Start: time.Duration(begin), End: time.Duration(until)}
	if n := len(words); n > 0 && w.Start < words[n-1].Start {
		return words
	}
	return append(words, w)
}

// headerWords reads the header of vLLM-Omni, in milliseconds:
//
//	X-Word-Timestamps: [{"word":"x","start_ms":100,"end_ms":200}]
//
// What cannot be read tells nothing: the sound is good without.
func headerWords(header string) []wire.Word {
	if header == "" {
		return nil
	}
	var list []struct {
		Word  string  `json:"word"`
		Start float64 `json:"start_ms"`
		End   float64 `json:"end_ms"`
	}
	if err := json.Unmarshal([]byte(header), &list); err != nil {
		return nil
	}
	var words []wire.Word
	for _, t := range list {
		words = keep(words, t.Word, t.Start, t.End, time.Millisecond)
	}
	return words
}
