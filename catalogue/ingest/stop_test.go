package ingest

import (
	"context"
	"errors"
	"testing"

	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/ingesttest"
)

// ending is a context that is done after it was asked some times.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestReadStops stops reading at each point where it looks whether it should: what is returned is
// never a folder in part, nor faults that are none.
func TestReadStops(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"parquet", "kaldi", "zip-of-wav"} {
		f := ingesttest.Named(t, name)
		if f.Pack == "" {
			f.Files["card.yaml"] = goodCard
		}
		dir := f.Make(t)
		put(t, dir, "card.yaml", []byte(goodCard))
		stopped := 0
		for n := 0; ; n++ {
			whole, err := folder.Read(&ending{t.Context(), n}, dir, folder.Limits{})
			if err == nil {
				if len(whole.Recordings) != f.Recordings {
					t.Errorf("%s: %d recordings after %d looks", name, len(whole.Recordings), n)
				}
				break
			}
			if stopped++; !errors.Is(err, context.Canceled) || whole != nil || n > 1000 {
				t.Fatalf("%s: Read = %v after %d looks", name, err, n)
			}
		}
		if stopped < 10 {
			t.Errorf("%s: it looks %d times whether to stop", name, stopped)
		}
	}
}
