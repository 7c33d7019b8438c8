package site

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"vaak/internal/ui"
)

// Document is an answer in memory. Clients ask for it again at every visit, and get 304
// while it is the same.
type Document struct {
	ContentType string
	Policy      string // Content-Security-Policy
	Cache       string // Cache-Control
	tag         string
	body        []byte
}

// NewDocument returns a document that clients may keep, but must ask about before each use.
func NewDocument(contentType, policy string, body []byte) *Document {
	sum := sha256.Sum256(body)
	return &Document{contentType, policy, "no-cache", `"` + hex.EncodeToString(sum[:8]) + `"`, body}
}

// ServeHTTP answers with the document.
func (d *Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	ui.Guard(h, d.Policy)
	h.Set("Cache-Control", d.Cache)
	h.Set("ETag", d.tag)
	if strings.Contains(r.Header.Get("If-None-Match"), d.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", d.ContentType)
	ui.WriteBody(w, r, d.body, nil)
}
