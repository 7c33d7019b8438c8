package speech_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"vaak/account"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

// few are languages with few voices.
var few = []lang.Code{"fr", "de", "sw"}

// fewVoices are the voices whose previews are in them.
func fewVoices() (all []voice.Voice) {
	for _, v := range voice.All() {
		if slices.Contains(few, v.PreviewLanguage) {
			all = append(all, v)
		}
	}
	return all
}

// previewer is a service that hums previews of few languages, and counts them.
type previewer struct {
	*speech.Service
	dir   string
	hums  atomic.Int64 // that began
	began sync.Map     // utterances that have
	log   bytes.Buffer
}

// newPreviewer returns a service on a directory. Before may be nil; it is called
// once a preview.
func newPreviewer(t *testing.T, dir, revision string, before func(context.Context, engine.Utterance) error) *previewer {
	t.Helper()
	p := &previewer{dir: dir}
	tone := enginetest.Tone{Speaks: few, Before: func(ctx context.Context, u engine.Utterance) error {
		if !p.begins(u) || before == nil {
			return nil
		}
		return before(ctx, u)
	}}
	p.Service = newService(t, speech.Config{
		Engines: engine.Set{tone}, PreviewDir: dir, Logger: slog.New(slog.NewTextHandler(&p.log, nil)),
		PreviewRevision: func() (string, error) { return revision, nil },
	})
	return p
}

// begins counts an utterance that begins, and reports whether it does; else it is a frame more.
func (p *previewer) begins(u engine.Utterance) bool {
	_, again := p.began.LoadOrStore(string(u.Voice.ID), true)
	if !again {
		p.hums.Add(1)
	}
	return !again
}

// count counts utterances for an engine.
func (p *previewer) count(_ context.Context, u engine.Utterance) error {
	p.begins(u)
	return nil
}

// render renders and checks how many were.
func (p *previewer) render(t *testing.T, want int) {
	t.Helper()
	if n, err := p.RenderPreviews(t.Context()); n != want || err != nil || p.hums.Load() != int64(want) {
		t.Errorf("RenderPreviews = %d, %v after %d began; want %d", n, err, p.hums.Load(), want)
	}
}

// files returns the names in the directory.
func (p *previewer) files(t *testing.T) (names []string) {
	t.Helper()
	files, err := os.ReadDir(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

func TestPreviewsAreRenderedOnce(t *testing.T) {
	t.Parallel()
	dir, all := filepath.Join(t.TempDir(), "previews"), fewVoices()
	first := newPreviewer(t, dir, "one", nil)
	first.render(t, len(all))
	names := first.files(t)
	if len(names) != len(all) {
		t.Errorf("%d files are kept, want one for each of %d voices: %q", len(names), len(all), names)
	}
	again := newPreviewer(t, dir, "one", nil)
	again.render(t, 0)
	for _, v := range all {
		if _, err := again.Preview(t.Context(), v.ID); err != nil {
			t.Error(err)
		}
	}
	if n := again.hums.Load(); n != 0 {
		t.Errorf("%d previews that are kept were rendered again", n)
	}

	// Another program makes all of them anew, and takes the old ones away.
	newPreviewer(t, dir, "two", nil).render(t, len(all))
	other := first.files(t)
	if len(other) != len(all) || slices.ContainsFunc(other, func(s string) bool { return slices.Contains(names, s) }) {
		t.Errorf("after an upgrade there are %q, want %d others than %q", other, len(all), names)
	}
	newPreviewer(t, "", "one", nil).render(t, 0) // keeps none, so there is nothing to do
}

func TestRenderingPreviewsStopsAndGoesOn(t *testing.T) {
	t.Parallel()
	dir, all := t.TempDir(), fewVoices()
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the server stops")
	stopped := newPreviewer(t, dir, "", nil)
	stopped = newPreviewer(t, dir, "", func(ctx context.Context, _ engine.Utterance) error {
		if stopped.hums.Load() <= 2 {
			return nil
		}
		cancel(stop)
		<-ctx.Done()
		return context.Cause(ctx)
	})
	n, err := stopped.RenderPreviews(ctx)
	if !errors.Is(err, stop) || n >= len(all) || n < 1 {
		t.Errorf("RenderPreviews = %d, %v, want some and %v", n, err, stop)
	}
	if names := stopped.files(t); len(names) != n {
		t.Errorf("after %d previews there are the files %q", n, names)
	}
	newPreviewer(t, dir, "", nil).render(t, len(all)-n)
}

// A request for a clip that is being rendered ahead gets it when the server stops
// rendering ahead.
func TestPreviewThatWasGivenUpIsStillRendered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		asked := make(chan error, 1)
		var p *previewer
		p = newPreviewer(t, t.TempDir(), "", func(ctx context.Context, u engine.Utterance) error {
			if p.hums.Load() > 1 {
				return nil
			}
			p.began.Delete(string(u.Voice.ID)) // it begins again
			go func() {
				_, err := p.Preview(t.Context(), u.Voice.ID)
				asked <- err
			}()
			synctest.Wait() // until that waits for this rendering
			cancel()
			<-ctx.Done()
			return context.Cause(ctx)
		})
		if n, err := p.RenderPreviews(ctx); !errors.Is(err, context.Canceled) || n != 0 {
			t.Errorf("RenderPreviews = %d, %v, want none and the end of its context", n, err)
		}
		if err := <-asked; err != nil || p.hums.Load() != 2 {
			t.Errorf("Preview meanwhile = %v after %d renderings, want the clip of the second", err, p.hums.Load())
		}
	})
}

func TestPreviewsOfManyAtOnce(t *testing.T) {
	t.Parallel()
	dir, all := t.TempDir(), fewVoices()
	p := newPreviewer(t, dir, "", nil)
	var wg sync.WaitGroup
	var rendered atomic.Int64
	for range 2 {
		wg.Go(func() {
			n, err := p.RenderPreviews(t.Context())
			if rendered.Add(int64(n)); err != nil {
				t.Error(err)
			}
		})
		for _, v := range all {
			wg.Go(func() {
				if _, err := p.Preview(t.Context(), v.ID); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if n := p.hums.Load(); n != int64(len(all)) {
		t.Errorf("%d previews were rendered, want each of %d once", n, len(all))
	}

	// Two servers that start at once do no harm.
	dir = t.TempDir()
	for range 2 {
		s := newPreviewer(t, dir, "", nil)
		wg.Go(func() {
			if _, err := s.RenderPreviews(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if names := (&previewer{dir: dir}).files(t); len(names) != len(all) {
		t.Errorf("two servers leave %q, want a file for each of %d voices", names, len(all))
	}
}

func TestListenerOfAPreviewLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		going := make(chan struct{})
		p := newPreviewer(t, t.TempDir(), "", func(context.Context, engine.Utterance) error {
			<-going
			return nil
		})
		id := fewVoices()[0].ID
		ctx, leave := context.WithCancelCause(t.Context())
		left, stays := make(chan error, 1), make(chan error, 1)
		go func() { _, err := p.Preview(ctx, id); left <- err }()
		synctest.Wait()
		go func() { _, err := p.Preview(t.Context(), id); stays <- err }()
		synctest.Wait()
		gone := errors.New("gone")
		leave(gone)
		if err := <-left; !errors.Is(err, gone) {
			t.Errorf("Preview of who left = %v, want %v", err, gone)
		}
		close(going)
		if err := <-stays; err != nil || p.hums.Load() != 1 {
			t.Errorf("Preview of who stays = %v after %d renderings, want one", err, p.hums.Load())
		}
	})
}

func TestPreviewsThatCannotBeKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPreviewer(t, filepath.Join(file, "previews"), "", nil)
	all := fewVoices()
	n, err := p.RenderPreviews(t.Context())
	if err == nil || n != 0 || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("RenderPreviews = %d, %v, want none and the cause", n, err)
	}
	if begun := int(p.hums.Load()); begun > runtime.GOMAXPROCS(0)+1 {
		t.Errorf("%d of %d previews were rendered for nothing", begun, len(all))
	}
	for _, v := range all {
		if c, err := p.Preview(t.Context(), v.ID); err != nil || len(c.Data) == 0 || c.ETag == "" {
			t.Errorf("Preview(%s) = %d bytes, %v", v.ID, len(c.Data), err)
		}
	}
	if log := p.log.String(); log != "" {
		t.Errorf("what RenderPreviews said is said again: %s", log)
	}
	alone := newPreviewer(t, filepath.Join(file, "previews"), "", nil)
	for _, v := range all {
		if _, err := alone.Preview(t.Context(), v.ID); err != nil {
			t.Error(err)
		}
	}
	if got := strings.Count(alone.log.String(), "previews are not kept"); got != 1 {
		t.Errorf("it is said %d times, want once: %s", got, &alone.log)
	}
}

func TestPreviewsOfAnEngineThatIsDown(t *testing.T) {
	t.Parallel()
	p := newPreviewer(t, t.TempDir(), "", func(context.Context, engine.Utterance) error {
		return fault.Down(fault.CodeEngineUnavailable, 0, nil, "the engine is down")
	})
	n, err := p.RenderPreviews(t.Context())
	if n != 0 || err == nil || !strings.Contains(err.Error(), "sv_") || fault.KindOf(errors.Unwrap(err)) != fault.Unavailable {
		t.Errorf("RenderPreviews = %d, %v, want the voice and the cause", n, err)
	}
	if names := p.files(t); len(names) > 0 {
		t.Errorf("files %q", names)
	}
	unknown := newService(t, speech.Config{PreviewDir: t.TempDir(), PreviewRevision: func() (string, error) { return "", io.ErrUnexpectedEOF }})
	if _, err := unknown.RenderPreviews(t.Context()); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("RenderPreviews of a program that cannot be read = %v", err)
	}
}

// A server that has no room for another request renders previews later.
func TestPreviewsWaitForRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		going := make(chan struct{})
		tone := enginetest.Tone{Speaks: few, Before: func(ctx context.Context, u engine.Utterance) error {
			if u.Text == "wait" {
				<-going
			}
			return nil
		}}
		s := newService(t, speech.Config{Engines: engine.Set{tone}, PreviewDir: t.TempDir()})
		var wg sync.WaitGroup
		var refused atomic.Bool
		for !refused.Load() {
			wg.Go(func() {
				_, err := s.Speak(t.Context(), account.Local, speech.Request{Text: "wait", Language: "de"}, io.Discard)
				if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.CodeOverloaded {
					refused.Store(true)
				} else if err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		done := make(chan string, 1)
		go func() {
			n, err := s.RenderPreviews(t.Context())
			done <- fmt.Sprint(n, err)
		}()
		synctest.Wait()
		select {
		case got := <-done:
			t.Errorf("it did not wait: %s", got)
		default:
		}
		close(going)
		if got, want := <-done, fmt.Sprint(len(fewVoices()), error(nil)); got != want {
			t.Errorf("RenderPreviews = %s, want %s", got, want)
		}
		wg.Wait()
	})
}
