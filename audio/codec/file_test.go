package codec

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"vaak/audio"
	"vaak/audio/audiotest"
)

// rewritten takes a file whose head is written again at the end.
type rewritten struct {
	bytes.Buffer
	early  int // bytes that were there before Close
	heads  int
	refuse error
}

func (r *rewritten) Rewrite(head []byte) error {
	r.heads++
	copy(r.Bytes(), head)
	return r.refuse
}

// TestLengthyFileIsEarly has every codec write a file as it is made: the bytes are those of
// samples that come all at once, most of them leave before the end, and of nothing the
// empty file is made.
func TestLengthyFileIsEarly(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes of sound")
	}
	t.Parallel()
	for _, c := range Available() {
		for _, seconds := range []int{0, 7} {
			f, err := Check(audio.Format{Codec: c})
			if err != nil {
				t.Fatal(err)
			}
			rate := InputRate(f)
			pcm := audiotest.Speech(rate, seconds*rate)
			want := encode(t, f, File, pcm).all()
			var got rewritten
			w, err := NewEncoder(&got, f, File)
			if err != nil {
				t.Fatal(err)
			}
			for block := range slices.Chunk(pcm, 777) {
				if err := w.WritePCM(block); err != nil {
					t.Fatal(err)
				}
			}
			got.early = got.Len()
			if err := errors.Join(w.Close(), w.Close()); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s of %d s: %d bytes of blocks differ from %d of all at once", c, seconds, got.Len(), len(want))
			}
			if seconds > 0 && got.early < len(want)/2 {
				t.Errorf("%s: %d of %d bytes were written before Close, want most", c, got.early, len(want))
			}
			if got.heads > 1 {
				t.Errorf("%s: the head was written again %d times, want once at most", c, got.heads)
			}
		}
	}
}

func TestFileTellsWhatFails(t *testing.T) {
	t.Parallel()
	f, err := Check(audio.Format{Codec: audio.WAV})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewEncoder(io.Discard, f, File); err == nil {
		t.Error("NewEncoder takes a writer that cannot write its head again")
	}
	refused := errors.New("no room")
	w, err := NewEncoder(&rewritten{refuse: refused}, f, File)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WritePCM(make([]int16, 100)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Close(); !errors.Is(err, refused) {
			t.Errorf("Close = %v, want %v", err, refused)
		}
	}
}

// TestLongWAVKeepsUnknownSizes seals a file that is longer than its sizes can say.
func TestLongWAVKeepsUnknownSizes(t *testing.T) {
	t.Parallel()
	head := appendWAVHeader(nil, 24000, 1<<32-1, 1<<32-1)
	want := bytes.Clone(head)
	if err := (&wav{}).seal(head, 1<<32+44); err != nil || !bytes.Equal(head, want) {
		t.Errorf("seal = %v, head %x, want %x", err, head, want)
	}
}
