package account

import "vaak/internal/ids"

// Prefixes of ids.
const (
	orgPrefix  = "org_"
	keyPrefix  = "key_"
	holdPrefix = "hold_"
	slotPrefix = "slot_"
)

// newID returns a prefix and 16 random base32 characters (80 bits).
func newID(prefix string) string { return ids.New(prefix, ids.Bytes) }

// isID reports whether s has the shape of newID(prefix).
func isID(prefix, s string) bool { return ids.Is(prefix, ids.Bytes, s) }
