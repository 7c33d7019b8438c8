package conformance

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

const (
	model    = "speech-tts-turbo"
	sentence = "The quick brown fox jumps over the lazy dog."
)

// clientOf returns a client with a key that gives up after a minute.
func clientOf(key string, more ...option.RequestOption) openai.Client {
	return openai.NewClient(append([]option.RequestOption{
		option.WithAPIKey(key),
		option.WithBaseURL(os.Getenv("VAAK_BASE_URL") + "/v1"),
		option.WithMaxRetries(0),
		option.WithRequestTimeout(time.Minute),
	}, more...)...)
}

// speaker returns a client of an organisation without limits.
func speaker() openai.Client { return clientOf(os.Getenv("VAAK_API_KEY")) }

// request returns a request for a sentence in a format.
func request(format openai.AudioSpeechNewParamsResponseFormat) openai.AudioSpeechNewParams {
	return openai.AudioSpeechNewParams{Model: model, Input: sentence, ResponseFormat: format}
}

// speak returns the audio of a request.
func speak(t *testing.T, body openai.AudioSpeechNewParams, more ...option.RequestOption) []byte {
	t.Helper()
	c := speaker()
	response, err := c.Audio.Speech.New(t.Context(), body, more...)
	if err != nil {
		t.Fatalf("Speech.New: %v", err)
	}
	defer response.Body.Close()
	audio, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("read the audio: %v", err)
	}
	return audio
}

// refusal makes a request that the server must refuse and checks its error.
func refusal(t *testing.T, c openai.Client, body openai.AudioSpeechNewParams, status int, code, param string) {
	t.Helper()
	response, err := c.Audio.Speech.New(t.Context(), body)
	if err == nil {
		response.Body.Close()
		t.Fatalf("Speech.New was not refused, want %d %s", status, code)
	}
	refused, ok := errors.AsType[*openai.Error](err)
	if !ok {
		t.Fatalf("Speech.New = %T %v, want an *openai.Error", err, err)
	}
	if refused.StatusCode != status || refused.Code != code || refused.Param != param {
		t.Errorf("Speech.New = %d %q %q, want %d %q %q", refused.StatusCode, refused.Code, refused.Param, status, code, param)
	}
}

func TestAudioSpeechNew(t *testing.T) {
	const method = "Audio.Speech.New"
	shows(t, method, "wav has exact sizes", func(t *testing.T) {
		audio := speak(t, request(openai.AudioSpeechNewParamsResponseFormatWAV))
		if got, want := binary.LittleEndian.Uint32(audio[40:]), len(audio)-44; int(got) != want {
			t.Errorf("data size = %d, want %d", got, want)
		}
	})
	shows(t, method, "every ResponseFormat of the SDK", func(t *testing.T) {
		for format, head := range map[string]string{"mp3": "\xff", "opus": "OggS", "aac": "\xff", "flac": "fLaC", "wav": "RIFF", "pcm": ""} {
			audio := speak(t, request(openai.AudioSpeechNewParamsResponseFormat(format)))
			if !bytes.HasPrefix(audio, []byte(head)) || len(audio) < 5000 {
				t.Errorf("%s = %d bytes that begin with %q", format, len(audio), audio[:4])
			}
		}
	})
	shows(t, method, "option.WithJSONSet carries lang, sample_rate and stream", func(t *testing.T) {
		audio := speak(t, request("pcm"), option.WithJSONSet("sample_rate", 8000), option.WithJSONSet("lang", "English"), option.WithJSONSet("stream", true))
		if ratio := float64(len(speak(t, request("pcm")))) / float64(len(audio)); ratio < 2.9 || ratio > 3.1 {
			t.Errorf("24,000 Hz is %.2f times 8,000 Hz", ratio)
		}
	})
	shows(t, method, "stream_format sse: the deltas rebuild the audio", func(t *testing.T) {
		body := request("pcm")
		body.StreamFormat = openai.AudioSpeechNewParamsStreamFormatSSE
		if got, want := deltas(t, speak(t, body)), speak(t, request("pcm")); !bytes.Equal(got, want) {
			t.Errorf("the deltas hold %d bytes, want the %d of the whole audio", len(got), len(want))
		}
	})
}

// deltas joins the audio of server-sent events and expects the last to say done.
func deltas(t *testing.T, events []byte) []byte {
	t.Helper()
	var audio []byte
	var event struct{ Type, Audio string }
	lines := bufio.NewScanner(bytes.NewReader(events))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		event.Audio = ""
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			t.Fatalf("event %.40q: %v", data, err)
		}
		part, err := base64.StdEncoding.DecodeString(event.Audio)
		if err != nil {
			t.Fatalf("audio of event %.40q: %v", data, err)
		}
		audio = append(audio, part...)
	}
	if event.Type != "speech.audio.done" {
		t.Errorf("last event = %q, want speech.audio.done", event.Type)
	}
	return audio
}

func TestErrors(t *testing.T) {
	const method = "errors"
	shows(t, method, "a wrong key", func(t *testing.T) {
		refusal(t, clientOf("sk_live_nobody"), request("pcm"), http.StatusUnauthorized, "invalid_api_key", "")
	})
	shows(t, method, "an unknown voice", func(t *testing.T) {
		body := request("pcm")
		body.Voice.OfString = openai.String("nobody")
		refusal(t, speaker(), body, http.StatusNotFound, "voice_not_found", "voice")
	})
	shows(t, method, "speed 1.9", func(t *testing.T) {
		body := request("pcm")
		body.Speed = openai.Float(1.9)
		refusal(t, speaker(), body, http.StatusBadRequest, "invalid_parameter", "speed")
	})
	shows(t, method, "402 is asked once: spent characters are not asked for again", func(t *testing.T) {
		made := 0
		count := option.WithMiddleware(func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			made++
			return next(r)
		})
		refusal(t, clientOf(os.Getenv("VAAK_SPENT_KEY"), option.WithMaxRetries(2), count), request("pcm"), http.StatusPaymentRequired, "insufficient_quota", "")
		if made != 1 {
			t.Errorf("%d requests, want 1", made)
		}
	})
}

func TestModels(t *testing.T) {
	c := speaker()
	shows(t, "Models.List", "has the one model", func(t *testing.T) {
		page, err := c.Models.List(t.Context())
		if err != nil {
			t.Fatalf("Models.List: %v", err)
		}
		if len(page.Data) != 1 || page.Data[0].ID != model {
			t.Errorf("Models.List = %+v, want %s alone", page.Data, model)
		}
	})
	shows(t, "Models.Get", "finds it under any name", func(t *testing.T) {
		got, err := c.Models.Get(t.Context(), "gpt-4o-mini-tts")
		if err != nil {
			t.Fatalf("Models.Get: %v", err)
		}
		if got.ID != model {
			t.Errorf("Models.Get = %q, want %q", got.ID, model)
		}
	})
}

func TestExample(t *testing.T) {
	shows(t, "examples", "the one of docs/clients.md runs", func(t *testing.T) {
		voice := firstVoice(t)
		program := exec.CommandContext(t.Context(), os.Getenv("VAAK_GO_EXAMPLE"))
		program.Dir = t.TempDir()
		program.Env = append(os.Environ(), "VAAK_URL="+os.Getenv("VAAK_BASE_URL"), "VAAK_KEY="+os.Getenv("VAAK_API_KEY"), "VAAK_VOICE="+voice)
		if out, err := program.CombinedOutput(); err != nil {
			t.Fatalf("example: %v\n%s", err, out)
		}
		audio, err := os.ReadFile(filepath.Join(program.Dir, "speech.mp3"))
		if err != nil {
			t.Fatal(err)
		}
		if len(audio) < 10_000 || audio[0] != 0xff {
			t.Errorf("speech.mp3 = %d bytes that begin with %x", len(audio), audio[:1])
		}
	})
}

// firstVoice returns the id of a voice.
func firstVoice(t *testing.T) string {
	t.Helper()
	c := speaker()
	var list struct {
		Voices []struct {
			ID string `json:"voice_id"`
		}
	}
	if err := c.Get(t.Context(), "voices", nil, &list); err != nil {
		t.Fatalf("GET voices: %v", err)
	}
	return list.Voices[0].ID
}
