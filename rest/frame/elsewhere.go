package frame

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Follows reports whether a request may be answered with a redirect to object storage. The players
// of our own pages are answered here: the policy of the pages lets them load nothing from
// elsewhere. So is a client that asks whether the content has changed, which needs none of its
// bytes.
func Follows(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") != "same-origin" && r.Header.Get("If-None-Match") == "" && r.Header.Get("If-Modified-Since") == ""
}

// Elsewhere redirects to a signed link to object storage that works for at least a minute, or as
// long as what it leads to.
func Elsewhere(w http.ResponseWriter, link string) {
	// Less than the link lasts, so that a cache hands out none that has ended.
	w.Header().Set("Cache-Control", "private, max-age=60")
	w.Header().Set("Location", link)
	w.WriteHeader(http.StatusFound)
}

// InStorage describes that redirect. What is redirected to begins the sentence.
func InStorage(what string) *huma.Response {
	return &huma.Response{Description: what + " is in object storage: Location has an address that works for five minutes. Only where the operator has set --object-links."}
}
