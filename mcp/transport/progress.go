package transport

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// A client is told of progress at most so often: burst times at once, and
// perSecond times a second in the long run.
const (
	burst     = 20
	perSecond = 20
)

// maxToken is the longest token of progress that is echoed, in bytes: it stands
// in every notification.
const maxToken = 256

// Progress tells a client how far its call has come, when it asked to be told.
// The zero value tells nobody. Its methods may be called from many goroutines.
type Progress struct {
	ctx   context.Context
	token mcp.ProgressToken

	mu      sync.Mutex
	done    float64 // the last that was told; it only grows
	told    bool
	over    bool
	left    float64 // how often more it may be told now
	counted time.Time
	waiting map[string]any // the last, when it came too soon after others
}

// ProgressOf returns the progress of a request; meta is nil when it has none. A
// token that is neither a number nor a string of at most 256 bytes is as none.
func ProgressOf(ctx context.Context, meta *mcp.Meta) *Progress {
	if meta == nil {
		return &Progress{}
	}
	switch token := meta.ProgressToken.(type) {
	case string:
		if len(token) > maxToken {
			return &Progress{}
		}
	case float64, int, int64:
	default:
		return &Progress{}
	}
	return &Progress{ctx: ctx, token: meta.ProgressToken, left: burst, counted: time.Now()}
}

// Wanted reports whether the client asked.
func (p *Progress) Wanted() bool { return p.token != nil }

// Tell says that done of total are done, with a word on it or "". Total is 0
// when it is not known. What does not go beyond the last is not sent, and what
// comes too soon after others waits for Flush, or is overtaken by the next.
//
// It returns when the client has been written to, so a client that reads
// slowly slows down its own call.
func (p *Progress) Tell(done, total float64, message string) {
	if !p.Wanted() || math.IsNaN(done) || math.IsInf(done, 0) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.told && done <= p.done || p.ctx.Err() != nil {
		return
	}
	p.told, p.done = true, done
	p.waiting = map[string]any{"progressToken": p.token, "progress": done}
	if total > 0 && !math.IsInf(total, 0) {
		p.waiting["total"] = total
	}
	if message != "" {
		p.waiting["message"] = message
	}
	now := time.Now()
	p.left = min(burst, p.left+perSecond*now.Sub(p.counted).Seconds())
	p.counted = now
	if p.left >= 1 {
		p.left--
		p.send()
	}
}

// Flush sends the last that was told, if it was not, and nothing after that.
// Call it before a handler returns.
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
	_ = Notify(p.ctx, "notifications/progress", p.waiting) // a client that does not listen loses nothing but this
	p.waiting = nil
}
