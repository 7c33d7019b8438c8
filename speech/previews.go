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

// RenderPreviews renders all previews that are not kept yet. When all are there it removes
// clips that are out of date: those of other texts, voices, program versions or formats.
// It returns how many it rendered.
//
// It is meant to run beside requests. It uses at most half of the processors, and live
// streams have precedence over it. When ctx ends it stops soon and returns the cause. Any
// other error, such as a full disk or an engine that is down, ends it too. What was
// rendered stays: the next call continues there, and a missing clip is rendered when it
// is asked for. Several servers may render into the same directory at the same time.
func (s *Service) RenderPreviews(ctx context.Context) (int, error) {
	if !s.previews.shelf.Keeps() {
		return 0, nil
	}
	var count atomic.Int64
	wanted := map[string]bool{}
	var renderers sync.WaitGroup
	room := make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))
	work, stop := context.WithCancelCause(ctx) // the first error stops all renderers
	defer stop(nil)
	for _, v := range s.voices.All() {
		if _, _, err := s.engines.For(v, v.PreviewLanguage); err != nil {
			continue
		}
		name, err := s.previewName(v)
		if err != nil {
			stop(err)
			break
		}
		// Before the test below: a clip that is there already must survive the sweep.
		wanted[name] = true
		if work.Err() != nil || s.previews.shelf.Has(name) {
			continue
		}
		// Waits for a renderer that is free, which bounds the processors in use.
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
		// Only now is every wanted clip known to be there; a sweep after a failure could
		// leave a voice with no clip at all.
		_, err = s.previews.shelf.Sweep(wanted)
	}
	return int(count.Load()), err
}

// renderAhead renders a clip that nobody has asked for yet, as soon as the scheduler
// admits it.
func (s *Service) renderAhead(ctx context.Context, v voice.Voice, name string) error {
	for ctx.Err() == nil {
		// The call must not return before the rendering has ended, because the caller may
		// close the engine after it; only work, the second context, may be cancelled.
		r, err := s.renderOnce(context.WithoutCancel(ctx), ctx, v, name)
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.CodeOverloaded && ctx.Err() == nil {
			if err := pause(ctx, max(f.RetryAfter, time.Second)); err != nil {
				return err
			}
			continue
		}
		if r.lost != nil {
			s.previews.warned.Store(true) // RenderPreviews returns the error, so Preview need not log it
		}
		return errors.Join(err, r.lost)
	}
	return context.Cause(ctx)
}

// pause waits for a duration. If ctx ends first it returns the cause.
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
