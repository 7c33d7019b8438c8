package speech

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"vaak/internal/fault"
	"vaak/voice"
)

// RenderPreviews renders the previews that are not kept yet, and when all are
// there removes those that other texts, voices, programs or formats left. It
// returns how many it rendered.
//
// It is meant to run beside requests: it leaves half of the processors to them,
// and as all that nobody listens to while it is made it gives way to live
// streams. The end of the context ends it soon, and is its error; what was
// rendered stays, so the next call goes on from there. Every other error, such as
// a full disk or an engine that is down, ends it too: what is missing is then
// rendered when somebody asks for it. Several servers may do this in one
// directory at the same time.
func (s *Service) RenderPreviews(ctx context.Context) (int, error) {
	if !s.previews.shelf.Keeps() {
		return 0, nil
	}
	var count atomic.Int64
	wanted := map[string]bool{}
	var renderers sync.WaitGroup
	room := make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))
	work, stop := context.WithCancelCause(ctx) // the first error ends all
	defer stop(nil)
	for _, v := range voice.All() {
		if _, ok := s.engines[v.PreviewLanguage]; !ok {
			continue
		}
		name, err := s.previewName(v)
		if err != nil {
			stop(err)
			break
		}
		wanted[name] = true
		if work.Err() != nil || s.previews.shelf.Has(name) {
			continue
		}
		room <- struct{}{}
		renderers.Go(func() {
			defer func() { <-room }()
			if err := s.renderAhead(work, v, name); err != nil {
				stop(fmt.Errorf("preview of %s: %w", v.ID, err))
				return
			}
			count.Add(1)
		})
	}
	renderers.Wait()
	if ctx.Err() != nil {
		return int(count.Load()), context.Cause(ctx)
	}
	err := context.Cause(work)
	if err == nil {
		_, err = s.previews.shelf.Sweep(wanted)
	}
	return int(count.Load()), err
}

// renderAhead renders a preview that nobody has asked for, when the server has
// room for it.
func (s *Service) renderAhead(ctx context.Context, v voice.Voice, name string) error {
	for ctx.Err() == nil {
		// It is not left before it has ended: the engine is closed after that.
		r, err := s.renderOnce(context.WithoutCancel(ctx), ctx, v, name)
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.CodeOverloaded && ctx.Err() == nil {
			if err := pause(ctx, max(f.RetryAfter, time.Second)); err != nil {
				return err
			}
			continue
		}
		if r.lost != nil {
			s.previews.told.Store(true) // the caller is, now
		}
		return errors.Join(err, r.lost)
	}
	return context.Cause(ctx)
}

// pause waits, or returns the cause of the context's end.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
