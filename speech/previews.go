package speech

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vaak/internal/fault"
	"vaak/internal/pause"
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
// is asked for. Several servers may render at the same time. With a shared store they share the
// work: each has an order of its own, and looks for each clip before it renders it.
func (s *Service) RenderPreviews(ctx context.Context) (int, error) {
	if !s.previews.shelf.Keeps() {
		return 0, nil
	}
	shared, err := s.previews.shelf.Shared(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return 0, fmt.Errorf("list previews: %w", err)
	}
	var count atomic.Int64
	wanted := map[string]bool{}
	var renderers sync.WaitGroup
	room := make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))
	work, stop := context.WithCancelCause(ctx) // the first error stops all renderers
	defer stop(nil)
	for _, v := range s.previewOrder() {
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
		if work.Err() != nil || shared[name] {
			continue
		}
		have := s.previews.shelf.Has(work, name)
		if have && !s.previews.shelf.Shares() {
			continue
		}
		// Waits for a renderer that is free, which bounds the processors in use.
		room <- struct{}{}
		renderers.Go(func() {
			defer func() { <-room }()
			if have { // it was made while the shared store was away
				if err := s.previews.shelf.Share(work, name); err != nil {
					stop(fmt.Errorf("share the preview of %s: %w", v.ID, err))
				}
				return
			}
			made, err := s.renderAhead(work, v, name)
			if err != nil {
				stop(fmt.Errorf("preview of %s: %w", v.ID, err))
			} else if made {
				count.Add(1)
			}
		})
	}
	renderers.Wait()
	if ctx.Err() != nil {
		return int(count.Load()), context.Cause(ctx)
	}
	if err = context.Cause(work); err == nil {
		// Only now is every wanted clip known to be there; a sweep after a failure could
		// leave a voice with no clip at all.
		_, err = s.previews.shelf.Sweep(ctx, wanted)
	}
	return int(count.Load()), err
}

// previewOrder returns all voices, in the order in which their clips are rendered. With a shared
// store it is a random one, so that servers that begin together seldom render the same clip.
func (s *Service) previewOrder() []voice.Voice {
	all := s.voices.All()
	if s.previews.shelf.Shares() {
		all = slices.Clone(all)
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return all
}

// renderAhead renders a clip that nobody has asked for yet, as soon as the scheduler
// admits it. It reports whether it did so, or found it.
func (s *Service) renderAhead(ctx context.Context, v voice.Voice, name string) (made bool, err error) {
	for ctx.Err() == nil {
		// The call must not return before the rendering has ended, because the caller may
		// close the engine after it; only work, the second context, may be cancelled.
		r, err := s.renderOnce(context.WithoutCancel(ctx), ctx, v, name)
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.CodeOverloaded && ctx.Err() == nil {
			if err := pause.For(ctx, max(f.RetryAfter, time.Second)); err != nil {
				return false, err
			}
			continue
		}
		if r.lost != nil {
			s.previews.warned.Store(true) // RenderPreviews returns the error, so Preview need not log it
		}
		return r.made, errors.Join(err, r.lost)
	}
	return false, context.Cause(ctx)
}
