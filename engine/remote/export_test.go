package remote

import "time"

// SetClock has the engine reckon by another clock how much sound a listener has left. It must be
// called before the engine speaks.
func (e *Engine) SetClock(clock func() time.Time) { e.clock = clock }
