package edge

import "net/http"

var (
	nosniff    = []string{"nosniff"}
	noReferrer = []string{"no-referrer"}
)

// Secure sets the headers that keep browsers from guessing types and from
// passing addresses on.
func Secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["X-Content-Type-Options"] = nosniff
		h["Referrer-Policy"] = noReferrer
		next.ServeHTTP(w, r)
	})
}
