package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/engine/remote"
	"vaak/engine/remote/settings"
	"vaak/lang"
	"vaak/voice"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const whole = `
[pools.gpu]
kind = "vllm-omni"
model = "Qwen/Qwen3-TTS"
members = [{ url = "https://10.0.0.5:8091/", weight = 2, streams = 8 }, { url = "https://10.0.0.6:8091" }]
dns = "https://speech.internal:8091"
streams = 16
rate = 48000
key_file = "gpu.key"
normalize = true
word_times = true
languages = ["English", "hi-IN"]
language_names = { hi = "Hindi", "" = "Auto" }
extra = { task_type = "CustomVoice", nested = { a = 1 } }
queue = "0s"
first_audio = "3s"
stall = "1500ms"
hedge = "250ms"

[pools.spare]
kind = "openai"
members = [{ url = "http://localhost:9000/speech" }]

[voices.nova]
name = "Nova"
gender = "female"
native = "en-GB"
languages = ["hindi"]
license = "Apache-2.0"
pool = "gpu"
voice = "vivian"
reference_file = "nova.wav"
reference_text = "Hello."
sampling = { temperature = 0.6, seed = 7 }
fallback = [{ pool = "spare", voice = "alloy" }, { id = "sv_aaaaaaaaaaaaaaaa" }]
`

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "gpu.key", "sk-123\n")
	write(t, dir, "nova.wav", "RIFF....")
	s, err := settings.Read(write(t, dir, "pools.toml", whole), remote.Kinds)
	if err != nil {
		t.Fatal(err)
	}
	gpu, ok := s.Pool("gpu")
	if !ok || gpu.Kind.Name != "vllm-omni" || gpu.Target.Key != "sk-123" || gpu.Target.Rate != 48000 || !gpu.Target.Normalize || !gpu.Times ||
		gpu.Queue != 0 || gpu.FirstAudio != 3*time.Second || gpu.Stall != 1500*time.Millisecond || gpu.Hedge != 250*time.Millisecond {
		t.Errorf("the pool is %+v", gpu)
	}
	members := []settings.Member{
		{URL: "https://10.0.0.5:8091", Weight: 2, Streams: 8}, {URL: "https://10.0.0.6:8091", Weight: 1, Streams: 16},
		{URL: "https://speech.internal:8091", Each: true, Weight: 1, Streams: 16},
	}
	if diff := cmp.Diff(members, gpu.Members); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[lang.Code]string{"hi": "Hindi", "": "Auto"}, gpu.Target.Languages); diff != "" {
		t.Errorf("names of languages (-want +got):\n%s", diff)
	}
	if spare, _ := s.Pool("spare"); spare.Queue != 2*time.Second || spare.FirstAudio != 10*time.Second || spare.Stall != 5*time.Second || spare.Hedge != 0 {
		t.Errorf("the defaults are %+v", spare)
	}
	v := s.Voices[0]
	if v.ID != voice.IDOf("remote/nova") || v.Native != "en" || v.Region != "GB" || v.Accent != "British English" || v.Gender != voice.Female ||
		!cmp.Equal(v.Languages, []lang.Code{"en", "hi"}) || len(v.Rungs) != 3 {
		t.Errorf("the voice is %+v", v)
	}
	first := v.Rungs[0]
	if first.Name != "vivian" || first.Reference == nil || first.Reference.Text != "Hello." || *first.Sampling.Temperature != 0.6 || *first.Sampling.Seed != 7 || first.Sampling.TopP != nil {
		t.Errorf("the first rung is %+v", first)
	}
}

// TestWrong: each mistake is named, with what is allowed.
func TestWrong(t *testing.T) {
	t.Parallel()
	const pool = "[pools.a]\nkind = \"openai\"\nmembers = [{ url = \"http://h:1\" }]\n"
	const nova = "[voices.n]\npool = \"a\"\n"
	for text, want := range map[string]string{
		"[pools.A]\nkind = \"openai\"\nmembers = [{ url = \"http://h:1\" }]":                            "small letters",
		"[pools.a]\nkind = \"x\"\nmembers = [{ url = \"http://h:1\" }]":                                 "none of openai, vllm-omni",
		"[pools.a]\nkind = \"openai\"":                                                                  "has no members",
		"[pools.a]\nkind = \"openai\"\nmembers = [{ url = \"h:1\" }]":                                   "no address of a server",
		"[pools.a]\nkind = \"openai\"\nmembers = [{ url = \"http://u:p@h:1\" }]":                        "key_file",
		"[pools.a]\nkind = \"openai\"\nmembers = [{ url = \"http://h:1?a=b\" }]":                        "has a query",
		"[pools.a]\nkind = \"openai\"\nmembers = [{ url = \"http://h:1\" }, { url = \"http://h:1/\" }]": "twice",
		"[pools.a]\nkind = \"openai\"\nmembers = [{ url = \"http://h:1\", weight = -1 }]":               "weight -1",
		"[pools.a]\nkind = \"riva\"\nmembers = [{ url = \"grpc://h\" }]":                                "no port",
		"[pools.a]\nkind = \"speaches\"\nmembers = [{ url = \"http://h:1\" }]":                          "model",
		pool + "rate = 1000":                             "rate 1000",
		pool + "word_times = true":                       "do not tell when words begin",
		pool + "hedge = \"soon\"":                        "no time",
		pool + "stall = \"0s\"":                          "stall 0s",
		pool + "key_file = \"none\"":                     "key_file",
		pool + "languages = [\"klingon\"]":               "klingon",
		pool + "colour = \"red\"":                        "pools.a.colour",
		pool + "[voices.n]\n":                            "names no pool",
		pool + "[voices.n]\npool = \"b\"":                `no pool "b"`,
		pool + nova + "id = \"nova\"":                    "an id is sv_",
		pool + nova + "gender = \"x\"":                   "none of female, male, neutral",
		pool + nova + "native = \"x\"":                   "not a supported language",
		pool + nova + "reference_text = \"x\"":           "without reference_file",
		pool + nova + "reference_file = \"x.wav\"":       "no recording",
		pool + nova + "sampling = { heat = 1.0 }":        "heat",
		pool + nova + "sampling = { temperature = 9.0 }": "outside 0 to 2",
		pool + nova + "fallback = [{ }]":                 "fallback 1 names",
		pool + nova + "fallback = [{ id = \"x\" }]":      "no id of a voice",
		pool + nova + "[voices.m]\npool = \"a\"\nid = \"" + string(voice.IDOf("remote/n")) + "\"":                  "the same id",
		pool + nova + "[voices.m]\npool = \"a\"\nfallback = [{ id = \"" + string(voice.IDOf("remote/n")) + "\" }]": "is the voice n of this file",
	} {
		_, err := settings.Read(write(t, t.TempDir(), "pools.toml", text), remote.Kinds)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(whole)
	f.Add("[pools.a]\nkind = \"openai\"")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := settings.Read(write(t, t.TempDir(), "pools.toml", text), remote.Kinds); err == nil {
			for _, v := range s.Voices {
				if _, ok := s.Pool(v.Rungs[0].Pool); !ok {
					t.Errorf("voice %s has no pool", v.Key)
				}
			}
		}
	})
}
