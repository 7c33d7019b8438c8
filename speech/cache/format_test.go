package cache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"testing"
)

// entry returns the file of an entry, written down from the description of the
// format rather than by the code under test.
func entry(k Key, body, head []byte) []byte {
	b := append(append(bytes.Clone(body), head...), k[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(body)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(head)))
	b = append(b, "vaakkep\x01"...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func TestFormat(t *testing.T) {
	t.Parallel()
	c := open(t, Config{Dir: t.TempDir(), MaxBytes: 1 << 20})
	k := key(1)
	want := entry(k, body(k, 1000), head(k))
	if err := put(c, k, body(k, 1000), 300); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(c.path(entryName(k))); err != nil || !bytes.Equal(got, want) {
		t.Errorf("file = %x, %v; want %x", got, err, want)
	}
}

// TestDamage changes an entry in every way that touches one byte, and cuts and
// lengthens it everywhere: none of it may be served.
func TestDamage(t *testing.T) {
	t.Parallel()
	c := open(t, Config{Dir: t.TempDir(), MaxBytes: 1 << 20})
	k := key(1)
	want := body(k, 150)
	whole := entry(k, want, head(k))
	type change struct {
		name string
		file []byte
	}
	var changes []change
	for i := range whole {
		for _, mask := range []byte{0x01, 0x80, 0xff} {
			file := bytes.Clone(whole)
			file[i] ^= mask
			changes = append(changes, change{"flip", file})
		}
		changes = append(changes, change{"cut", whole[:i]}, change{"cut at the front", whole[i+1:]})
	}
	other, older := key(2), bytes.Clone(whole)
	older[len(older)-5] = 0
	fixSum(older)
	changes = append(changes,
		change{"zeros", make([]byte, len(whole))},
		change{"longer", append(bytes.Clone(whole), 0)},
		change{"twice", append(bytes.Clone(whole), whole...)},
		change{"another key", entry(other, want, head(k))},
		change{"another version", older},
	)
	for n, ch := range changes {
		if err := put(c, k, want, 1000); err != nil {
			t.Fatal(err)
		}
		// A file that is cut and written anew would be written out by some systems.
		path := c.path(entryName(k))
		if err := errors.Join(os.Remove(path), os.WriteFile(path, ch.file, 0o600)); err != nil {
			t.Fatal(err)
		}
		if ok, _ := check(c, k, want); ok {
			t.Fatalf("change %d (%s) was served: %x", n, ch.name, ch.file)
		}
		if err := tidy(c); err != nil {
			t.Fatalf("change %d (%s): %v", n, ch.name, err)
		}
	}
	if s := c.Stats(); s.Damaged != int64(len(changes)) || s.Misses != s.Damaged || s.Hits != 0 {
		t.Errorf("Stats = %+v, want %d damaged", s, len(changes))
	}
	if err := put(c, k, want, 1000); err != nil {
		t.Fatal(err)
	}
	if ok, err := check(c, k, want); !ok || err != nil {
		t.Errorf("Get of a whole entry after all = %v, %v", ok, err)
	}
}

func TestHeadTooLarge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		head int
		ok   bool
	}{{MaxHead, true}, {MaxHead + 1, false}} {
		file := entry(key(1), []byte("body"), make([]byte, tt.head))
		_, _, err := verify(bytes.NewReader(file), int64(len(file)), key(1), make([]byte, 100))
		if ok := err == nil; ok != tt.ok {
			t.Errorf("verify of a head of %d bytes = %v, want ok %v", tt.head, err, tt.ok)
		}
	}
}

func fixSum(b []byte) {
	at := len(b) - 4
	binary.LittleEndian.PutUint32(b[at:], crc32.Checksum(b[:at], castagnoli))
}

// FuzzVerify gives verify any file, also with the sum put right: what it accepts
// must be, byte for byte, the entry that it says it is.
func FuzzVerify(f *testing.F) {
	k := key(1)
	f.Add(entry(k, []byte("body"), []byte("head")), 3, false)
	f.Add(entry(k, nil, nil), 1, true)
	f.Add(entry(key(2), nil, nil), 7, true)
	f.Add(entry(k, make([]byte, 300), make([]byte, 40))[1:], 64, true)
	f.Add([]byte{}, 1, false)
	f.Fuzz(func(t *testing.T, file []byte, piece int, fix bool) {
		if fix && len(file) >= footerSize {
			fixSum(file)
		}
		buf := make([]byte, max(1, min(piece, 1<<16)))
		n, head, err := verify(bytes.NewReader(file), int64(len(file)), k, buf)
		if err != nil {
			if !errors.Is(err, errDamaged) {
				t.Errorf("error %v is not errDamaged", err)
			}
			return
		}
		if n < 0 || n > int64(len(file)) || !bytes.Equal(entry(k, file[:n], head), file) {
			t.Errorf("accepted %x as %d bytes of body and head %x", file, n, head)
		}
	})
}

func FuzzName(f *testing.F) {
	f.Add(entryName(key(1)))
	f.Add(draftName(key(1), 1))
	f.Add(lockName)
	f.Fuzz(func(t *testing.T, name string) {
		k, draft, ours := parseName(name)
		if !ours {
			return
		}
		if !draft && entryName(k) != name || draft && name[:64] != entryName(k) {
			t.Errorf("parseName(%q) = %x, %v", name, k, draft)
		}
	})
}
