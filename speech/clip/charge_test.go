package clip_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/account/ledger"
	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/internal/seal"
	"vaak/speech"
	"vaak/speech/cache"
	"vaak/speech/clip"
)

// desk is a speech service with real accounts, and clips.
type desk struct {
	t        *testing.T
	db       *accounttest.Store
	accounts *account.Service
	caller   account.Caller
	speech   *speech.Service
	clips    *clip.Service
}

func newDesk(t *testing.T, clips, answers string) *desk {
	t.Helper()
	d := &desk{t: t, db: accounttest.New(nil)}
	var err error
	if d.accounts, err = account.New(account.Config{Store: d.db}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.accounts.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	plan := ledger.Plan{ID: "small", Name: "Small", MonthlyCharacters: 1_000_000, RequestsPerMinute: -1, MaxStreams: -1}
	if err := d.db.SetPlan(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	org, err := d.accounts.CreateOrganisation(t.Context(), "Example", "small")
	if err != nil {
		t.Fatal(err)
	}
	_, key, err := d.accounts.CreateKey(t.Context(), org.ID, account.KeyRequest{Label: "test"})
	if err != nil {
		t.Fatal(err)
	}
	d.caller = account.Caller{OrgID: org.ID, KeyID: key.ID, Plan: "small", Metered: true}
	kept, err := cache.Open(cache.Config{Dir: answers, MaxBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Close() })
	if d.speech, err = speech.New(speech.Config{Engines: engine.Set{enginetest.Tone{}}, Ledger: d.accounts, Cache: kept}); err != nil {
		t.Fatal(err)
	}
	if d.clips, err = clip.Open(clip.Config{Dir: clips, MaxBytes: 1 << 30, Secret: seal.New(bytes.Repeat([]byte{1}, 32))}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.clips.Close() })
	return d
}

// request is some 680 kB of audio.
func request(stream bool) speech.Request {
	text := bytes.Repeat([]byte("alpha beta gamma delta. "), 8)
	return speech.Request{Text: string(text), Language: "en", Stream: stream, Format: audio.Format{Codec: audio.WAV, SampleRate: 24000}}
}

// speak speaks a request into a clip.
func (d *desk) speak(req speech.Request) (clip.Clip, speech.Result, error) {
	draft, err := d.clips.Begin(d.caller.OrgID)
	if err != nil {
		return clip.Clip{}, speech.Result{}, err
	}
	defer draft.Discard()
	res, err := d.speech.Speak(d.t.Context(), d.caller, req, draft)
	if err != nil {
		return clip.Clip{}, res, err
	}
	c, err := draft.Keep(clip.Kind{ContentType: res.Format.ContentType(), Extension: res.Format.Extension()})
	return c, res, err
}

// charged returns what the books say when nothing is held any more.
func (d *desk) charged() int64 {
	d.t.Helper()
	looks := time.NewTicker(time.Millisecond)
	defer looks.Stop()
	late := time.After(time.Minute)
	for {
		a, err := d.db.Audit(d.t.Context())
		if err == nil && a.OpenHolds == 0 && a.HeldChars == 0 && a.Sound() {
			return a.Charged
		}
		select {
		case <-looks.C:
		case <-late:
			d.t.Fatalf("audit is %+v, %v; want nothing held", a, err)
		}
	}
}

// TestWhatIsKept: what was kept is what was spoken, and is charged; the second time
// it comes out of the cache.
func TestWhatIsKept(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		d := newDesk(t, t.TempDir(), t.TempDir())
		req := request(stream)
		var want bytes.Buffer
		if _, err := d.speech.Speak(t.Context(), d.caller, req, &want); err != nil {
			t.Fatal(err)
		}
		c, res, err := d.speak(req)
		if err != nil || res.Cache != speech.CacheHit {
			t.Fatalf("stream %v: Speak = %+v, %v; want a hit", stream, res, err)
		}
		content, err := d.clips.Owned(t.Context(), d.caller.OrgID, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(content.Body)
		if err := errors.Join(err, content.Body.Close()); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("stream %v: the clip has %d bytes, %v; want the %d that were spoken", stream, len(got), err, want.Len())
		}
		if n := d.charged(); n != 2*int64(len(req.Text)) {
			t.Errorf("stream %v: %d characters are charged, want %d twice", stream, n, len(req.Text))
		}
	}
}

// refusing refuses what it is sent after some bytes, or when it is finished.
type refusing struct {
	left   int
	err    error
	finish error
}

func (w *refusing) Write(p []byte) (int, error) {
	if w.left -= len(p); w.err != nil && w.left < 0 {
		return 0, w.err
	}
	return len(p), nil
}

func (w *refusing) Finish() error { return w.finish }

// TestWhoseFault: a writer that fails by a fault of the server costs nothing, be the
// answer made or kept, however much was sent; a listener who left pays for it.
func TestWhoseFault(t *testing.T) {
	t.Parallel()
	down := fault.Down(fault.CodeStoreUnavailable, 0, nil, "no room")
	broken := fault.New(fault.Internal, fault.CodeInternal, "", "broken")
	left, gone := errors.New("the reader left"), fault.New(fault.Cancelled, "gone", "", "gone")
	for _, tt := range []struct {
		name string
		w    refusing
		pays bool // when it is a stream
	}{
		{"no room", refusing{left: 500_000, err: down}, false},
		{"a broken disk", refusing{left: 500_000, err: broken}, false},
		{"wrapped", refusing{left: 500_000, err: errors.Join(errors.New("write"), down)}, false},
		{"no room at the end", refusing{finish: down}, false},
		{"left", refusing{left: 500_000, err: left}, true},
		{"gone", refusing{left: 500_000, err: gone}, true},
		{"left at the end", refusing{finish: left}, true},
	} {
		for _, hit := range []bool{false, true} {
			for _, stream := range []bool{false, true} {
				d := newDesk(t, t.TempDir(), t.TempDir())
				before := int64(0)
				if hit {
					if _, err := d.speech.Speak(t.Context(), d.caller, request(stream), io.Discard); err != nil {
						t.Fatal(err)
					}
					before = d.charged()
				}
				w := tt.w
				res, err := d.speech.Speak(t.Context(), d.caller, request(stream), &w)
				if want := errors.Join(tt.w.err, tt.w.finish); err == nil || fault.KindOf(err) != fault.KindOf(want) {
					t.Errorf("%s: Speak = %v, want %v", tt.name, err, want)
				}
				charged := d.charged() - before
				if (charged > 0) != (tt.pays && stream) || charged != int64(res.Charged) {
					t.Errorf("%s, stream %v, kept %v: %d characters are charged and %d told; want any: %v",
						tt.name, stream, hit, charged, res.Charged, tt.pays && stream)
				}
			}
		}
	}
}

// fill leaves so many bytes of the disk of a file that it makes.
func fill(t *testing.T, name string, leave int64) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	written := int64(0)
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			var n int
			n, err = f.Write(make([]byte, size))
			written += int64(n)
		}
	}
	if err := errors.Join(f.Truncate(max(0, written-leave)), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// fullDisk speaks onto a disk of 4 MB that is full, or is full before the clip is
// whole: nothing is charged and nothing is left, and clips that are there can be had.
func fullDisk(t *testing.T, dir string) {
	d := newDesk(t, filepath.Join(dir, "clips"), t.TempDir())
	before, _, err := d.speak(request(false))
	if err != nil {
		t.Fatal(err)
	}
	charged := d.charged()
	for _, leave := range []int64{0, 4096, 100_000, 500_000} {
		fill(t, filepath.Join(dir, "filler"), leave)
		for _, stream := range []bool{false, true} {
			c, res, err := d.speak(request(stream))
			if fault.KindOf(err) != fault.Unavailable || res.Charged != 0 {
				t.Errorf("with %d bytes left, stream %v: %+v, charged %d, %v; want unavailable and nothing charged", leave, stream, c, res.Charged, err)
			}
			if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != fault.CodeStoreUnavailable || f.RetryAfter == 0 {
				t.Errorf("the error is %+v", f)
			}
			if n := d.charged(); n != charged {
				t.Errorf("with %d bytes left, stream %v: %d characters are charged", leave, stream, n-charged)
			}
		}
		entries, err := os.ReadDir(filepath.Join(dir, "clips"))
		if err != nil || len(entries) != 1 {
			t.Errorf("left are %v, %v; want the clip from before", entries, err)
		}
		content, err := d.clips.Owned(t.Context(), d.caller.OrgID, before.ID)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, content.Body); n != before.Size || err != nil {
			t.Errorf("the clip from before gives %d bytes, %v; want %d", n, err, before.Size)
		}
		if err := errors.Join(content.Body.Close(), os.Remove(filepath.Join(dir, "filler"))); err != nil {
			t.Fatal(err)
		}
	}
	// With what was finished in place, keeping it needs no room.
	draft, err := d.clips.Begin(d.caller.OrgID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.speech.Speak(t.Context(), d.caller, request(false), draft); err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(dir, "filler"), 0)
	if _, err := draft.Keep(clip.Kind{ContentType: "audio/wav", Extension: "wav"}); err != nil {
		t.Errorf("Keep of what is finished, on a full disk: %v", err)
	}
}
