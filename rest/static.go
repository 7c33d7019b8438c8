package rest

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"vaak/edge"
	"vaak/internal/fault"
	"vaak/internal/negotiate"
)

// document is an answer that never changes while the program runs.
type document struct {
	plain tagged
	// zipped is the same for those who take gzip; ok is false where that is hardly
	// smaller. It is made when the first of them asks.
	zipped func() (_ tagged, ok bool)
}

// zipFrom is the length in bytes from which a document is compressed: a shorter
// one fits into a packet as it is.
const zipFrom = 1200

func newDocument(contentType string, body []byte) document {
	sum := sha256.Sum256(body)
	d := document{plain: tagged{contentType: contentType, etag: `"` + hex.EncodeToString(sum[:12]) + `"`, body: body}}
	d.zipped = sync.OnceValues(d.zip)
	return d
}

// zip compresses a document, under a tag of its own, since the bytes are others.
func (d document) zip() (tagged, bool) {
	t := d.plain
	if len(t.body) < zipFrom {
		return t, false
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(t.body)
	if err = errors.Join(err, z.Close()); err != nil {
		return t, false // memory does not fail
	}
	t.encoding, t.etag, t.body = "gzip", strings.TrimSuffix(t.etag, `"`)+`-gzip"`, b.Bytes()
	return t, true
}

// render returns v as a JSON document.
func render(v any) (document, error) {
	body, err := encodeJSON(v)
	return newDocument("application/json", body), err
}

// encodeJSON is json.Marshal without escapes for HTML.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// answerJSON answers with a record that is made for one caller and moment.
func answerJSON(w http.ResponseWriter, r *http.Request, record any) error {
	return answerJSONAs(w, r, http.StatusOK, record)
}

// answerJSONAs is answerJSON with another status of success.
func answerJSONAs(w http.ResponseWriter, r *http.Request, status int, record any) error {
	text, err := encodeJSON(record)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	if _, err := w.Write(text); err != nil {
		edge.Note(r.Context(), clientGone(err))
	}
	return nil
}

// serve answers GET and HEAD with the document, compressed for those who take
// gzip, or with 304 when the caller has it. It looks at no Range, as any
// server may: one who asks for a part is sent all of it.
func (d document) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Cache-Control"] = oneMinute
	if by, ok := h["Vary"]; ok {
		h["Vary"] = append(by, byEncoding...)
	} else {
		h["Vary"] = byEncoding
	}
	t := d.plain
	if negotiate.Gzip(r.Header["Accept-Encoding"]) {
		if zipped, ok := d.zipped(); ok {
			t = zipped
		}
	}
	_ = t.serve(w, r) // a client that left is noted there
}

// serveBytes answers GET and HEAD with what [http.ServeContent] makes of
// conditions and ranges, and with the API's error bodies where those fail.
func serveBytes(w http.ResponseWriter, r *http.Request, contentType, etag string, modified time.Time, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("ETag", etag)
	http.ServeContent(&contentWriter{ResponseWriter: w, r: r, refuse: refuse}, r, "", modified, bytes.NewReader(body))
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
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		c.failed = true
		c.refuse(c.ResponseWriter, c.r, fault.New(rangeNotSatisfiable, codeRangeNotSatisfiable, "",
			"range %.64q is outside the content", c.r.Header.Get("Range")))
	case http.StatusPreconditionFailed:
		c.failed = true
		c.refuse(c.ResponseWriter, c.r, fault.New(preconditionFailed, codePreconditionFailed, "",
			"the content is not the one that the request's conditions ask for"))
	default:
		c.ResponseWriter.WriteHeader(status)
	}
}

// Write sends a piece of the content; after an error there is none.
func (c *contentWriter) Write(p []byte) (int, error) {
	if c.failed {
		return len(p), nil
	}
	return c.ResponseWriter.Write(p)
}
