package parquet

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// read returns a table of testdata, which make.py there has written with Apache Arrow.
func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".parquet"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// column returns the values of a column, with "<none>" for those that are not there.
func column(data []byte, path string) ([]string, error) {
	t, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	c := t.Column(path)
	if c == nil {
		return nil, errors.New("no such column")
	}
	var all []string
	return all, t.Values(c, func(v Value) error {
		if v.Row != int64(len(all)) {
			return errors.New("a row is missing")
		}
		if v.Bytes == nil {
			all = append(all, "<none>")
		} else {
			all = append(all, string(v.Bytes))
		}
		return nil
	})
}

// TestColumns reads the same values from tables that are compressed, encoded and paged in different
// ways.
func TestColumns(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"train-00000-of-00001", "zstd-v2", "gzip", "plain"} {
		data := read(t, name)
		for path, want := range map[string][]string{
			"sentence":   {"आज मौसम बहुत अच्छा है", "मुझे अपने खाते का शेष जानना है", "<none>"},
			"speaker_id": {"7", "7", "9"},
			"gender":     {"female", "female", "male"},
		} {
			got, err := column(data, path)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s, %s: %v (-want +got):\n%s", name, path, err, diff)
			}
		}
		for path, want := range map[string]string{"ratings.list.element": "no such column", "other": "no such column"} {
			if _, err := column(data, path); err == nil || err.Error() != want {
				t.Errorf("%s, %s: %v, want %s", name, path, err, want)
			}
		}
	}
	if _, err := column(read(t, "delta"), "sentence"); err == nil || !strings.Contains(err.Error(), "encoding 6 of Parquet; PLAIN and dictionaries are read") {
		t.Errorf("an encoding that is not read: %v", err)
	}
}

// TestRecordings reads embedded recordings in and out of their order, from two tables that share
// one page.
func TestRecordings(t *testing.T) {
	t.Parallel()
	pages := NewPages()
	sums := map[int64][32]byte{}
	for _, name := range []string{"train-00000-of-00001", "zstd-v2", "gzip"} {
		data := read(t, name)
		var all []Recording
		err := pages.Recordings(bytes.NewReader(data), int64(len(data)), func(row int64, head []byte, one Recording) error {
			if row != int64(len(all)) || !bytes.HasPrefix(head, []byte("fLaC")) {
				t.Errorf("%s: row %d begins with %q", name, row, head)
			}
			all = append(all, one)
			return nil
		})
		if err != nil || len(all) != 3 || all[0].Size() != 6428 || all[2].Size() != 7729 {
			t.Fatalf("%s: %d recordings, %v", name, len(all), err)
		}
		for _, i := range []int64{2, 0, 1, 1} {
			r, err := all[i].Open(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			b, err := io.ReadAll(r)
			sum := sha256.Sum256(b)
			if first, known := sums[i]; err != nil || known && first != sum || int64(len(b)) != all[i].Size() {
				t.Errorf("%s: recording %d has %d bytes that are not those of the other tables, %v", name, i, len(b), err)
			}
			sums[i] = sum
			if err := r.Close(); err != nil {
				t.Errorf("Close = %v", err)
			}
		}
	}
	for name, want := range map[string]string{"no-bytes": "no audio in row 1", "plain": "none"} {
		data := read(t, name)
		err := pages.Recordings(bytes.NewReader(data), int64(len(data)), func(int64, []byte, Recording) error {
			t.Errorf("%s has a recording", name)
			return nil
		})
		got := "none"
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: the error is %s, want %s", name, got, want)
		}
	}
}

// TestOpenRecordings holds recordings open: a small one does not keep its page in memory, and all
// together keep no more than is allowed. What is larger than that is let through alone.
func TestOpenRecordings(t *testing.T) {
	t.Parallel()
	data := read(t, "gzip")
	list := func(t *testing.T, pages *Pages) (all []Recording, total int64) {
		err := pages.Recordings(bytes.NewReader(data), int64(len(data)), func(_ int64, _ []byte, one Recording) error {
			all, total = append(all, one), total+one.Size()
			return nil
		})
		if err != nil || len(all) != 3 {
			t.Fatalf("%d recordings, %v", len(all), err)
		}
		return all, total
	}
	pages := NewPages()
	all, total := list(t, pages)
	one := all[0]
	r, err := one.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if page := one.place.page.unpacked; int64(page) < 2*one.Size() {
		t.Fatalf("a recording of %d bytes has a page of %d; the table does not fit the test", one.Size(), page)
	}
	clear(pages.body)
	head := make([]byte, 4)
	if _, err := r.ReadAt(head, 0); err != nil || string(head) != "fLaC" {
		t.Errorf("the recording begins with %q, %v: it is part of its page", head, err)
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil || !pages.open.TryAcquire(maxOpen) {
		t.Errorf("Close = %v, and not all of the memory is free", err)
	}

	synctest.Test(t, func(t *testing.T) {
		all, _ := list(t, newPages(total-1)) // any two of the three, which are of some 7 KB
		opened := make(chan *Reader, len(all))
		for _, one := range all {
			go func() {
				r, err := one.Open(bytes.NewReader(data), int64(len(data)))
				if err != nil {
					t.Error(err)
				}
				opened <- r
			}()
		}
		synctest.Wait()
		for left := len(all); left > 0; left-- {
			if len(opened) != min(left, 2) {
				t.Errorf("%d recordings are open with %d left, want two", len(opened), left)
			}
			(<-opened).Close()
			synctest.Wait()
		}
		all, _ = list(t, newPages(1))
		if r, err := all[0].Open(bytes.NewReader(data), int64(len(data))); err != nil {
			t.Errorf("a recording that is larger than is allowed: %v", err)
		} else {
			r.Close()
		}
	})
}

// TestRefused opens what is no table, or is made to do harm.
func TestRefused(t *testing.T) {
	t.Parallel()
	good := read(t, "plain")
	long := bytes.Clone(good)
	binary.LittleEndian.PutUint32(long[len(long)-8:], 1<<31)
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"empty":              {nil, "too short"},
		"text":               {bytes.Repeat([]byte("text"), 10), "does not end with PAR1"},
		"encrypted":          {append(bytes.Clone(good[:len(good)-4]), "PARE"...), "is encrypted"},
		"footer of 2 GiB":    {long, "has a footer of 2147483648 bytes"},
		"footer of nothing":  {append([]byte("PAR1"), "\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00PAR1"...), ""},
		"list of 2^60":       {append([]byte("PAR1"), "\x29\xfc\xff\xff\xff\xff\xff\xff\xff\xff\x0f\x0b\x00\x00\x00PAR1"...), "ends too early"},
		"nested without end": {append([]byte("PAR1"), strings.Repeat("\x1c", 100)+"\x64\x00\x00\x00PAR1"...), "is nested more than 16 deep"},
	} {
		table, err := Open(bytes.NewReader(tt.data), int64(len(tt.data)))
		if tt.want == "" && (err != nil || table.Audio() != nil) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	for size, codec := range map[int]int{1 << 20: 6, 1 << 21: 2, 1 << 22: 1} {
		if _, err := unpack([]byte("\xff\xff\xff\xff\x0f no data"), size, codec); err == nil {
			t.Errorf("codec %d unpacks what is none", codec)
		}
	}
	if _, err := unpack(nil, 0, 4); err == nil || !strings.Contains(err.Error(), "codec 4") {
		t.Errorf("another codec: %v", err)
	}
}

// FuzzTable reads every column of whatever bytes, and every recording.
func FuzzTable(f *testing.F) {
	for _, name := range []string{"plain", "metadata", "no-bytes", "delta"} {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// What is taken in all, most of it one after the other. A page of values takes up to 100 MB.
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		defer func() {
			runtime.ReadMemStats(&after)
			if n, took := after.TotalAlloc-before.TotalAlloc, time.Since(began); n > 4<<30 || took > time.Minute {
				t.Errorf("%d bytes take %s and %d bytes of memory", len(data), took, n)
			}
		}()
		table, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for i := range table.columns {
			total := 0
			_ = table.Values(&table.columns[i], func(v Value) error {
				if total += 1 + len(v.Bytes); total > 1<<24 {
					return errors.New("enough")
				}
				return nil
			})
		}
		var all []Recording
		pages := NewPages()
		_ = pages.Recordings(bytes.NewReader(data), int64(len(data)), func(_ int64, _ []byte, one Recording) error {
			all = append(all, one)
			if len(all) > 10 {
				return errors.New("enough")
			}
			return nil
		})
		for _, one := range all {
			r, err := one.Open(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatalf("a recording that was listed cannot be opened: %v", err)
			}
			if n, err := io.Copy(io.Discard, r); err != nil || n != one.Size() {
				t.Fatalf("a recording has %d bytes, %v; want %d", n, err, one.Size())
			}
			_ = r.Close() // its error is nil
		}
	})
}
