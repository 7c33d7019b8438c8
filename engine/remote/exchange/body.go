package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"vaak/engine"
	"vaak/engine/remote/wire"
)

// Sound reads an answer of bare samples or WAV, as its type says: media is the type without its
// parameters. Other types are failures, and where the server says what is wrong the failure does
// too, without the words of text. With bare, what says that it is WAV and has no header of one is taken for bare samples. The
// response is closed with an error.
func Sound(resp *Response, text, media string, f Format, wanted int, bare bool, words func() []wire.Word) (wire.Answer, error) {
	source := resp.Body
	wav := false
	switch media {
	case "audio/pcm", "audio/x-pcm", "audio/raw":
	case "audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave":
		wav = true
	case "", "application/octet-stream", "binary/octet-stream":
		bare, wav = true, true // either
	case "application/json":
		failed := &wire.Failure{Reason: wire.Failed, Status: http.StatusOK, Detail: "JSON instead of sound"}
		if m := Message(resp.begin(), text); m != "" {
			failed.Detail += ": " + m
		}
		resp.Close()
		return nil, failed
	default:
		resp.Close()
		return nil, broken("an answer of type %.60q instead of sound", media)
	}
	if wav {
		var start [4]byte
		n, err := io.ReadFull(source, start[:])
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			resp.Close()
			return nil, resp.failure(err)
		}
		ended := err != nil
		source = io.MultiReader(bytes.NewReader(start[:n]), source)
		if riff := string(start[:n]) == "RIFF"; riff || !bare && !ended {
			if f, source, err = WAV(source); err != nil {
				resp.Close()
				return nil, resp.failure(err)
			}
		} else if !bare && n > 0 {
			resp.Close()
			return nil, broken("WAV breaks off in its header")
		}
	}
	return NewAnswer(resp, source, f, wanted, words)
}

// Knobs returns the parameters of s that are set and are in the list, by name. Whole numbers are
// integers.
func Knobs(s engine.Sampling, list []engine.Parameter) map[string]any {
	all := map[string]any{}
	put := func(name string, v *float64, whole bool) {
		if v == nil {
			return
		}
		if whole {
			all[name] = int64(*v)
		} else {
			all[name] = *v
		}
	}
	for _, p := range list {
		switch p.Name {
		case "temperature":
			put(p.Name, s.Temperature, false)
		case "top_p":
			put(p.Name, s.TopP, false)
		case "top_k":
			put(p.Name, s.TopK, true)
		case "min_p":
			put(p.Name, s.MinP, false)
		case "repetition_penalty":
			put(p.Name, s.RepetitionPenalty, false)
		case "presence_penalty":
			put(p.Name, s.PresencePenalty, false)
		case "seed":
			if s.Seed != nil {
				all[p.Name] = *s.Seed
			}
		}
	}
	return all
}

// Names reads a list of names: strings, or objects with an id or a name, at the top or in a field.
// The error is a [*wire.Failure].
func Names(body []byte, field string) ([]string, error) {
	const most = 10_000
	var list []json.RawMessage
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) == nil {
		body = object[field]
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, broken("a list of voices that is no list")
	}
	var names []string
	for _, item := range list[:min(len(list), most)] {
		var name string
		if json.Unmarshal(item, &name) != nil {
			var o struct{ ID, Name string }
			if json.Unmarshal(item, &o) != nil {
				continue
			}
			if name = o.ID; name == "" {
				name = o.Name
			}
		}
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// Lines reads lines that may be long, each at most limit bytes. A line is valid until the next is
// read.
type Lines struct {
	r          io.Reader
	limit      int
	buf        []byte
	start, end int
	looked     int // up to where there is no end of a line
	ended      bool
}

// NewLines returns the lines of r.
func NewLines(r io.Reader, limit int) *Lines { return &Lines{r: r, limit: limit} }

// Next returns the next line without its end. The last may have none. The error is io.EOF at the
// end, a [*wire.Failure] for a line that is too long, or that of the reader.
func (l *Lines) Next() ([]byte, error) {
	for {
		if i := bytes.IndexByte(l.buf[l.looked:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : l.looked+i]
			l.start = l.looked + i + 1
			l.looked = l.start
			return bytes.TrimSuffix(line, []byte("\r")), nil
		}
		l.looked = l.end
		if l.ended {
			if l.start == l.end {
				return nil, io.EOF
			}
			line := l.buf[l.start:l.end]
			l.start = l.end
			return bytes.TrimSuffix(line, []byte("\r")), nil
		}
		if l.end-l.start > l.limit {
			return nil, broken("a line of more than %d bytes", l.limit)
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

func (l *Lines) fill() error {
	const first = 4 << 10
	if l.start > 0 && (l.start == l.end || l.end == len(l.buf)) {
		n := copy(l.buf, l.buf[l.start:l.end])
		l.looked -= l.start
		l.start, l.end = 0, n
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, max(first, len(l.buf)))...)
	}
	n, err := l.r.Read(l.buf[l.end:])
	l.end += n
	if errors.Is(err, io.EOF) {
		l.ended = true
		return nil
	}
	return err
}
