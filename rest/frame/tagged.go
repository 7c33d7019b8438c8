package frame

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vaak/edge"
	"vaak/edge/connection"
)

// Tagged is an answer of the catalogue that clients cache and validate by its entity tag. It has
// no modification time, because it depends on more than one record.
type Tagged struct {
	ContentType string
	Encoding    string // "" is none
	Etag        string // of the body as it is sent: a strong tag, with its quotes
	Body        []byte
}

// Serve answers GET and HEAD, with 304 when the caller has it.
func (t Tagged) Serve(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	values := [3]string{t.Etag, t.ContentType} // one allocation for all of them
	// Each slice has no room behind it, so that a later append copies and does not overwrite the
	// next value.
	h["Etag"] = values[0:1:1]
	// 304 has the tag and no headers about a body (RFC 9110, section 15.4.5).
	if Matches(r.Header, t.Etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h["Content-Type"] = values[1:2:2]
	if t.Encoding != "" {
		h.Set("Content-Encoding", t.Encoding)
	}
	values[2] = strconv.Itoa(len(t.Body))
	h["Content-Length"] = values[2:]
	if r.Method == http.MethodHead {
		return nil
	}
	if err := connection.Write(w, r, t.Body); err != nil {
		edge.Note(r.Context(), ClientGone(err))
	}
	return nil
}

// ServeText answers GET and HEAD with JSON that has an entity tag, or with 304 when the client
// has it already.
func ServeText(w http.ResponseWriter, r *http.Request, etag string, text []byte) error {
	return Tagged{ContentType: "application/json", Etag: etag, Body: text}.Serve(w, r)
}

// Matches reports whether If-None-Match names a tag (RFC 9110, weak comparison).
func Matches(h http.Header, etag string) bool {
	for _, line := range h.Values("If-None-Match") {
		if slices.ContainsFunc(strings.Split(line, ","), func(tag string) bool {
			// A proxy that compresses makes a strong tag weak. Weak comparison ignores that.
			tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
			return tag == etag || tag == "*"
		}) {
			return true
		}
	}
	return false
}
