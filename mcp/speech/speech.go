// Package speech lets agents speak a text, and see how it would be read.
package speech

import (
	"context"
	"io"

	"vaak/account"
	"vaak/speech"
)

// Speaker turns text into audio: it writes the encoded answer to w. The
// service of package speech is one.
type Speaker interface {
	Speak(ctx context.Context, caller account.Caller, req speech.Request, w io.Writer) (speech.Result, error)
	Read(ctx context.Context, req speech.Request) (speech.Reading, error)
}

// Accounts gives callers stream slots and keeps what became of their calls.
// [*account.Service] is the one of the product, [account.Unmetered] that of a
// person's own machine.
type Accounts interface {
	Admit(ctx context.Context, caller account.Caller) (*account.Slot, error)
	// Session returns a context that ends when the caller's key is revoked.
	Session(ctx context.Context, caller account.Caller) (_ context.Context, stop func())
	Record(account.RequestRecord)
}
