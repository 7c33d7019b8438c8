package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
)

// TestDirectoryBounds lists archives whose directories would fill the memory.
func TestDirectoryBounds(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range 300 {
		if _, err := w.Create(fmt.Sprintf("folder-%d/", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	many := b.Bytes()
	few := bytes.Clone(many)
	binary.LittleEndian.PutUint16(few[len(few)-12:], 1) // the number of entries that it gives
	binary.LittleEndian.PutUint16(few[len(few)-14:], 1)

	// An end of 64 bits that gives 2^40 entries.
	end := make([]byte, 56)
	copy(end, "PK\x06\x06")
	binary.LittleEndian.PutUint64(end[24:], 1<<40)
	binary.LittleEndian.PutUint64(end[32:], 1<<40)
	locator := make([]byte, 20)
	copy(locator, "PK\x06\x07")
	binary.LittleEndian.PutUint32(locator[16:], 1)
	last := append([]byte("PK\x05\x06"), bytes.Repeat([]byte{0xff}, 16)...)
	huge := slices.Concat(end, locator, last, []byte{0, 0})

	for name, tt := range map[string]struct {
		data []byte
		most int
		ok   bool
	}{
		"enough":             {many, 300, true},
		"too many":           {many, 100, false},
		"more than it gives": {few, 100, false},
		"2^40 that it gives": {huge, 300, false},
	} {
		err := Zip(bytes.NewReader(tt.data), int64(len(tt.data)), tt.most, func(Member) error { return nil })
		if tt.ok != (err == nil) || !tt.ok && err.Error() != errDirectory.Error() {
			t.Errorf("%s: Zip = %v", name, err)
		}
	}
}
