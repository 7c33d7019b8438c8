package snippet

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// nasty are texts that end strings, begin commands, or are not seen.
var nasty = []string{
	"Good morning.",
	`It's "quoted" \ and \n not a line`,
	"two\nlines\r\n\tand a tab",
	"$HOME `id` $(id) ${x} !! %s {} {{}} \\' '\\'' '",
	"नमस्ते, क्\u200dया हाल है? 你好 مرحبا 👩\u200d👩\u200d👧 🇮🇳",
	"hidden \u202etxet\u202c \u2028 \u2029 \ufeff \u0085 \u00a0 \u0001 \x7f \U000e0067",
	"'); import os; os.system('id') #",
	"\"]); process.exit(3) //",
	"-d @/etc/passwd",
	"@/etc/passwd",
}

func settings(text string) Settings {
	return Settings{
		API: "https://speech.example.org", Model: "speech-tts-turbo", Text: text, Voice: "sv_abc", Language: "hi", Codec: "mp3",
		Extension: "mp3", SampleRate: 44100, Speed: 1.25, Dictionary: "d-1",
	}
}

// plain has everything left out that can be.
func plain(text string) Settings {
	s := settings(text)
	s.Language, s.Speed, s.Dictionary = "", 1, ""
	return s
}

func TestAll(t *testing.T) {
	t.Parallel()
	wants := map[string][]string{
		"curl":          {"'https://speech.example.org/v1/audio/speech'", `"voice": "sv_abc"`, `"response_format": "mp3"`, `"sample_rate": 44100`, `"speed": 1.25`, `"lang": "hi"`, `"pronunciation_dictionary_id": "d-1"`, "-o 'speech.mp3'"},
		"openai-js":     {`"https://speech.example.org/v1"`, `voice: "sv_abc"`, `response_format: "mp3"`, `sample_rate: 44100`, `speed: 1.25`, `lang: "hi"`, `pronunciation_dictionary_id: "d-1"`},
		"openai-py":     {`base_url="https://speech.example.org/v1"`, `voice="sv_abc"`, `response_format="mp3"`, `speed=1.25`, `"sample_rate": 44100`, `"lang": "hi"`, `"pronunciation_dictionary_id": "d-1"`},
		"elevenlabs-js": {`baseUrl: "https://speech.example.org"`, `stream("sv_abc"`, `queryParams: { output_format: "mp3_44100" }`, `languageCode: "hi"`, `speed: 1.25`, `pronunciationDictionaryId: "d-1"`},
		"elevenlabs-py": {`base_url="https://speech.example.org"`, `output_format="mp3_44100"`, `language_code="hi"`, `VoiceSettings(speed=1.25)`, `pronunciation_dictionary_id="d-1"`},
		"websocket":     {`"wss://speech.example.org/v1/text-to-speech/sv_abc/stream-input?language_code=hi&output_format=mp3_44100&pronunciation_dictionary_id=d-1"`, `{"speed": 1.25}`},
	}
	full, bare := All(settings("Hi")), All(plain("Hi"))
	if len(full) != len(wants) || len(bare) != len(wants) {
		t.Fatalf("%d and %d snippets, want %d", len(full), len(bare), len(wants))
	}
	for i, s := range full {
		for _, want := range append(wants[s.ID], KeyVariable) {
			if !strings.Contains(s.Code, want) {
				t.Errorf("%s lacks %q:\n%s", s.ID, want, s.Code)
			}
		}
		for _, unwanted := range []string{"lang", "speed", "dictionary", "Dictionary", "VoiceSettings", "voice_settings"} {
			if strings.Contains(strings.ToLower(bare[i].Code), strings.ToLower(unwanted)) {
				t.Errorf("%s without it holds %q:\n%s", s.ID, unwanted, bare[i].Code)
			}
		}
	}
}

func TestSocket(t *testing.T) {
	t.Parallel()
	s := plain("Hi")
	s.API, s.Voice = "http://127.0.0.1:8080", "my voice/1?"
	if got, want := s.socket(), "ws://127.0.0.1:8080/v1/text-to-speech/my%20voice%2F1%3F/stream-input?output_format=mp3_44100"; got != want {
		t.Errorf("socket() = %s, want %s", got, want)
	}
}

// tool returns the path of a program, without which the test is skipped.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("there is no %s here", name)
	}
	return path
}

// output runs a program in a directory and returns what it prints.
func output(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), KeyVariable+"=secret", "PYTHONPATH="+dir, "PYTHONIOENCODING=utf-8", "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.Output()
	if err != nil {
		failed, _ := err.(*exec.ExitError)
		if failed != nil {
			t.Fatalf("%s: %v\n%s", program, err, failed.Stderr)
		}
		t.Fatal(err)
	}
	return string(out)
}

func files(t *testing.T, dir string, all map[string]string) {
	t.Helper()
	for name, text := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// code returns the program with an id.
func code(t *testing.T, s Settings, id string) string {
	t.Helper()
	for _, one := range All(s) {
		if one.ID == id {
			return one.Code
		}
	}
	t.Fatalf("there is no snippet %q", id)
	return ""
}

// both calls f with full settings and with plain ones, and all that is nasty in the text.
func both(t *testing.T, f func(t *testing.T, s Settings)) {
	t.Helper()
	f(t, settings(strings.Join(nasty, "\n")))
	f(t, plain("@"+strings.Join(nasty, "'")))
}

func TestShell(t *testing.T) {
	t.Parallel()
	bash, dir := tool(t, "bash"), t.TempDir()
	both(t, func(t *testing.T, s Settings) {
		files(t, dir, map[string]string{"call.sh": `curl() { for a in "$@"; do printf '%s\0' "$a"; done; }` + "\n" + code(t, s, "curl")})
		args := strings.Split(strings.TrimSuffix(output(t, dir, bash, "call.sh"), "\x00"), "\x00")
		var body struct {
			Input string  `json:"input"`
			Speed float64 `json:"speed"`
			Rate  int     `json:"sample_rate"`
		}
		if err := json.Unmarshal([]byte(args[len(args)-1]), &body); err != nil {
			t.Fatalf("the body is no JSON: %v\n%q", err, args)
		}
		if body.Input != s.Text || body.Rate != 44100 || s.changesSpeed() && body.Speed != s.Speed {
			t.Errorf("curl is given %+v, want the text %q", body, s.Text)
		}
		if !strings.Contains(strings.Join(args, "|"), "|Authorization: Bearer secret|") {
			t.Errorf("curl is given no key: %q", args)
		}
	})
}

func TestNode(t *testing.T) {
	t.Parallel()
	node, dir := tool(t, "node"), t.TempDir()
	tell := "process.stdout.write(JSON.stringify(%));"
	files(t, dir, map[string]string{
		"node_modules/openai/package.json":                    `{"name":"openai","type":"module","main":"index.js"}`,
		"node_modules/openai/index.js":                        `export default class { constructor(o) { this.audio = { speech: { create: async (b) => { ` + strings.Replace(tell, "%", "[o.apiKey, o.baseURL, b.input, b]", 1) + ` return new Response("x"); } } }; } }`,
		"node_modules/@elevenlabs/elevenlabs-js/package.json": `{"name":"@elevenlabs/elevenlabs-js","type":"module","main":"index.js"}`,
		"node_modules/@elevenlabs/elevenlabs-js/index.js":     `export class ElevenLabsClient { constructor(o) { this.textToSpeech = { stream: async (v, b, more) => { if (b.outputFormat || more.queryParams.output_format !== "mp3_44100") throw new Error("the format is refused"); ` + strings.Replace(tell, "%", "[o.apiKey, o.baseUrl, b.text, b]", 1) + ` return new Blob(["x"]).stream(); } }; } }`,
	})
	for id, base := range map[string]string{"openai-js": "https://speech.example.org/v1", "elevenlabs-js": "https://speech.example.org"} {
		both(t, func(t *testing.T, s Settings) {
			files(t, dir, map[string]string{id + ".mjs": code(t, s, id)})
			var said []any
			if err := json.Unmarshal([]byte(output(t, dir, node, id+".mjs")), &said); err != nil {
				t.Fatal(err)
			}
			if said[0] != "secret" || said[1] != base || said[2] != s.Text {
				t.Errorf("%s sends %q, want the text %q", id, said, s.Text)
			}
		})
	}
}

func TestPython(t *testing.T) {
	t.Parallel()
	python, dir := tool(t, "python3"), t.TempDir()
	files(t, dir, map[string]string{
		"openai.py": `
import json, types
class Answer:
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def stream_to_file(self, name): pass
class OpenAI:
    def __init__(self, base_url, api_key):
        def create(**body):
            print(json.dumps([api_key, base_url, body["input"], body["extra_body"]["sample_rate"]]))
            return Answer()
        speech = types.SimpleNamespace(with_streaming_response=types.SimpleNamespace(create=create))
        self.audio = types.SimpleNamespace(speech=speech)
`,
		"elevenlabs/__init__.py": `
class VoiceSettings:
    def __init__(self, speed): pass
class PronunciationDictionaryVersionLocator:
    def __init__(self, pronunciation_dictionary_id): pass
`,
		"elevenlabs/client.py": `
import json, types
class ElevenLabs:
    def __init__(self, base_url, api_key):
        def stream(voice, text, model_id, output_format, **more):
            print(json.dumps([api_key, base_url, text, output_format]))
            return [b"x"]
        self.text_to_speech = types.SimpleNamespace(stream=stream)
`,
		"websockets.py": `
import json
class Socket:
    def __init__(self, address, key): self.address, self.key, self.sent = address, key, ""
    async def __aenter__(self): return self
    async def __aexit__(self, *_): pass
    async def send(self, message):
        text = json.loads(message)["text"]
        if text == "": print(json.dumps([self.key, self.address.split("/v1/")[0], self.sent]))
        self.sent += text
    async def __aiter__(self):
        yield '{"audio": "eA==", "isFinal": null}'
        yield '{"audio": null, "isFinal": true}'
def connect(address, additional_headers): return Socket(address, additional_headers["xi-api-key"])
`,
	})
	for id, base := range map[string]string{"openai-py": "https://speech.example.org/v1", "elevenlabs-py": "https://speech.example.org", "websocket": "wss://speech.example.org"} {
		both(t, func(t *testing.T, s Settings) {
			files(t, dir, map[string]string{"call.py": code(t, s, id)})
			var said []any
			if err := json.Unmarshal([]byte(output(t, dir, python, "call.py")), &said); err != nil {
				t.Fatal(err)
			}
			if said[0] != "secret" || said[1] != base || said[2] != s.Text {
				t.Errorf("%s sends %q, want the text %q", id, said, s.Text)
			}
		})
	}
}

// FuzzQuote reads strings back that were quoted.
func FuzzQuote(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			t.Skip("no form brings such text")
		}
		var back string
		if err := json.Unmarshal([]byte(inJSON(s)), &back); err != nil || back != s {
			t.Errorf("inJSON(%q) = %s, which is %q, %v", s, inJSON(s), back, err)
		}
		python := inPython(s)
		if got := unpython(t, python); got != s {
			t.Errorf("inPython(%q) = %s, which is %q", s, python, got)
		}
		shell := inShell(s)
		if got := strings.ReplaceAll(shell[1:len(shell)-1], `'\''`, "'"); got != s {
			t.Errorf("inShell(%q) = %s, which is %q", s, shell, got)
		}
		for _, line := range []string{inJSON(s), python} {
			if strings.ContainsAny(line, "\n\r\u0085\u2028\u2029\u202e\ufeff") {
				t.Errorf("%q holds what is not seen", line)
			}
		}
	})
}

// unpython reads a string of Python with the escapes that [inPython] writes.
func unpython(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	for s = strings.TrimSuffix(s[1:], `"`); s != ""; {
		r, n := utf8.DecodeRuneInString(s)
		if r != '\\' {
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		var digits int
		switch s[1] {
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		default:
			b.WriteByte(s[1])
		}
		if digits > 0 {
			var r rune
			for _, c := range s[2 : 2+digits] {
				r = r<<4 + rune(strings.IndexRune("0123456789abcdef", c))
			}
			b.WriteRune(r)
		}
		s = s[2+digits:]
	}
	return b.String()
}
