package frame

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"vaak/edge"
	"vaak/internal/document"
	"vaak/internal/fault"
	"vaak/internal/negotiate"
)

// Document is an answer that never changes while the program runs.
type Document struct {
	plain Tagged
	// zipped returns the document compressed with gzip; ok is false where that saves too
	// little. The first call compresses.
	zipped func() (_ Tagged, ok bool)
}

// zipFrom is the length in bytes from which a document is compressed. A shorter one fits into
// one packet anyway.
const zipFrom = 1200

// NewDocument returns a document with a strong entity tag, which is made of its content.
func NewDocument(contentType string, body []byte) Document {
	// 96 bits of the hash keep the tag short, and two contents never meet by chance.
	sum := sha256.Sum256(body)
	d := Document{plain: Tagged{ContentType: contentType, Etag: `"` + hex.EncodeToString(sum[:12]) + `"`, Body: body}}
	// At the first request, so that the start of the program does not wait for documents that
	// nobody may ask for.
	d.zipped = sync.OnceValues(d.zip)
	return d
}

// zip compresses a document. The result has its own tag, because a strong tag names exact bytes.
func (d Document) zip() (Tagged, bool) {
	t := d.plain
	if len(t.Body) < zipFrom {
		return t, false
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(t.Body)
	if err = errors.Join(err, z.Close()); err != nil {
		return t, false // cannot be: it writes to memory
	}
	// The tag ends in a quote, which the suffix must come before.
	t.Encoding, t.Etag, t.Body = "gzip", strings.TrimSuffix(t.Etag, `"`)+`-gzip"`, b.Bytes()
	return t, true
}

// Render returns v as a JSON document.
func Render(v any) (Document, error) {
	body, err := document.Encode(v)
	return NewDocument("application/json", body), err
}

// AnswerJSON answers with a record that was made for this request.
func AnswerJSON(w http.ResponseWriter, r *http.Request, record any) error {
	return AnswerJSONAs(w, r, http.StatusOK, record)
}

// AnswerJSONAs is [AnswerJSON] with another status of success.
func AnswerJSONAs(w http.ResponseWriter, r *http.Request, status int, record any) error {
	text, err := document.Encode(record)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	if _, err := w.Write(text); err != nil {
		edge.Note(r.Context(), ClientGone(err))
	}
	return nil
}

// Serve answers GET and HEAD with the document, compressed for clients that accept gzip, or with
// 304 when the client has it already. It ignores Range, as HTTP allows, and sends the whole
// document.
func (d Document) Serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Cache-Control"] = OneMinute
	if by, ok := h["Vary"]; ok {
		h["Vary"] = append(by, byEncoding...)
	} else {
		h["Vary"] = byEncoding // shared by all answers, which saves an allocation
	}
	t := d.plain
	if negotiate.Gzip(r.Header["Accept-Encoding"]) {
		if zipped, ok := d.zipped(); ok {
			t = zipped
		}
	}
	_ = t.Serve(w, r) // Serve notes the error itself
}

// ServeBytes answers GET and HEAD with a body, as [http.ServeContent] does with conditions and
// ranges. Where these fail it answers with an error body of the API.
func ServeBytes(w http.ResponseWriter, r *http.Request, contentType, etag string, modified time.Time, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("ETag", etag)
	Native.ServeContent(w, r, modified, bytes.NewReader(body))
}

// ServeContent answers GET and HEAD with content, as [http.ServeContent] does with conditions and
// ranges. Where these fail it answers with an error in the dialect. A zero modified means that
// the time is unknown.
func (d dialect) ServeContent(w http.ResponseWriter, r *http.Request, modified time.Time, content io.ReadSeeker) {
	http.ServeContent(&contentWriter{ResponseWriter: w, r: r, refuse: d.Refuse}, r, "", modified, content)
}

// contentWriter replaces the plain-text errors of [http.ServeContent].
type contentWriter struct {
	http.ResponseWriter
	r      *http.Request
	refuse edge.Refuse
	failed bool
}

// WriteHeader sends the status, or the whole error when it is one.
func (c *contentWriter) WriteHeader(status int) {
	// The statuses with which http.ServeContent refuses a condition or a range. 304 and 206 are
	// answers and pass.
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		c.failed = true
		c.refuse(c.ResponseWriter, c.r, fault.New(rangeNotSatisfiable, CodeRangeNotSatisfiable, "",
			"range %.64q is outside the content", c.r.Header.Get("Range")))
	case http.StatusPreconditionFailed:
		c.failed = true
		c.refuse(c.ResponseWriter, c.r, fault.New(preconditionFailed, codePreconditionFailed, "",
			"the content is not the one that the request's conditions ask for"))
	default:
		c.ResponseWriter.WriteHeader(status)
	}
}

// Write sends a piece of the content. After an error it drops the text of net/http.
func (c *contentWriter) Write(p []byte) (int, error) {
	if c.failed {
		return len(p), nil
	}
	return c.ResponseWriter.Write(p)
}
