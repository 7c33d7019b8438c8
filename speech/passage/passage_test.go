package passage_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/internal/fault"
	"vaak/speech/passage"
)

// all returns the parts of a text up to an error.
func all(t *testing.T, from io.Reader, most int) ([]passage.Part, error) {
	t.Helper()
	r := passage.New(from, most)
	defer r.Close()
	var parts []passage.Part
	for {
		p, err := r.Next(t.Context())
		if err != nil {
			return parts, err
		}
		parts = append(parts, p)
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []passage.Part
	}{
		{"nothing", "", nil},
		{"white space", " \n\n\u3000", nil},
		{"more white space than a part", strings.Repeat(" ", 100), nil},
		{"one part", "It is late. We go.\n", []passage.Part{{Text: "It is late. We go.\n", Last: true}}},
		{"a byte order mark", "\uFEFFIt is late.", []passage.Part{{Text: "It is late.", Last: true}}},
		{"a mark alone", "\uFEFF", nil},
		{"two", "It is late. We go. Home it is now.", []passage.Part{{Text: "It is late. We go. "}, {Text: "Home it is now.", Last: true}}},
		{"white space at the end", "It is late. We are.\n\n\n\n\n\n", []passage.Part{{Text: "It is late. "}, {Text: "We are.\n\n\n\n\n\n", Last: true}}},
		{"cut", "when it is very late we go home", []passage.Part{
			{Text: "when it is very late ", Cut: true, After: "we go home"}, {Text: "we go home", Last: true}}},
		{"Hindi", "नमस्ते दुनिया। हम घर जाते हैं।", []passage.Part{{Text: "नमस्ते दुनिया। "}, {Text: "हम घर जाते हैं।", Last: true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			most := 22
			if tt.name == "white space at the end" || tt.name == "two" {
				most = 20
			}
			for how, from := range map[string]io.Reader{
				"at once": strings.NewReader(tt.text), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.text)),
				"with its end": iotest.DataErrReader(strings.NewReader(tt.text)),
			} {
				synctest.Test(t, func(t *testing.T) { // so that no time passes
					got, err := all(t, from, most)
					if err != io.EOF {
						t.Errorf("%s: error %v, want io.EOF", how, err)
					}
					if diff := cmp.Diff(tt.want, got); diff != "" {
						t.Errorf("%s: parts (-want +got)\n%s", how, diff)
					}
				})
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	for _, tt := range []struct {
		name string
		from io.Reader
		says string
	}{
		{"a byte that is none of UTF-8", strings.NewReader("It is\xff late."), "byte 5 is 0xff"},
		{"behind many", strings.NewReader(strings.Repeat("é", 30_000) + "\x80"), "byte 60000 is 0x80"},
		{"a character that is cut at the end", strings.NewReader("It is late \xe0\xa4"), "byte 11 is 0xe0"},
		{"a source that fails", io.MultiReader(strings.NewReader("It is late"), iotest.ErrReader(broken)), "the disk is gone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := all(t, tt.from, 5000)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want one that says %q", err, tt.says)
			}
			if !errors.Is(err, broken) && fault.KindOf(err) != fault.Invalid {
				t.Errorf("error %v is of kind %q, want %q", err, fault.KindOf(err), fault.Invalid)
			}
		})
	}
}

// TestSlowWriters has text come with pauses and looks when which part is handed out.
func TestSlowWriters(t *testing.T) {
	t.Parallel()
	type write struct {
		after time.Duration
		text  string
	}
	type read struct {
		At   time.Duration
		Text string
	}
	const ms = time.Millisecond
	for _, tt := range []struct {
		name   string
		writes []write
		want   []read
	}{
		{"a sentence whose end is known comes soon", []write{{0, "It is late. We"}, {2000 * ms, " go."}},
			[]read{{100 * ms, "It is late. "}, {2000 * ms, "We go."}}},
		{"what comes at once is one part", []write{{0, "It is late. "}, {50 * ms, "We go. "}, {40 * ms, "Home is far. B"}, {2000 * ms, "ye."}},
			[]read{{100 * ms, "It is late. We go. Home is far. "}, {2090 * ms, "Bye."}}},
		{"a line that ends is taken after a lull", []write{{0, "Step one\n"}, {3000 * ms, "Step two\n"}},
			[]read{{500 * ms, "Step one\n"}, {3000 * ms, "Step two\n"}}},
		{"a line that is not over waits", []write{{0, "Step one"}, {3000 * ms, " is done\n"}, {3000 * ms, ""}},
			[]read{{3500 * ms, "Step one is done\n"}}},
		{"a writer who is never still", []write{{0, "It"}, {60 * ms, " is"}, {60 * ms, " late. "}, {60 * ms, "We"}, {60 * ms, " go"}},
			[]read{{180 * ms, "It is late. "}, {240 * ms, "We go"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				from, to := io.Pipe()
				go func() {
					for _, w := range tt.writes {
						time.Sleep(w.after)
						_, _ = io.WriteString(to, w.text) // the reader's errors are looked at
					}
					_ = to.Close()
				}()
				r := passage.New(from, 5000)
				defer r.Close()
				began := time.Now()
				var got []read
				for {
					p, err := r.Next(t.Context())
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, read{time.Since(began), p.Text})
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("parts (-want +got)\n%s", diff)
				}
			})
		})
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		from, to := io.Pipe()
		defer to.Close()
		r := passage.New(from, 5000)
		ctx, stop := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		time.AfterFunc(time.Minute, func() { stop(gone) })
		if _, err := r.Next(ctx); !errors.Is(err, gone) {
			t.Errorf("Next = %v, want %v", err, gone)
		}
		r.Close()
	})
}
