package speech

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"vaak/audio"
	"vaak/internal/fault"
	"vaak/mcp/schema"
	"vaak/mcp/tool"
	"vaak/speech"
)

// TestLimitsMatchTheService holds the tags of the input against the contract.
func TestLimitsMatchTheService(t *testing.T) {
	t.Parallel()
	in := schema.Of(reflect.TypeFor[synthesizeInput]())
	if got := *in.Member("text").MaxLength; got != speech.MaxCharacters {
		t.Errorf("text takes %d characters, want %d", got, speech.MaxCharacters)
	}
	if low, high := *in.Member("speed").Minimum, *in.Member("speed").Maximum; low != speech.MinSpeed || high != speech.MaxSpeed {
		t.Errorf("speed takes %g to %g, want %g to %g", low, high, speech.MinSpeed, speech.MaxSpeed)
	}
	got, err := json.Marshal(in.Member("sample_rate").Enum)
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := json.Marshal(audio.SampleRates); string(got) != string(want) {
		t.Errorf("sample_rate takes %s, want %s", got, want)
	}
}

// noClips makes links possible, and none.
type noClips struct{ Clips }

// FuzzSynthesizeArguments decodes what clients might send: there is a value
// within the limits or a fault that a client can read, never a panic.
func FuzzSynthesizeArguments(f *testing.F) {
	for _, seed := range []string{
		`{"text":"Good morning."}`, `{"text":"x","speed":1.5,"sample_rate":8e3,"format":"wav"}`, `{"text":null}`,
		`{"text":"x","speed":1e999}`, `{"text":"x","sample_rate":-0}`, `[]`, ``, `null`, `{"text":{"text":{}}}`, `{"text":"x"} {"a":1}`,
		`{"text":"x","text":1}`, `{"":""}`, `{"text":"\ud800"}`, `{"text":"x","sample_rate":8000.0,"file_name":"../x"}`,
	} {
		f.Add([]byte(seed))
	}
	var entries []*schema.Schema
	for _, face := range []Config{{}, {Clips: noClips{}}, {Output: new(os.Root)}} {
		face.Formats = []audio.Codec{audio.WAV, audio.PCM}
		synth, err := newSynthesis(face)
		if err != nil {
			f.Fatal(err)
		}
		entries = append(entries, synth.tool().Input)
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		for _, s := range entries {
			in, err := schema.Decode[synthesizeInput](s, args)
			if err != nil {
				if _, ok := errors.AsType[*fault.Error](err); !ok {
					t.Errorf("decode(%q) = %v, want a *fault.Error", args, err)
				}
				if r := tool.Failure(err); !utf8.ValidString(r.Text) {
					t.Errorf("message of %q is not UTF-8: %q", args, r.Text)
				}
				continue
			}
			if in.Text == "" || utf8.RuneCountInString(in.Text) > speech.MaxCharacters || in.Speed != 0 && (in.Speed < speech.MinSpeed || in.Speed > speech.MaxSpeed) {
				t.Errorf("decode(%q) = %+v, outside the limits", args, in)
			}
		}
	})
}

// FuzzFileName wants plain names, whatever is asked for.
func FuzzFileName(f *testing.F) {
	for _, seed := range []string{"", "letter", "letter.wav", "../../etc/passwd", `C:\x`, ".hidden", "…", "नमस्ते.wav", strings.Repeat("अ", 200), "a\x00b", "\xff", "-rf", "con.wav.wav"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, asked string) {
		got := tool.FileName(asked, "wav")
		stem, ok := strings.CutSuffix(got, ".wav")
		if !ok || stem == "" || len(got) > tool.MaxFileName || !utf8.ValidString(got) ||
			strings.ContainsAny(got, "/\\\x00:*?\"<>|\n ") || strings.HasPrefix(got, ".") || strings.HasPrefix(got, "-") {
			t.Errorf("fileName(%q) = %q", asked, got)
		}
		if again := tool.FileName(got, "wav"); again != got {
			t.Errorf("fileName(%q) = %q, and of that %q", asked, got, again)
		}
	})
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"letter":            "letter.wav",
		"letter.wav":        "letter.wav",
		"letter.WAV":        "letter.wav",
		"لetter.WAV":        "لetter.wav",
		"../../etc/passwd":  "etc-passwd.wav",
		"letter to Ana.mp3": "letter-to-Ana.mp3.wav",
		"नमस्ते":            "नमस्ते.wav",
	} {
		if got := tool.FileName(asked, "wav"); got != want {
			t.Errorf("fileName(%q) = %q, want %q", asked, got, want)
		}
	}
	if a, b := tool.FileName("", "wav"), tool.FileName("...", "wav"); a == b || !strings.HasPrefix(a, "speech-") {
		t.Errorf("made up names are %q and %q", a, b)
	}
}
