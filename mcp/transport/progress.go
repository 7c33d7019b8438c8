package transport

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// How often a client is told of progress: burst times at once, and perSecond times a second
// over time.
const (
	burst     = 20
	perSecond = 20
)

// maxToken is the longest progress token that is accepted, in bytes, because every notification
// repeats it.
const maxToken = 256

// Progress tells a client how far its call has come, if the client asked for that. The zero
// value tells nobody. Its methods may be called from many goroutines.
type Progress struct {
	ctx   context.Context
	token mcp.ProgressToken

	mu       sync.Mutex
	done     float64        // the last value that was reported; it only grows
	reported bool           // Tell has reported a value
	over     bool           // Flush was called
	left     float64        // how many notifications may be sent now
	counted  time.Time      // when left was last brought up to date
	waiting  map[string]any // the last notification, if it came too soon after others
}

// ProgressOf returns the progress of a request. Meta may be nil. A token that is neither a
// number nor a string of at most 256 bytes counts as none.
func ProgressOf(ctx context.Context, meta *mcp.Meta) *Progress {
	if meta == nil {
		return &Progress{}
	}
	switch token := meta.ProgressToken.(type) {
	case string:
		if len(token) > maxToken {
			return &Progress{}
		}
	case float64, int, int64: // JSON gives float64; the others come from callers within the program
	default:
		return &Progress{}
	}
	return &Progress{ctx: ctx, token: meta.ProgressToken, left: burst, counted: time.Now()}
}

// Wanted reports whether the client asked for progress.
func (p *Progress) Wanted() bool { return p.token != nil }

// Tell reports that done of total is done, with a message or "". Total is 0 when it is not
// known. A value that is not greater than the last one is not sent. A value that comes too soon
// after others waits until Flush, and is dropped when another follows.
//
// Tell returns when the notification is written, so a client that reads slowly slows down its
// own call.
func (p *Progress) Tell(done, total float64, message string) {
	if !p.Wanted() || math.IsNaN(done) || math.IsInf(done, 0) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// The protocol asks that the value grows with each notification.
	if p.over || p.reported && done <= p.done || p.ctx.Err() != nil {
		return
	}
	p.reported, p.done = true, done
	// The newest replaces one that waits: a client needs only where the call is now.
	p.waiting = map[string]any{"progressToken": p.token, "progress": done}
	if total > 0 && !math.IsInf(total, 0) {
		p.waiting["total"] = total
	}
	if message != "" {
		p.waiting["message"] = message
	}
	now := time.Now()
	// A token bucket: tokens come back with time, and at most burst of them are saved.
	p.left = min(burst, p.left+perSecond*now.Sub(p.counted).Seconds())
	p.counted = now
	if p.left >= 1 {
		p.left--
		p.send()
	}
}

// Flush sends the last value, if it still waits. After Flush nothing is sent. It must be called
// before a handler returns.
func (p *Progress) Flush() {
	if !p.Wanted() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over && p.ctx.Err() == nil {
		p.send()
	}
	p.over = true
}

func (p *Progress) send() {
	if p.waiting == nil {
		return
	}
	_ = Notify(p.ctx, "notifications/progress", p.waiting) // on failure only this notification is lost
	p.waiting = nil
}
