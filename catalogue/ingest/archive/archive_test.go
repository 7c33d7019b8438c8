package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// text is larger than the buffers of the readers, and shrinks.
var text = bytes.Repeat([]byte("some words that are said again and again, 0123456789\n"), 4000)

// noise does not shrink.
func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// zipOf makes an archive; change may change the header of each file.
func zipOf(t testing.TB, files map[string][]byte, change func(*zip.FileHeader)) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, data := range files {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		if change != nil {
			change(h)
		}
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarOf(t testing.TB, headers ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		err := w.WriteHeader(h)
		if err == nil && h.Size > 0 {
			_, err = w.Write(text[:h.Size])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// list returns the members of an archive.
func list(kind string, data []byte) (all []Member, err error) {
	each := func(m Member) error {
		all = append(all, m)
		return nil
	}
	if kind == "tar" {
		return all, Tar(bytes.NewReader(data), int64(len(data)), each)
	}
	return all, Zip(bytes.NewReader(data), int64(len(data)), 1000, each)
}

// TestReadsLikeAFile reads members of each kind in every way that decoders read files.
func TestReadsLikeAFile(t *testing.T) {
	t.Parallel()
	archives := map[string][]byte{
		"deflated": zipOf(t, map[string][]byte{"a/b.wav": text}, nil),
		"stored":   zipOf(t, map[string][]byte{"a/b.wav": text}, func(h *zip.FileHeader) { h.Method = zip.Store }),
		"tar":      tarOf(t, &tar.Header{Name: "a/", Typeflag: tar.TypeDir, Mode: 0o755}, &tar.Header{Name: "a/b.wav", Size: int64(len(text)), Mode: 0o600}),
	}
	for kind, data := range archives {
		all, err := list(kind, data)
		if err != nil || len(all) != 1 || all[0].Name != "a/b.wav" || all[0].Size() != int64(len(text)) {
			t.Fatalf("%s: %+v, %v", kind, all, err)
		}
		if err := iotest.TestReader(all[0].Open(bytes.NewReader(data)), text); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		r := all[0].Open(bytes.NewReader(data))
		tail := make([]byte, 100)
		if _, err := r.ReadAt(tail, int64(len(text))-100); err != nil && !errors.Is(err, io.EOF) || !bytes.Equal(tail, text[len(text)-100:]) {
			t.Errorf("%s: the tail is %q, %v", kind, tail, err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: %d bytes after the tail was read, %v", kind, len(got), err)
		}
	}
}

// TestRefusedArchives lists archives that are broken or made to do harm.
func TestRefusedArchives(t *testing.T) {
	t.Parallel()
	good := zipOf(t, map[string][]byte{"a": text[:100]}, func(h *zip.FileHeader) { h.Method = zip.Store })
	sized := bytes.Clone(good)
	at := bytes.LastIndex(sized, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(sized[at+20:], 1<<20) // its size in the archive
	binary.LittleEndian.PutUint32(sized[at+24:], 1<<20)
	whole := tarOf(t, &tar.Header{Name: "a", Size: 5000, Mode: 0o600})
	for name, tt := range map[string]struct {
		kind string
		data []byte
		want string
	}{
		"no zip":            {"zip", []byte("PK\x03\x04 and no more"), "cannot be read as zip"},
		"cut short":         {"zip", good[:len(good)-10], "cannot be read as zip"},
		"bomb":              {"zip", zipOf(t, map[string][]byte{"a": make([]byte, 8<<20)}, nil), "more than 100 times its size"},
		"link":              {"zip", zipOf(t, map[string][]byte{"a": []byte("/etc/passwd")}, func(h *zip.FileHeader) { h.SetMode(fs.ModeSymlink | 0o777) }), "link or a device"},
		"encrypted":         {"zip", zipOf(t, map[string][]byte{"a": nil}, func(h *zip.FileHeader) { h.Flags |= 1 }), "is encrypted"},
		"longer than it is": {"zip", sized, "where the archive has ended"},
		"no tar":            {"tar", noise(2048), "cannot be read as tar"},
		"tar cut short":     {"tar", whole[:1024], "is cut short"},
		"link in tar":       {"tar", tarOf(t, &tar.Header{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}), "is a link"},
		"hard link in tar":  {"tar", tarOf(t, &tar.Header{Name: "a", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}), "is a link"},
		"device in tar":     {"tar", tarOf(t, &tar.Header{Name: "a", Typeflag: tar.TypeChar}), "a device"},
	} {
		if _, err := list(tt.kind, tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// TestDamaged reads members whose bytes are not those that the archive was made of.
func TestDamaged(t *testing.T) {
	t.Parallel()
	for name, method := range map[string]uint16{"deflated": zip.Deflate, "stored": zip.Store} {
		data := zipOf(t, map[string][]byte{"a": noise(4000)}, func(h *zip.FileHeader) { h.Method = method })
		all, err := list("zip", data)
		if err != nil {
			t.Fatal(err)
		}
		data[2000] ^= 1
		if _, err := io.Copy(io.Discard, all[0].Open(bytes.NewReader(data))); err == nil || !strings.Contains(err.Error(), "is damaged") {
			t.Errorf("%s: read = %v, want that it is damaged", name, err)
		}
	}
}

// TestOutOfOrder checks that a file that is read back and forth is given up.
func TestOutOfOrder(t *testing.T) {
	t.Parallel()
	data := zipOf(t, map[string][]byte{"a": text}, nil)
	all, err := list("zip", data)
	if err != nil {
		t.Fatal(err)
	}
	r := all[0].Open(bytes.NewReader(data))
	one := make([]byte, 1)
	for i := range 1000 {
		if _, err = r.ReadAt(one, int64(1000-i)); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "unpack the archive") {
		t.Errorf("reading backwards = %v, want a refusal", err)
	}
}

func fuzz(f *testing.F, kind string, seeds ...[]byte) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := list(kind, data)
		if err != nil {
			return
		}
		total := int64(0)
		for _, m := range all {
			if total += m.Size(); m.Size() < 0 || total > int64(len(data))*maxRatio+1<<20 {
				t.Fatalf("%q has %d bytes", m.Name, m.Size())
			}
			if n, err := io.Copy(io.Discard, m.Open(bytes.NewReader(data))); n > m.Size() || err == nil && n != m.Size() {
				t.Fatalf("%q has %d bytes and %d were read, %v", m.Name, m.Size(), n, err)
			}
		}
	})
}

func FuzzZip(f *testing.F) {
	fuzz(f, "zip", zipOf(f, map[string][]byte{"a": []byte("hello"), "b/": nil}, nil), zipOf(f, map[string][]byte{"a": []byte("hello")}, func(h *zip.FileHeader) { h.Method = zip.Store }))
}

func FuzzTar(f *testing.F) {
	fuzz(f, "tar", tarOf(f, &tar.Header{Name: "a", Size: 5, Mode: 0o600}))
}
