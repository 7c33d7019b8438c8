package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// previewStore says where a server keeps the previews of voices, and what made them.
type previewStore struct {
	dir      string
	revision func() (string, error) // to be called once at most
}

// openPreviews says where the previews of a server are. They are made by this
// program and the worker, so another build of either makes them anew. It is told
// by their content: a program that was only copied or started again is the same.
// The files are opened now, since an upgrade may put others in their place, and
// read when somebody wants to know.
func (c serveCommand) openPreviews(library string) (previewStore, error) {
	worker, err := c.worker()
	if err != nil {
		return previewStore{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return previewStore{}, fmt.Errorf("find this program: %w", err)
	}
	var programs []*os.File
	for _, path := range []string{self, worker} {
		f, err := os.Open(path)
		if err != nil {
			return previewStore{}, errors.Join(err, closeAll(programs))
		}
		programs = append(programs, f)
	}
	return previewStore{filepath.Join(c.DataDir, previewsDir), func() (string, error) {
		content, err := contentOf(programs)
		return library + " " + content, errors.Join(err, closeAll(programs))
	}}, nil
}

// contentOf digests files. A program of 80 MB takes a tenth of a second.
func contentOf(files []*os.File) (string, error) {
	h := sha256.New()
	for _, f := range files {
		if _, err := io.Copy(h, f); err != nil {
			return "", fmt.Errorf("digest %s: %w", f.Name(), err)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

func closeAll(files []*os.File) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// renderPreviews renders the previews that are missing, beside the requests, until
// all are there, ctx ends or stop is called. Stop returns when it has ended. That
// some cannot be rendered is no reason to end the server: they are when somebody
// asks for them.
func (a *application) renderPreviews(ctx context.Context) (stop func()) {
	if a.engine == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		began := time.Now()
		n, err := a.speech.RenderPreviews(ctx)
		switch {
		case ctx.Err() != nil: // the next server goes on
		case err != nil:
			a.log.Warn("previews are not all rendered", "rendered", n, "error", err)
		case n > 0:
			a.log.Info("previews are rendered", "rendered", n, "took", time.Since(began))
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}
