package edge

import (
	"context"
	"net/http"
)

// Locate keeps the address of the client in the [Exchange], for handlers that
// count what an address does over several requests.
func Locate(clients *Clients) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			From(r.Context()).Address = clients.Address(r)
			next.ServeHTTP(w, r)
		})
	}
}

// ClientScope is what a client without a key is counted by, as [LimitAddresses]
// does it: its address, or the /64 of an IPv6 one. It is a word for maps, not
// for people; false when [Locate] found no address.
func ClientScope(ctx context.Context) (string, bool) {
	a := From(ctx).Address
	return scopeOf(a), a.IsValid()
}
