package spool

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"vaak/internal/fault"
)

func kindOf(err error) fault.Kind {
	if err == nil {
		return ""
	}
	return fault.KindOf(err)
}

// TestBuffer writes answers of many sizes in pieces of many sizes.
func TestBuffer(t *testing.T) {
	t.Parallel()
	p := New(Config{Dir: t.TempDir(), Memory: 32 << 20, Disk: 64 << 20})
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, blockSize, blockSize + 1, maxMemory, maxMemory + 1, 5<<20 + 7} {
		want := make([]byte, size)
		for i := range want {
			want[i] = byte(random.Uint32())
		}
		b, err := p.Open("a", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 1+random.IntN(200_000))
			if k, err := b.Write(rest[:n]); k != n || err != nil {
				t.Fatalf("Write = %d, %v", k, err)
			}
			rest = rest[n:]
		}
		if head := min(size, 44); head > 0 {
			for i := range head {
				want[i]++
			}
			if err := b.Rewrite(want[:head]); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			var got bytes.Buffer
			if n, err := b.WriteTo(&got); n != int64(size) || err != nil || !bytes.Equal(got.Bytes(), want) || b.Len() != n {
				t.Fatalf("an answer of %d bytes comes back as %d, %v", size, n, err)
			}
		}
		memory, disk := p.Stats()
		if onDisk := disk > 0; onDisk != (size > maxMemory) || onDisk == (memory > 0) && size > 0 {
			t.Errorf("an answer of %d bytes takes %d bytes of memory and %d of the disk", size, memory, disk)
		}
		b.Close()
		b.Close()
		if memory, disk := p.Stats(); memory != 0 || disk != 0 || len(p.owners) != 0 {
			t.Errorf("after Close %d bytes of memory, %d of the disk and %d owners are left", memory, disk, len(p.owners))
		}
		if _, err := b.Write([]byte("x")); err == nil {
			t.Error("a closed buffer takes more")
		}
	}
	if left, err := filepath.Glob(filepath.Join(p.cfg.Dir, "*")); err != nil || len(left) != 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// TestOwnerOfSeveral closes one of two answers of an owner that hold nothing yet.
func TestOwnerOfSeveral(t *testing.T) {
	t.Parallel()
	p := New(Config{Dir: t.TempDir()})
	first, err := p.Open("a", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.Open("a", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	if _, err := second.Write(make([]byte, 2*maxMemory)); err != nil {
		t.Error(err)
	}
	second.Close()
	if len(p.owners) != 0 {
		t.Errorf("%d owners are left", len(p.owners))
	}
}

// fill opens answers of a size until one is refused, and returns how many there are and
// why there are no more.
func fill(t *testing.T, p *Pool, owner string, size int, beside int64) (n int, why error) {
	t.Helper()
	for ; ; n++ {
		b, err := p.Open(owner, beside, 0)
		if err != nil {
			return n, err
		}
		t.Cleanup(b.Close)
		if _, err := b.Write(make([]byte, size)); err != nil {
			return n, err
		}
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	const mega = 1 << 20
	t.Run("an answer", func(t *testing.T) {
		t.Parallel()
		p := New(Config{Dir: t.TempDir(), Disk: 16 * mega})
		b, err := p.Open("a", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if _, err := b.Write(make([]byte, 4*mega)); err != nil {
			t.Fatal(err)
		}
		_, err = b.Write([]byte("x"))
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.Invalid || f.Code != CodeAnswerTooLong {
			t.Errorf("an answer over its bound fails with %v", err)
		}
	})
	t.Run("an owner, then all", func(t *testing.T) {
		t.Parallel()
		p := New(Config{Dir: t.TempDir(), Disk: 32 * mega})
		if n, err := fill(t, p, "a", 4*mega, 0); n != 4 || kindOf(err) != fault.TooManyStreams && kindOf(err) != fault.Unavailable {
			t.Errorf("one owner has %d answers of an eighth of the disk, then %v", n, err)
		}
		if _, err := p.Open("a", 0, 0); kindOf(err) != fault.TooManyStreams {
			t.Errorf("an owner with its share is refused with %v", err)
		}
		if n, err := fill(t, p, "b", 4*mega, 0); n < 2 || kindOf(err) == "" {
			t.Errorf("another owner has %d answers, then %v", n, err)
		}
		if _, err := p.Open("c", 0, 0); kindOf(err) != fault.Unavailable {
			t.Errorf("a third owner is refused with %v", err)
		}
	})
	t.Run("what is expected", func(t *testing.T) {
		t.Parallel()
		p := New(Config{Dir: t.TempDir(), Disk: 32 * mega})
		var open int
		var why error
		for ; why == nil; open++ {
			var b *Buffer
			if b, why = p.Open("a", 0, 3*mega); why == nil {
				defer b.Close()
			}
		}
		if open--; open != 4 || kindOf(why) != fault.TooManyStreams {
			t.Errorf("one owner has %d answers of 3 of 12 MiB, then %v", open, why)
		}
		if _, disk := p.Stats(); disk != 12*mega {
			t.Errorf("%d bytes of the disk are taken, want 12 MiB", disk)
		}
		if _, err := p.Open("b", 0, 9*mega); kindOf(err) != fault.Invalid {
			t.Errorf("an answer that is expected to be over a quarter is refused with %v", err)
		}
		if _, err := p.Open("a", 0, maxMemory); err != nil {
			t.Errorf("a short answer is refused with %v", err)
		}
	})
	t.Run("memory beside", func(t *testing.T) {
		t.Parallel()
		p := New(Config{Dir: t.TempDir(), Memory: 16 * mega})
		if n, err := fill(t, p, "a", 0, mega); n != 6 || kindOf(err) != fault.TooManyStreams {
			t.Errorf("one owner has %d answers with a MiB beside, then %v", n, err)
		}
	})
	t.Run("memory that is taken", func(t *testing.T) {
		t.Parallel()
		p := New(Config{Dir: t.TempDir(), Memory: 2 * mega, Disk: 1 << 30})
		if n, err := fill(t, p, "a", mega/2, 0); n < 10 || kindOf(err) != fault.TooManyStreams {
			t.Errorf("with little memory one owner has %d answers of half a MiB, then %v", n, err)
		}
		if memory, disk := p.Stats(); memory > 2*mega || disk == 0 {
			t.Errorf("%d bytes of memory, %d of the disk", memory, disk)
		}
	})
}

func TestNoDisk(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p := New(Config{Dir: dir})
	b, err := p.Open("a", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Write(make([]byte, maxMemory)); err != nil {
		t.Errorf("what fits into memory needs no disk: %v", err)
	}
	for range 2 {
		if _, err := b.Write([]byte("x")); kindOf(err) != fault.Unavailable {
			t.Errorf("without a directory: %v, want Unavailable", err)
		}
	}
	b.Close()
	if memory, disk := p.Stats(); memory != 0 || disk != 0 {
		t.Errorf("%d bytes of memory and %d of the disk are left", memory, disk)
	}
}
