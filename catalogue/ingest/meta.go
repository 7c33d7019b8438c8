package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// metered reads metadata: it counts what it hands out against the folder's
// allowance and the file's own.
type metered struct {
	r      io.Reader
	closer io.Closer
	t      *tree
	most   int64        // bytes of this file
	took   int64        // bytes handed out
	packed *countReader // of a gzip file: what it unfolds from
}

type countReader struct {
	r io.Reader
	n int64
}

func (c *countReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// openMeta opens a card, manifest or transcript. A name in .gz is unfolded.
func (t *tree) openMeta(p string, most int64) (*metered, error) {
	f, err := t.open(p)
	if err != nil {
		return nil, err
	}
	m := &metered{r: f, closer: f, t: t, most: most}
	if strings.HasSuffix(p, ".gz") {
		m.packed = &countReader{r: f}
		z, err := gzip.NewReader(bufio.NewReader(m.packed))
		if err != nil {
			_ = f.Close() // only read from
			return nil, fmt.Errorf("is not gzip: %v", err)
		}
		m.r = z
	}
	return m, nil
}

// Read reads until an allowance is spent, which is an error that says which.
func (m *metered) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.took += int64(n)
	m.t.spent += int64(n)
	switch {
	case m.took > m.most:
		return 0, fmt.Errorf("holds more than %d bytes", m.most)
	case m.t.spent > m.t.limits.MetadataBytes:
		return 0, fmt.Errorf("cards, manifests and transcripts together hold more than %d bytes", m.t.limits.MetadataBytes)
	case m.packed != nil && m.took > freeUnfold && m.took > maxRatio*m.packed.n:
		return 0, fmt.Errorf("unfolds to more than %d times its size", maxRatio)
	case err != nil && m.packed != nil && !errors.Is(err, io.EOF):
		return n, fmt.Errorf("is not whole gzip: %v", err)
	}
	return n, err
}

// Close closes the file.
func (m *metered) Close() error { return m.closer.Close() }

// stop tells why a manifest is not read on.
func (t *tree) stop(p string, line int, format string, args ...any) {
	t.unread[p] = true
	t.report.add(p, line, format, args...)
}

// lines calls each for every line of a manifest that is not empty, without its
// end. Faults of the file are told; a line that is not UTF-8 is left out.
func (t *tree) lines(p string, each func(line int, text string)) {
	r, err := t.openMeta(p, t.limits.ManifestBytes)
	if err != nil {
		t.stop(p, 0, "%s", reason(err))
		return
	}
	defer r.Close()
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxLine)
	n := 0
	for sc.Scan() {
		n++
		text := sc.Text()
		if n == 1 {
			if why := otherEncoding(sc.Bytes()); why != "" {
				t.stop(p, 0, "%s", why)
				return
			}
			text = strings.TrimPrefix(text, "\uFEFF")
		}
		switch {
		case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
			t.report.add(p, n, "is not UTF-8 text")
		case strings.TrimSpace(text) != "":
			each(n, text)
		}
	}
	switch err := sc.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		t.stop(p, n+1, "the line is longer than %d bytes", maxLine)
	case err != nil:
		t.stop(p, n+1, "%s", reason(err))
	}
}

// otherEncoding says when text begins like UTF-16 or UTF-32; "" is not.
func otherEncoding(head []byte) string {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) ||
		bytes.IndexByte(head[:min(len(head), 4)], 0) >= 0 {
		return "is UTF-16 or UTF-32 text; allowed is UTF-8"
	}
	return ""
}

// jsonLines calls each for every row of a manifest with a JSON object a line.
func jsonLines[T any](t *tree, p string, each func(line int, row T)) {
	t.lines(p, func(line int, text string) {
		var row T
		if err := json.Unmarshal([]byte(text), &row); err != nil {
			t.report.add(p, line, "is not a row as it should be: %s", jsonReason(err))
			return
		}
		each(line, row)
	})
}

// jsonReason words an error of encoding/json for people who know no Go.
func jsonReason(err error) string {
	if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if te.Field == "" {
			return "allowed is a JSON object, this is a " + te.Value
		}
		return fmt.Sprintf("%s cannot be a %s", te.Field, te.Value)
	}
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("JSON has a fault after %d bytes: %v", se.Offset, se)
	}
	return err.Error()
}
