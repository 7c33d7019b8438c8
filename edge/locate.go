package edge

import (
	"context"
	"net/http"
)

// Locate puts the address of the client into the [Exchange], for handlers that count what an
// address does over several requests.
func Locate(clients *Clients) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			From(r.Context()).Address = clients.Address(r)
			next.ServeHTTP(w, r)
		})
	}
}

// ClientScope returns the key under which a client without an API key is counted, the same as
// [LimitAddresses] uses: its IPv4 address, or the /64 of its IPv6 address, in bytes. ok is false
// when [Locate] found no address.
func ClientScope(ctx context.Context) (string, bool) {
	a := From(ctx).Address
	return scopeOf(a), a.IsValid()
}
