package decodetest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"vaak/audio/decode/recording"
	"vaak/internal/fault"
)

// Drain returns what a file decodes to, read in blocks of as many samples, and
// the error that ended it, nil at its end.
func Drain(t testing.TB, open Opener, file []byte, limits recording.Limits, block int) (recording.Info, [][]float32, error) {
	t.Helper()
	s, err := open(bytes.NewReader(file), limits)
	if err != nil {
		return recording.Info{}, nil, err
	}
	defer func() {
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Errorf("Close: %v", err)
		}
	}()
	info := s.Info()
	all, planes := make([][]float32, info.Channels), make([][]float32, info.Channels)
	for c := range planes {
		planes[c] = make([]float32, block)
	}
	for {
		n, err := s.Read(planes)
		for c := range planes {
			all[c] = append(all[c], planes[c][:n]...)
		}
		if err != nil {
			if n != 0 {
				t.Errorf("Read returned %d samples and %v, want one of them", n, err)
			}
			if again, same := s.Read(planes); again != 0 || !errors.Is(same, err) {
				t.Errorf("after %v Read returned %d, %v, want the same", err, again, same)
			}
			if err == io.EOF {
				err = nil
			}
			return info, all, err
		}
		if n == 0 {
			t.Fatal("Read returned nothing and no error")
		}
	}
}

// WantFault fails the test unless err is a *fault.Error of a kind whose sentence
// holds words.
func WantFault(t testing.TB, what string, err error, kind fault.Kind, words string) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != kind || !strings.Contains(e.Msg, words) {
		t.Errorf("%s: %v, want an error of kind %q that says %q", what, err, kind, words)
	}
}

// Refusal is a file that is refused by an error of a kind whose sentence holds words.
type Refusal struct {
	name   string
	file   []byte
	limits recording.Limits
	kind   fault.Kind
	words  string
}

// Refused returns a refusal.
func Refused(name string, file []byte, limits recording.Limits, kind fault.Kind, words string) Refusal {
	return Refusal{name, file, limits, kind, words}
}

// WantRefusals checks that each file is refused.
func WantRefusals(t *testing.T, open Opener, refusals []Refusal) {
	t.Helper()
	for _, r := range refusals {
		_, _, err := Drain(t, open, r.file, r.limits, 1024)
		WantFault(t, r.name, err, r.kind, r.words)
	}
}

// surviveLimits are low, so that a file that unfolds is seen to be stopped.
var surviveLimits = recording.Limits{Channels: 6, SampleRate: 48000, Frames: 100000}

// Survive opens and reads a file and fails the test when that breaks a promise.
func Survive(t *testing.T, open Opener, file []byte) {
	info, got, err := Drain(t, open, file, surviveLimits, 1000)
	if kind := fault.KindOf(err); kind == fault.Internal || kind == fault.Unavailable {
		t.Errorf("an error of kind %q: %v", kind, err)
	}
	if info.Channels > surviveLimits.Channels || info.SampleRate > surviveLimits.SampleRate || info.Frames > surviveLimits.Frames {
		t.Errorf("opened %+v, beyond the limits %+v", info, surviveLimits)
	}
	for c, p := range got {
		if int64(len(p)) > surviveLimits.Frames || err == nil && info.Frames >= 0 && int64(len(p)) > info.Frames {
			t.Errorf("channel %d has %d samples of %+v: %v", c, len(p), info, err)
		}
	}
}
