package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vaak/edge"
)

// tagged is an answer of the catalogue that callers keep and ask for again, by its
// tag alone: it depends on more than its record, so a time would say too little.
type tagged struct {
	contentType string
	encoding    string // "" is none
	etag        string // of the body as it is sent; strong, quoted
	body        []byte
}

// serve answers GET and HEAD, with 304 when the caller has it.
func (t tagged) serve(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	values := [3]string{t.etag, t.contentType} // one allocation for all of them
	h["Etag"] = values[0:1:1]
	if matches(r.Header, t.etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h["Content-Type"] = values[1:2:2]
	if t.encoding != "" {
		h.Set("Content-Encoding", t.encoding)
	}
	values[2] = strconv.Itoa(len(t.body))
	h["Content-Length"] = values[2:]
	if r.Method == http.MethodHead {
		return nil
	}
	if _, err := w.Write(t.body); err != nil {
		edge.Note(r.Context(), clientGone(err))
	}
	return nil
}

// serveText answers GET and HEAD with JSON that has a tag, or with 304 when the
// caller has it.
func serveText(w http.ResponseWriter, r *http.Request, etag string, text []byte) error {
	return tagged{contentType: "application/json", etag: etag, body: text}.serve(w, r)
}

// matches reports whether If-None-Match names a tag (RFC 9110, weak comparison).
func matches(h http.Header, etag string) bool {
	for _, line := range h.Values("If-None-Match") {
		if slices.ContainsFunc(strings.Split(line, ","), func(tag string) bool {
			tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
			return tag == etag || tag == "*"
		}) {
			return true
		}
	}
	return false
}
