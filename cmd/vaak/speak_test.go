package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"vaak/engine/enginetest"
)

// longText returns about so many characters of sentences in paragraphs.
func longText(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the river a slow morning went over hills and Dr. Smith said nothing while 42 ships <b> & rain bread $5 winter children")
	var b strings.Builder
	for b.Len() < n {
		for range 2 + r.IntN(7) {
			for i := range 4 + r.IntN(20) {
				word := words[r.IntN(len(words))]
				if i == 0 {
					word = "The"
				} else if i%9 == 8 {
					word += ","
				}
				b.WriteString(word + " ")
			}
			b.WriteString("home. ")
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// vaakSpeak returns a command that speaks.
func vaakSpeak(t testing.TB, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "vaak", append([]string{"speak"}, args...)...)
	cmd.Env = append(os.Environ(), "VAAK_ESPEAK_WORKER="+enginetest.Worker(t))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	return cmd, &stderr
}

// seconds returns how long a wav of 16 bits sounds, whose sizes must be exact.
func seconds(t testing.TB, wav []byte) float64 {
	t.Helper()
	le := binary.LittleEndian
	if len(wav) < 44 || int(le.Uint32(wav[4:])) != len(wav)-8 || int(le.Uint32(wav[40:])) != len(wav)-44 {
		t.Fatalf("a wav of %d bytes does not say so: % x", len(wav), wav[:min(44, len(wav))])
	}
	return float64(len(wav)-44) / 2 / float64(le.Uint32(wav[24:]))
}

// captions returns the text of captions, without white space, and the second in which
// the last ends.
func captions(t testing.TB, vtt string) (text string, end float64) {
	t.Helper()
	blocks := strings.Split(strings.TrimSuffix(vtt, "\n"), "\n\n")
	if blocks[0] != "WEBVTT" {
		t.Fatalf("captions begin with %q", blocks[0])
	}
	at := regexp.MustCompile(`^(\d+):(\d+):(\d+\.\d{3}) --> (\d+):(\d+):(\d+\.\d{3})$`)
	for _, b := range blocks[1:] {
		head, lines, _ := strings.Cut(b, "\n")
		m := at.FindStringSubmatch(head)
		if m == nil {
			t.Fatalf("%q is no timing", head)
		}
		var of [7]float64
		for i := 1; i < 7; i++ {
			of[i], _ = strconv.ParseFloat(m[i], 64)
		}
		start := of[1]*3600 + of[2]*60 + of[3]
		if start < end-1e-6 {
			t.Fatalf("cue %q begins at %g s, before the last ends at %g", b, start, end)
		}
		end = of[4]*3600 + of[5]*60 + of[6]
		text += strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(lines)
	}
	return inked(text), end
}

func inked(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// TestLengthySpeakLong speaks 30,000 characters in one go, fast, with captions.
func TestLengthySpeakLong(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it speaks half an hour")
	}
	text, dir := longText(30_000), t.TempDir()
	var lasts [2]float64
	for i, speed := range []string{"1", "1.5"} {
		audio, vtt := filepath.Join(dir, speed+".wav"), filepath.Join(dir, speed+".vtt")
		cmd, stderr := vaakSpeak(t, "--lang", "en", "--sample-rate", "8000", "--speed", speed, "-o", audio, "--vtt", vtt, "-")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.Output(); err != nil || len(out) > 0 || stderr.Len() > 0 {
			t.Fatalf("speak = %v, %q, %q", err, out, stderr)
		}
		wav, err := os.ReadFile(audio)
		if err != nil {
			t.Fatal(err)
		}
		cues, err := os.ReadFile(vtt)
		if err != nil {
			t.Fatal(err)
		}
		said, end := captions(t, string(cues))
		if lasts[i] = seconds(t, wav); end > lasts[i]+0.01 || end < lasts[i]-1 {
			t.Errorf("the last cue ends at %g s, the audio at %g", end, lasts[i])
		}
		if said != inked(text) {
			t.Errorf("at speed %s the captions of %d characters are not the text of %d", speed, len(said), len(inked(text)))
		}
	}
	if ratio := lasts[0] / lasts[1]; ratio < 1.49 || ratio > 1.51 {
		t.Errorf("%g s of audio at speed 1, %g at 1.5", lasts[0], lasts[1])
	}
}

// TestLengthySpeakInBoundedMemory compares what texts of 20 and of 200 thousand characters
// take. TestLengthyReciteInBoundedMemory of package speech has ten times as much.
func TestLengthySpeakInBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("speaking a book takes half a minute")
	}
	t.Parallel()
	var most [2]int64 // KiB
	for i, n := range []int{20_000, 200_000} {
		cmd, stderr := vaakSpeak(t, "--lang", "en", "--format", "ulaw", "--vtt", os.DevNull, "-")
		cmd.Stdin = strings.NewReader(longText(n))
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, stderr)
		}
		most[i] = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	}
	if most[1] > most[0]+32<<10 {
		t.Errorf("a text of 20,000 characters took %d KiB, one of 200,000 took %d", most[0], most[1])
	}
}

// TestCommandSpeakAsItIsWritten: the first sentence is heard before the second is written.
func TestCommandSpeakAsItIsWritten(t *testing.T) {
	t.Parallel()
	cmd, stderr := vaakSpeak(t, "--format", "pcm", "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	heard := 0
	for i, line := range []string{"It is late this evening.\n", "We are going", " home now.\n"} {
		if _, err := io.WriteString(in, line); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			continue // it goes on
		}
		if _, err := io.ReadFull(out, make([]byte, 24000)); err != nil { // half a second
			t.Fatalf("after %q: %v, %s", line, err, stderr)
		}
		heard++
	}
	_ = in.Close()
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || heard != 2 {
		t.Errorf("speak = %v after %d sentences, %s", err, heard, stderr)
	}
}
