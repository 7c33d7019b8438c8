package page

import (
	"crypto/rand"
	"sync"

	"vaak/internal/recent"
)

// maxOnce is how many forms that were sent are remembered.
const maxOnce = 1 << 14

// newOnce returns a value for the field once of a form.
func newOnce() string { return rand.Text() }

// onces remembers which forms were sent, and forgets those of long ago. It is safe for
// concurrent use.
type onces struct {
	mu   sync.Mutex
	sent *recent.Memory[string, struct{}]
}

func newOnces() *onces { return &onces{sent: recent.New[string, struct{}](maxOnce, nil)} }

// Add remembers a form. It reports whether the form was not sent before.
func (o *onces) Add(form string) bool {
	o.mu.Lock()
	// One lock over the look and the note: of two clicks at the same time only one may pass.
	defer o.mu.Unlock()
	if _, there := o.sent.Get(form); there {
		return false
	}
	o.sent.Put(form, struct{}{})
	return true
}
