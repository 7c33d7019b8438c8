package speech

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"vaak/audio"
	"vaak/internal/fault"
	"vaak/internal/seal"
	"vaak/mcp/tool"
	"vaak/speech"
	clips "vaak/speech/clip"
)

// noRoom are clips that take none after so many.
type noRoom struct {
	Clips
	left int
}

var errNoRoom = errors.New("no room")

func (n *noRoom) Begin(org string) (*clips.Draft, error) {
	if n.left--; n.left < 0 {
		return nil, errNoRoom
	}
	return n.Clips.Begin(org)
}

// TestTrayKeepsEveryByte: however audio comes, all of it ends in the one place
// or the other, or there is an error.
func TestTrayKeepsEveryByte(t *testing.T) {
	t.Parallel()
	kept, err := clips.Open(clips.Config{Dir: t.TempDir(), MaxBytes: 64 << 20, Secret: seal.New(bytes.Repeat([]byte{1}, seal.MinBytes))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Close() }) // nothing is written any more
	for _, writes := range [][]int{{}, {1}, {tool.MaxInline}, {1, tool.MaxInline - 1}, {tool.MaxInline, 1}, {tool.MaxInline + 1}, {tool.MaxInline / 2, tool.MaxInline/2 + 1, 5}, {3 * tool.MaxInline, 0, 2}} {
		for _, tt := range []struct {
			clips Clips
			link  bool
		}{
			{nil, false}, {&noRoom{kept, 1}, false}, {&noRoom{kept, 1}, true}, {&noRoom{kept, 0}, false}, {&noRoom{kept, 0}, true},
		} {
			tr := &tray{clips: tt.clips, org: "org", link: tt.link}
			tr.Start(speech.Info{Format: audio.Format{Codec: audio.WAV, SampleRate: 8000}})
			want, err := fill(t, tr, writes)
			fits, room := len(want) <= tool.MaxInline, tt.clips != nil && tr.failed == nil
			where := fmt.Sprintf("writes %v, link %t, room %t", writes, tt.link, room)
			switch {
			case err != nil:
				if fits || room {
					t.Errorf("%s: refused with %v", where, err)
				}
			case tr.clip.ID == "":
				if !fits || !bytes.Equal(tr.buf, want) || tt.link && room {
					t.Errorf("%s: %d bytes are for the result, want %d", where, len(tr.buf), len(want))
				}
			default:
				if got := contents(t, kept, tr.clip.ID); !bytes.Equal(got, want) || fits && !tt.link {
					t.Errorf("%s: the clip has %d bytes, want %d", where, len(got), len(want))
				}
			}
			tr.discard()
		}
	}
}

// fill writes so many bytes at a time and finishes; it goes on after an error,
// which must then last.
func fill(t *testing.T, tr *tray, writes []int) (all []byte, failed error) {
	t.Helper()
	for i, n := range writes {
		p := bytes.Repeat([]byte{byte(i + 1)}, n)
		wrote, err := tr.Write(p)
		if err == nil && (wrote != n || failed != nil) {
			t.Errorf("Write of %d bytes = %d after %v", n, wrote, failed)
		}
		failed, all = cmp.Or(failed, err), append(all, p...)
	}
	err := tr.Finish()
	if err == nil && failed != nil {
		t.Errorf("Finish = nil after %v", failed)
	}
	return all, cmp.Or(failed, err)
}

// contents is the audio of a clip.
func contents(t *testing.T, kept *clips.Service, id string) []byte {
	t.Helper()
	c, err := kept.Owned(t.Context(), "org", id)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Body.Close()
	b, err := io.ReadAll(c.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFullOutputDirectory says what is wrong and what to do.
func TestFullOutputDirectory(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		err := tool.FileError(fmt.Errorf("speak: %w", &fs.PathError{Op: "write", Path: "/secret/speech.wav", Err: cause}))
		got := tool.Failure(err).Text
		if fault.KindOf(err) != fault.Unavailable || !strings.HasPrefix(got, "disk_full: ") || !strings.Contains(got, "make room") || strings.Contains(got, "secret") {
			t.Errorf("fileError(%v) is told as %q", cause, got)
		}
	}
	if err := tool.FileError(fs.ErrPermission); fault.KindOf(err) != fault.Internal || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("fileError(%v) = %v, want it wrapped", fs.ErrPermission, err)
	}
	quota := fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "", "none left")
	if err := tool.FileError(quota); fault.KindOf(err) != fault.QuotaExceeded {
		t.Errorf("fileError(%v) = %v, want its kind", quota, err)
	}
}

// FuzzReading: whatever an engine would be given, what is shown of it is
// bounded and in order.
func FuzzReading(f *testing.F) {
	f.Add("one two ", "तीन", uint16(1))
	f.Add("", " ", uint16(0))
	f.Add("a\xff\n", "\u200b", uint16(maxReading))
	f.Fuzz(func(t *testing.T, first, second string, times uint16) {
		n := min(int(times), 2*maxReading)
		runs := []speech.ReadRun{{Language: "en", Spoken: first}, {Language: "hi", Spoken: strings.Repeat(second, n)}, {Language: "hi", Spoken: first}}
		out := previewOutput{Language: "en", Runs: []readingRun{}}
		whole := out.show(runs)
		total, shown := 0, ""
		for _, r := range runs {
			total += len([]rune(r.Spoken))
		}
		for _, r := range out.Runs {
			shown += r.Spoken
		}
		if whole != (total <= maxReading) || len([]rune(shown)) > maxReading || len(out.Runs) > len(runs) {
			t.Errorf("show of %d characters = %t with %d of them", total, whole, len([]rune(shown)))
		}
		if text := out.text(); text == "" {
			t.Error("no text")
		}
	})
}
