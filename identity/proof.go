package identity

import (
	"fmt"
	"log/slog"
)

// hidden is what is shown of a proof.
const hidden = "(hidden)"

// String implements [fmt.Stringer] and shows nothing.
func (Proof) String() string { return hidden }

// GoString implements [fmt.GoStringer] and shows nothing.
func (Proof) GoString() string { return hidden }

// Format implements [fmt.Formatter] and shows nothing, whatever the verb.
func (Proof) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(hidden)) } // fmt keeps no error

// LogValue implements [slog.LogValuer] and shows nothing.
func (Proof) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalJSON implements [encoding/json.Marshaler] and shows nothing.
func (Proof) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// LogValue implements [slog.LogValuer]: the id alone, as logs hold no addresses.
func (p Person) LogValue() slog.Value { return slog.StringValue(p.ID) }
