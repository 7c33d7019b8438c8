package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// link makes a symbolic link in a folder.
func link(to, name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// file puts a file into a folder.
func file(name, data string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { put(t, dir, name, []byte(data)) }
}

// badTrees are folders whose files are at fault.
func badTrees() []badFolder {
	onlyCard := "-- card.yaml --\n" + goodCard
	wav := string(wavOf(1, 8000))
	return []badFolder{
		{name: "no audio", base: onlyCard, want: []string{"there is no audio"}},
		{name: "linked file", make: link("/etc/passwd", "audio/b.wav"), want: []string{"audio/b.wav: …symbolic link"}},
		{name: "linked folder", make: link("/", "transcripts"), want: []string{"transcripts: …symbolic link"}},
		{name: "link within", make: link("a.wav", "audio/b.wav"), want: []string{"audio/b.wav: …symbolic link"}},
		{name: "linked card", base: "-- audio/a.wav --\nWAV mono\n", make: link("/etc/hostname", "card.yaml"), want: []string{
			"card.yaml: …symbolic link", "there is no card",
		}},
		{name: "link in circles", make: link(".", "audio/again"), want: []string{"audio/again: …symbolic link"}},
		{name: "named pipe", make: func(t *testing.T, dir string) {
			if err := syscall.Mkfifo(filepath.Join(dir, "audio/b.wav"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, want: []string{"audio/b.wav: …named pipe"}},
		{name: "socket", make: func(t *testing.T, dir string) {
			fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer syscall.Close(fd)
			if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: filepath.Join(dir, "s.wav")}); err != nil {
				t.Fatal(err)
			}
		}, want: []string{"s.wav: …socket"}},
		{name: "deep folders", make: file(strings.Repeat("d/", 20)+"x", ""), want: []string{"d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d: …more than 16 deep"}},
		{name: "backslash in a name", make: file(`audio/x\y.wav`, wav), want: []string{`audio/x\y.wav: …backslash`}},
		{name: "control character in a name", make: file("audio/x\ny.wav", wav), want: []string{"audio/x\uFFFDy.wav: …control character"}},
		{name: "name in Latin-1", make: file("audio/caf\xe9.wav", wav), want: []string{"audio/caf\uFFFD.wav: …not UTF-8"}},
		{name: "ids alike but for case", make: file("audio/A.wav", wav), want: []string{"audio/a.wav: …upper and lower case alike"}},
		{name: "one id for two paths", files: "-- audio/x/y.wav --\nWAV mono\n-- audio/x-y.wav --\nWAV mono\n", want: []string{"audio/x/y.wav: …there twice"}},
		{name: "name that gives no id", make: file("audio/नमस्ते.wav", wav), want: []string{"audio/नमस्ते.wav: …name it in recordings.csv"}},
		{name: "archive in audio", make: file("audio/more.zip", "PK\x03\x04"), want: []string{"audio/more.zip: …cannot be read as zip"}},
		{name: "archive in transcripts", make: file("transcripts/all.tar.gz", "\x1f\x8b"), want: []string{"transcripts/all.tar.gz: …run gzip -d"}},
		{name: "rar in audio", make: file("audio/more.rar", "Rar!"), want: []string{"audio/more.rar: …unpack it first"}},
		{name: "zip called flac", make: file("audio/b.flac", "PK\x03\x04rest of it"), want: []string{"audio/b.flac: …archive, not audio"}},
		{name: "text called wav", make: file("audio/b.wav", "this is a note, not audio\n"), want: []string{"audio/b.wav: …text, not audio"}},
		{name: "empty file", make: file("audio/b.wav", ""), want: []string{"audio/b.wav: …is empty"}},
		{name: "noise called wav", make: file("audio/b.wav", "\x00\x01\x02\x03\x04 no header at all \xff\xfe"), want: []string{"audio/b.wav: …begins with"}},
		{name: "truncated wav", make: file("audio/b.wav", wav[:len(wav)/2]), want: []string{"audio/b.wav: …"}},
		{name: "lying header", make: file("audio/b.wav", strings.Replace(wav, "data\x80\x3e\x00\x00", "data\x80\x3e\xff\x7f", 1)), want: []string{"audio/b.wav: …"}},
		{name: "header of no channels", make: file("audio/b.wav", wav[:22]+"\x00\x00"+wav[24:]), want: []string{"audio/b.wav: …channel"}},
		{name: "header of all channels", make: file("audio/b.wav", wav[:22]+"\xff\xff"+wav[24:]), want: []string{"audio/b.wav: …channels"}},
		{name: "wav without samples", make: file("audio/b.wav", string(header(1, 8000, 0))), want: []string{"audio/b.wav: …"}},
		{name: "flac without frames", make: file("audio/b.flac", "fLaC\x00\x00\x00\x22"), want: []string{"audio/b.flac: …"}},
		{name: "text in audio", make: file("audio/notes.txt", "hello"), want: []string{"audio/notes.txt: …not audio by its name"}},
		{name: "audio elsewhere", make: file("b.wav", wav), want: []string{"b.wav: …outside of audio/"}},
	}
}
