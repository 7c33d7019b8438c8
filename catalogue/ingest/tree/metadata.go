package tree

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

	"vaak/catalogue/ingest/report"
)

// MaxLine is the length of the longest line or cell of a manifest, in bytes.
const MaxLine = 1 << 20

// Bounds that are not settings.
const (
	maxTable = 64 << 20 // bytes of a manifest in CSV, where one cell may be as long as the file
	// A gzip file of more than freeUnpacked bytes may unpack to maxRatio times its size at
	// most, which stops archives that are made to fill a memory or a disk.
	maxRatio     = 100
	freeUnpacked = 1 << 20
)

// Metadata reads a card, manifest or transcript. It counts what it reads against the limits
// of the file and of the whole folder.
type Metadata struct {
	r      io.Reader
	closer io.Closer
	t      *Tree
	limit  int64        // bytes that may be read
	n      int64        // bytes read
	packed *countReader // the compressed bytes of a gzip file, else nil
}

// countReader counts the bytes read from r.
type countReader struct {
	r io.Reader
	n int64
}

func (c *countReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// OpenMetadata opens a card, manifest or transcript of up to limit bytes. A file whose name
// ends in .gz is uncompressed.
func (t *Tree) OpenMetadata(p string, limit int64) (*Metadata, error) {
	t.opened[p] = true
	return t.metadata(p, limit)
}

// Head returns up to n bytes of the beginning of a file, uncompressed if its name ends in .gz.
// The file does not count as used; see [Tree.Opened].
func (t *Tree) Head(p string, n int) ([]byte, error) {
	m, err := t.metadata(p, 1<<62)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	head := make([]byte, n)
	got, err := io.ReadFull(m, head)
	if got > 0 || errors.Is(err, io.EOF) {
		err = nil
	}
	return head[:got], err
}

// metadata is [Tree.OpenMetadata] for a file that does not count as used.
func (t *Tree) metadata(p string, limit int64) (*Metadata, error) {
	f, err := t.files.Open(t.root, p)
	if err != nil {
		return nil, err
	}
	m := &Metadata{r: f, closer: f, t: t, limit: limit}
	if strings.HasSuffix(p, ".gz") {
		m.packed = &countReader{r: f}
		// packed counts what the buffer takes from the file, which is up to 4 KiB ahead of
		// what was unpacked. The bound on the ratio is that much looser.
		z, err := gzip.NewReader(bufio.NewReader(m.packed))
		if err != nil {
			_ = f.Close() // it was only read
			return nil, fmt.Errorf("is not gzip: %v", err)
		}
		m.r = z
	}
	return m, nil
}

// Read reads the file. Its error says which limit is exceeded, if one is.
func (m *Metadata) Read(p []byte) (int, error) {
	if err := m.t.stop(); err != nil {
		return 0, err
	}
	n, err := m.r.Read(p)
	m.n += int64(n)
	m.t.spent += int64(n)
	switch {
	case m.n > m.limit:
		// 0 and not n: what lies beyond a limit is not given to the caller.
		return 0, fmt.Errorf("holds more than %d bytes", m.limit)
	case m.t.spent > m.t.limits.MetadataBytes:
		return 0, fmt.Errorf("cards, manifests and transcripts together hold more than %d bytes", m.t.limits.MetadataBytes)
	// A high ratio is normal for small files.
	case m.packed != nil && m.n > freeUnpacked && m.n > maxRatio*m.packed.n:
		return 0, fmt.Errorf("unfolds to more than %d times its size", maxRatio)
	case err != nil && m.packed != nil && !errors.Is(err, io.EOF):
		return n, fmt.Errorf("is not whole gzip: %v", err)
	}
	return n, err
}

// Close closes the file.
func (m *Metadata) Close() error { return m.closer.Close() }

// ReadAll returns the whole content of a small file of metadata.
func (t *Tree) ReadAll(p string, limit int64) ([]byte, error) {
	m, err := t.OpenMetadata(p, limit)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return io.ReadAll(m)
}

// Partial reports whether a manifest was not read to its end, so that what it lacks says
// nothing.
func (t *Tree) Partial(p string) bool { return t.partial[p] }

// Stop adds the problem for which a manifest is not read any further.
func (t *Tree) Stop(p string, line int, format string, args ...any) {
	t.partial[p] = true
	t.Report.Add(p, line, format, args...)
}

// Lines calls each with every line of a manifest that is not blank, without its line end.
// A line that is not UTF-8 is a problem and is skipped.
func (t *Tree) Lines(p string, each func(line int, text string)) {
	r, err := t.OpenMetadata(p, t.limits.ManifestBytes)
	if err != nil {
		t.Stop(p, 0, "%s", report.Reason(err))
		return
	}
	defer r.Close()
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, MaxLine)
	n := 0
	for sc.Scan() {
		n++
		text := sc.Text()
		if n == 1 {
			if why := OtherEncoding(sc.Bytes()); why != "" {
				t.Stop(p, 0, "%s", why)
				return
			}
			text = strings.TrimPrefix(text, "\uFEFF")
		}
		switch {
		case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
			t.Report.Add(p, n, "is not UTF-8 text")
		case strings.TrimSpace(text) != "":
			each(n, text)
		}
	}
	// The line after the last one that was read.
	switch err := sc.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		t.Stop(p, n+1, "the line is longer than %d bytes", MaxLine)
	case err != nil:
		t.Stop(p, n+1, "%s", report.Reason(err))
	}
}

// OtherEncoding returns what is wrong with text that begins like UTF-16 or UTF-32, or "".
func OtherEncoding(head []byte) string {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) ||
		bytes.IndexByte(head[:min(len(head), 4)], 0) >= 0 {
		return "is UTF-16 or UTF-32 text; allowed is UTF-8"
	}
	return ""
}

// JSONLines calls each with every row of a manifest that has one JSON object a line.
func JSONLines[T any](t *Tree, p string, each func(line int, row T)) {
	t.Lines(p, func(line int, text string) {
		var row T
		if err := json.Unmarshal([]byte(text), &row); err != nil {
			t.Report.Add(p, line, "is not a row as it should be: %s", JSONReason(err))
			return
		}
		each(line, row)
	})
}

// JSONReason returns an error of encoding/json in words without names of Go types.
func JSONReason(err error) string {
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
