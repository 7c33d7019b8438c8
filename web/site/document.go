package site

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"

	"vaak/internal/ui"
)

// Document is an answer in memory. Clients ask for it again at every visit, and get 304
// while it is the same.
type Document struct {
	ContentType string
	Policy      string // Content-Security-Policy
	Cache       string // Cache-Control
	// Modified is when the content last changed. Clients that ask by the time, as readers of
	// feeds do, get 304 too. Zero leaves Last-Modified out.
	Modified time.Time
	// Link is the value of a Link header; "" for none.
	Link   string
	tag    string
	body   []byte
	zipped func() []byte // nil for a document that is sent as it is
}

// NewDocument returns a document that clients may keep, but must ask about before each use.
func NewDocument(contentType, policy string, body []byte) *Document {
	sum := sha256.Sum256(body)
	return &Document{ContentType: contentType, Policy: policy, Cache: "no-cache", tag: `"` + hex.EncodeToString(sum[:8]) + `"`, body: body}
}

// Compress has the document sent compressed to clients that accept gzip. It is compressed when
// the first of them asks.
func (d *Document) Compress() *Document {
	d.zipped = sync.OnceValue(func() []byte { return zipped(d.body) })
	return d
}

// Size is how many bytes the document has in memory, plain and compressed. It compresses the
// document if that has not been done.
func (d *Document) Size() int {
	if d.zipped == nil {
		return len(d.body)
	}
	return len(d.body) + len(d.zipped())
}

// ServeHTTP answers with the document.
func (d *Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	ui.Guard(h, d.Policy)
	h.Set("Cache-Control", d.Cache)
	tag := d.tag
	if d.zipped != nil {
		tag = "W/" + tag // the compressed body has the same tag
	}
	h.Set("ETag", tag)
	// While its second lasts, the content may change again without the time showing it.
	if !d.Modified.IsZero() && time.Since(d.Modified) >= time.Second {
		h.Set("Last-Modified", d.Modified.UTC().Format(http.TimeFormat))
	}
	if d.Link != "" {
		h.Set("Link", d.Link)
	}
	if d.zipped != nil {
		h.Set("Vary", "Accept-Encoding") // of 304, too (RFC 9110, section 15.4.5)
	}
	if d.known(r) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", d.ContentType)
	ui.WriteBody(w, r, d.body, d.zipped)
}

// known reports whether the client has the document already. The time counts only where the
// client sends no tag (RFC 9110, section 13.2.2).
func (d *Document) known(r *http.Request) bool {
	if tags := r.Header.Get("If-None-Match"); tags != "" {
		return strings.TrimSpace(tags) == "*" || strings.Contains(tags, d.tag)
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && !d.Modified.IsZero() && !d.Modified.Truncate(time.Second).After(since)
}
