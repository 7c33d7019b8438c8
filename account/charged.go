package account

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"sync/atomic"

	"vaak/internal/ids"
)

// chargeOnce names the charges of a request that may run more than once.
type chargeOnce struct {
	name string
	paid bool
	next atomic.Uint64 // how many holds have an id of it
}

type chargeKey struct{}

// ChargedOnce returns a context in which holds have ids that follow from a name. A request
// that runs again under the same name, also in another process, books no second charge, as
// the store keeps ids for [HeldFor]. Paid says that the request is known to be charged: then
// its holds need no characters.
func ChargedOnce(ctx context.Context, name string, paid bool) context.Context {
	return context.WithValue(ctx, chargeKey{}, &chargeOnce{name: name, paid: paid})
}

// newHold returns a hold with an id of the context's, or a random one.
func newHold(ctx context.Context, v *reservations, c Caller) *Hold {
	h := &Hold{service: v, caller: c, free: c.local()}
	once, ok := ctx.Value(chargeKey{}).(*chargeOnce)
	if !ok {
		h.id = newID(holdPrefix)
		return h
	}
	// A request may make several holds; it makes them in the same order each time.
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(once.name+"\x00"), once.next.Add(1)))
	h.id, h.free = ids.Of(holdPrefix, sum[:ids.Bytes]), h.free || once.paid
	return h
}
