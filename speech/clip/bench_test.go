package clip

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkKeep keeps clips of some seconds in a room that is full, which is looked at
// each second.
func BenchmarkKeep(b *testing.B) {
	const size = 80_000
	s := open(b, Config{MaxBytes: 100 * 1 << 20})
	audio := sound(size)
	for b.Loop() {
		if _, err := put(s, "org_a", audio); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(size)
}

// BenchmarkLook looks at a directory of 20,000 clips: anew, and when all are known.
func BenchmarkLook(b *testing.B) {
	s := open(b, Config{MaxBytes: 1 << 30})
	for i := range 20_000 {
		c := Clip{ID: newID(), Org: fmt.Sprint("org_", i%100), ContentType: "audio/mpeg", Expires: time.Now().Add(time.Hour)}
		c.Name = c.ID + ".mp3"
		head, err := encode(c, s.heads)
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dirOf(s), c.ID), append(head, make([]byte, HeadBytes-len(head))...), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("anew", func(b *testing.B) {
		for b.Loop() {
			s.room = newRoom(s.room.max)
			if err := s.rescan(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			if err := s.rescan(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
	if len(s.room.files) != 20_000 {
		b.Errorf("%d files are known", len(s.room.files))
	}
}
