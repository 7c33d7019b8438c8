package codec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"testing"

	"vaak/audio"
	"vaak/audio/audiotest"
)

// once counts what is done to a coder.
type once struct {
	frees   int
	fail    error
	encoded int
}

func (o *once) encode(dst []byte, pcm []int16) ([]byte, error) {
	o.encoded++
	return append(dst, 1), o.fail
}
func (o *once) finish(dst []byte) ([]byte, error) { return append(dst, 2), nil }
func (o *once) free()                             { o.frees++ }

func TestFreedOnce(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, tt := range []struct {
		name  string
		coder once
		to    record
		want  error
	}{
		{"in order", once{}, record{}, nil},
		{"encoder fails", once{fail: broken}, record{}, broken},
		{"writer fails", once{}, record{err: broken}, broken},
	} {
		for _, mode := range []Mode{Stream, File} {
			c := tt.coder
			w := &writer{w: &tt.to, coder: &c, mode: mode}
			_ = w.WritePCM([]int16{1}) // Close repeats it
			if err := errors.Join(w.Close(), w.Close()); !errors.Is(err, tt.want) || c.frees != 1 {
				t.Errorf("%s, mode %d: %v and freed %d times, want %v and once", tt.name, mode, err, c.frees, tt.want)
			}
		}
	}
}

// TestLengthyNativeMemory measures what encoders hold outside of Go's reach. It does not
// run beside other tests, which it would measure too.
func TestLengthyNativeMemory(t *testing.T) {
	pcm := audiotest.Speech(24000, 2400)
	files := 1000
	if testing.Short() {
		files = 300
	}
	for _, codec := range []audio.Codec{audio.MP3, audio.AAC} {
		churn(t, codec, pcm, 200)
		before := resident(t)
		churn(t, codec, pcm, files)
		// Lost encoders would hold 50 KiB each and more.
		if grown := resident(t) - before; grown > 8<<20+files*10<<10 {
			t.Errorf("%s: %d files make the process grow by %d KiB", codec, files, grown>>10)
		}

		// Of many at a time the second crowd holds as little as the first.
		for crowd := range 3 {
			const many = 200
			held, left := hold(t, codec, pcm, many)
			if held > 256<<10*many || left > 64<<10*many {
				t.Errorf("%s, crowd %d: %d encoders hold %d KiB and leave %d", codec, crowd, many, held>>10, left>>10)
			}
		}
	}
}

// hold opens as many encoders on several goroutines, closes them, and returns by
// how many bytes the process was then larger, and is still.
func hold(t *testing.T, codec audio.Codec, pcm []int16, many int) (held, left int) {
	before := resident(t)
	writers := make([]audio.Writer, many)
	var done sync.WaitGroup
	for g := range 10 {
		done.Go(func() {
			for i := g; i < many; i += 10 {
				w, err := NewEncoder(io.Discard, audio.Format{Codec: codec}, Stream)
				if err != nil {
					t.Error(err)
					return
				}
				if err := w.WritePCM(pcm); err != nil {
					t.Error(err)
				}
				writers[i] = w
			}
		})
	}
	done.Wait()
	held = resident(t) - before
	for _, w := range writers {
		if w == nil {
			t.FailNow()
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	return held, resident(t) - before
}

// churn makes files on four goroutines; of every fourth, the reader goes away.
func churn(t *testing.T, codec audio.Codec, pcm []int16, files int) {
	var done sync.WaitGroup
	for g := range 4 {
		done.Go(func() {
			for range files / 4 {
				to := io.Writer(io.Discard)
				if g == 0 {
					to = &record{err: io.ErrClosedPipe}
				}
				w, err := NewEncoder(to, audio.Format{Codec: codec}, Stream)
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(w.WritePCM(pcm), w.Close()); (err != nil) != (g == 0) {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
}

// resident returns the memory of the process, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(data), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
