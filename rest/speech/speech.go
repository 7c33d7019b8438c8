// Package speech serves requests to speak over HTTP: in the native form, which extends that of
// OpenAI, and in the ElevenLabs dialect. It also serves links to audio that was spoken before.
package speech

import (
	"context"
	"io"

	"github.com/danielgtaylor/huma/v2"

	"vaak/account"
	"vaak/dictionary"
	"vaak/edge"
	"vaak/speech"
)

// Accounts gives callers the stream slots that they speak in. [*account.Service] is the
// one of the product.
type Accounts interface {
	edge.Authenticator
	// Admit gives a stream slot.
	Admit(ctx context.Context, caller account.Caller) (*account.Slot, error)
	// Session returns a context that ends when the caller's key is revoked.
	Session(ctx context.Context, caller account.Caller) (_ context.Context, stop func())
}

// Speaker speaks. [*speech.Service] is the one of the product.
type Speaker interface {
	Speak(ctx context.Context, caller account.Caller, req speech.Request, w io.Writer) (speech.Result, error)
	Read(ctx context.Context, req speech.Request) (speech.Reading, error)
}

// Config holds the services that the operations use.
type Config struct {
	Accounts Accounts
	Speech   Speaker
	// Dictionaries are those that requests may name; nil has none.
	Dictionaries *dictionary.Service
	// Clips opens links to what was spoken; only [RegisterClips] needs it.
	Clips Clips
}

// api has the handlers.
type api struct{ Config }

// Register declares the operations that speak, and the one that says how a text would be
// read. The fields of cfg may be nil where the operations are only described.
func Register(desc huma.API, cfg Config) {
	a := &api{cfg}
	a.registerSpeech(desc)
	a.registerTextToSpeech(desc)
}

// RegisterClips declares the operation that links to what was spoken lead to.
func RegisterClips(desc huma.API, cfg Config) { (&api{cfg}).registerClips(desc) }
