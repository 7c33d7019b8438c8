package console

import (
	"sync"

	"vaak/internal/recent"
)

// onces remembers which forms were sent. Those of long ago are forgotten. It is safe for
// concurrent use.
type onces struct {
	mu   sync.Mutex
	sent *recent.Memory[string, struct{}]
}

func newOnces() *onces { return &onces{sent: recent.New[string, struct{}](maxOnce, nil)} }

// Add reports whether a form was not sent before; from then on it was.
func (o *onces) Add(form string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, there := o.sent.Get(form); there {
		return false
	}
	o.sent.Put(form, struct{}{})
	return true
}
