package rest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/speech"
	"vaak/speech/align"
)

// timedLine is an answer with timestamps, or a line of one, as clients parse it.
type timedLine struct {
	Audio      *string    `json:"audio_base64"`
	Alignment  *timesRead `json:"alignment"`
	Normalized *timesRead `json:"normalized_alignment"`
	Estimated  *bool      `json:"estimated"`
}

type timesRead struct {
	Characters []string  `json:"characters"`
	Starts     []float64 `json:"character_start_times_seconds"`
	Ends       []float64 `json:"character_end_times_seconds"`
}

func (l timedLine) audio(t *testing.T) []byte {
	t.Helper()
	if l.Audio == nil {
		t.Fatal("a line without audio_base64")
	}
	audio, err := base64.StdEncoding.DecodeString(*l.Audio)
	if err != nil {
		t.Fatal(err)
	}
	return audio
}

// aligned times the code points of a text evenly, step ms each.
func aligned(text string, begin, step int) align.Alignment {
	a := align.Alignment{Begin: begin, End: begin}
	for _, r := range text {
		a.Characters = append(a.Characters, string(r))
		a.Starts = append(a.Starts, a.End)
		a.End += step
	}
	return a
}

// piece is what a service says of a Write, and writes.
type piece struct {
	written, spoken align.Alignment
	audio           []byte
}

// says is a service that follows and writes pieces, then ends with err.
func says(err error, pieces ...piece) speaker {
	return speaker{func(_ context.Context, _ speech.Request, w io.Writer) (speech.Result, error) {
		if s, ok := w.(speech.Starter); ok {
			s.Start(testInfo)
		}
		for _, p := range pieces {
			if f, ok := w.(speech.Follower); ok && len(p.written.Characters)+len(p.spoken.Characters) > 0 {
				f.Follow(p.written, p.spoken)
			}
			if _, err := w.Write(p.audio); err != nil {
				return speech.Result{}, err
			}
		}
		return speech.Result{Info: testInfo}, err
	}}
}

// linesOf reads the lines of a stream, each of which must end.
func linesOf(t *testing.T, body []byte) (lines []timedLine) {
	t.Helper()
	if len(body) > 0 && body[len(body)-1] != '\n' {
		t.Errorf("the last line does not end: %.80q", body[max(0, len(body)-80):])
	}
	for text := range bytes.Lines(body) {
		if len(text) > 64<<10 {
			t.Errorf("a line of %d bytes", len(text))
		}
		var l timedLine
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatalf("%v: %.100q", err, text)
		}
		lines = append(lines, l)
	}
	return lines
}

func TestWithTimestamps(t *testing.T) {
	t.Parallel()
	sound := make([]byte, 300_001) // no whole number of groups of base64
	for i := range sound {
		sound[i] = byte(rand.Uint32())
	}
	h := newHandler(t, Config{Speech: says(nil,
		piece{aligned("at ", 0, 100), aligned("at ", 0, 100), sound[:1000]},
		piece{audio: sound[1000:2000]},
		piece{aligned("5", 300, 400), aligned("five", 300, 100), sound[2000:]},
	)})
	w := do(h, tts("/with-timestamps", `{"text":"at 5"}`))
	hd := w.Header()
	if w.Code != 200 || hd.Get("Content-Type") != "application/json" || hd.Get("Content-Length") != strconv.Itoa(w.Body.Len()) || hd.Get("Character-Cost") != "5" || hd.Get("Request-Id") == "" {
		t.Errorf("%d, %d bytes, headers %v", w.Code, w.Body.Len(), hd)
	}
	var got timedLine
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.audio(t), sound) {
		t.Errorf("%d bytes of audio, want the %d that were spoken", len(got.audio(t)), len(sound))
	}
	want := &timesRead{[]string{"a", "t", " ", "5"}, []float64{0, 0.1, 0.2, 0.3}, []float64{0.1, 0.2, 0.3, 0.7}}
	if d := cmp.Diff(want, got.Alignment); d != "" {
		t.Errorf("alignment (-want +got):\n%s", d)
	}
	want = &timesRead{
		[]string{"a", "t", " ", "f", "i", "v", "e"},
		[]float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7},
	}
	if d := cmp.Diff(want, got.Normalized); d != "" {
		t.Errorf("normalized_alignment (-want +got):\n%s", d)
	}
}

// TestEstimatedTimes: an object with times that are estimated says so, and others say nothing.
func TestEstimatedTimes(t *testing.T) {
	t.Parallel()
	rough := aligned("b", 100, 100)
	rough.Estimated = true
	h := newHandler(t, Config{Speech: says(nil,
		piece{aligned("a", 0, 100), aligned("a", 0, 100), []byte("01")},
		piece{rough, rough, []byte("23")},
		piece{audio: []byte("45")},
	)})
	var got []string
	for _, l := range linesOf(t, do(h, tts("/stream/with-timestamps", `{"text":"ab"}`)).Body.Bytes()) {
		switch {
		case l.Estimated == nil:
			got = append(got, "known")
		case *l.Estimated:
			got = append(got, "estimated")
		default:
			got = append(got, "false")
		}
	}
	if want := []string{"known", "estimated", "known"}; !slices.Equal(got, want) {
		t.Errorf("lines with times %q, want %q", got, want)
	}
	body := do(h, tts("/with-timestamps", `{"text":"ab"}`)).Body.String()
	if !strings.HasSuffix(body, `]},"estimated":true}`+"\n") {
		t.Errorf("the whole answer ends in %q, want it marked", body[max(0, len(body)-60):])
	}
}

func TestStreamWithTimestamps(t *testing.T) {
	t.Parallel()
	second := make([]byte, 96_000) // at pcm_48000
	for i := range second {
		second[i] = byte(rand.Uint32())
	}
	h := newHandler(t, Config{Speech: says(nil,
		piece{aligned("at ", 0, 100), aligned("at ", 0, 100), second[:200]},
		piece{audio: second[200:400]},
		piece{aligned("5", 300, 400), aligned("five", 300, 100), second},
	)})
	w := do(h, tts("/stream/with-timestamps?output_format=pcm_48000", `{"text":"at 5"}`))
	hd := w.Header()
	if w.Code != 200 || hd.Get("Content-Type") != "application/json" || hd.Get("Content-Length") != "" || hd.Get("X-Accel-Buffering") != "no" || hd.Get("Character-Cost") != "5" {
		t.Errorf("%d, headers %v", w.Code, hd)
	}
	var heard []byte
	var told []string
	for _, l := range linesOf(t, w.Body.Bytes()) {
		if len(heard)%2 != 0 {
			t.Error("a line ends inside a sample")
		}
		heard = append(heard, l.audio(t)...)
		if l.Alignment == nil {
			told = append(told, "null")
			continue
		}
		told = append(told, strings.Join(l.Alignment.Characters, "")+"/"+strings.Join(l.Normalized.Characters, ""))
		if l.Alignment.Characters[0] == "5" && (l.Alignment.Starts[0] != 0.3 || l.Alignment.Ends[0] != 0.7) {
			t.Errorf("times %+v are not of the whole request", l.Alignment)
		}
	}
	if !bytes.Equal(heard, slices.Concat(second[:400], second)) {
		t.Errorf("%d bytes of audio", len(heard))
	}
	if want := []string{"at /at ", "null", "5/five", "null", "null"}; !slices.Equal(told, want) {
		t.Errorf("alignments %q, want %q", told, want)
	}
}

// TestTimestampsOfNothing: without words, or without marks, there is audio and
// no alignment; and text whose audio was sent before comes at the end.
func TestTimestampsOfNothing(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: says(nil, piece{audio: []byte("ab")})})
	const want = `{"audio_base64":"YWI=","alignment":null,"normalized_alignment":null}` + "\n"
	for _, path := range ttsPaths[2:] {
		if w := do(h, tts(path, `{"text":"..."}`)); w.Body.String() != want {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
	h = newHandler(t, Config{Speech: says(nil)})
	if w := do(h, tts("/stream/with-timestamps", `{"text":"..."}`)); w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("no audio: %d %s", w.Code, w.Body)
	}
	h = newHandler(t, Config{Speech: says(nil, piece{aligned("a", 0, 5), align.Alignment{}, nil})})
	w := do(h, tts("/stream/with-timestamps", `{"text":"a"}`))
	if got := linesOf(t, w.Body.Bytes()); len(got) != 1 || got[0].Alignment == nil || got[0].Normalized != nil {
		t.Errorf("text without audio: %s", w.Body)
	}
}

// TestTimestampsAreFlushed has the service wait, after each piece, until the
// client has its line.
func TestTimestampsAreFlushed(t *testing.T) {
	t.Parallel()
	received := make(chan struct{})
	srv := httptest.NewServer(newHandler(t, Config{Speech: speaker{func(ctx context.Context, _ speech.Request, w io.Writer) (speech.Result, error) {
		w.(speech.Starter).Start(testInfo)
		for i := range 3 {
			w.(speech.Follower).Follow(aligned("a", i*5, 5), aligned("a", i*5, 5))
			if _, err := io.WriteString(w, "0123456789"); err != nil {
				return speech.Result{}, err
			}
			select {
			case <-received:
			case <-ctx.Done():
				return speech.Result{}, ctx.Err()
			}
		}
		return speech.Result{Info: testInfo}, nil
	}}}))
	defer srv.Close()
	res := postTo(t, srv.URL+"/v1/text-to-speech/sv_a/stream/with-timestamps", `{"text":"aaa"}`)
	defer res.Body.Close()
	if res.ContentLength != -1 {
		t.Errorf("Content-Length %d", res.ContentLength)
	}
	lines := bufio.NewReader(res.Body)
	for i := range 3 {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		if got := linesOf(t, text)[0]; got.Alignment.Starts[0] != float64(i*5)/1000 {
			t.Errorf("line %d: %s", i, text)
		}
		received <- struct{}{}
	}
	if rest, err := io.ReadAll(lines); err != nil || len(rest) != 0 {
		t.Errorf("the stream ends with %q, %v", rest, err)
	}
}

// TestTimestampsOfTheService: both routes tell each character of the text once,
// in order, from the beginning of the audio to its end, also when it is spoken
// faster.
func TestTimestampsOfTheService(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	for _, text := range []string{
		"Hello.", "One two three, four five. Six 7 eight! Ünïcödé 😀 at the end?", " spaces  around ", strings.Repeat("Many sentences stand here. ", 12),
	} {
		for _, speed := range []string{"0.7", "1", "1.5"} {
			body := `{"text":"` + text + `","voice_settings":{"speed":` + speed + `}}`
			var whole timedLine
			w := do(h, tts("/with-timestamps?output_format=pcm_8000", body))
			if err := json.Unmarshal(w.Body.Bytes(), &whole); err != nil || whole.Alignment == nil || whole.Normalized == nil {
				t.Fatalf("%v: %.200s", err, w.Body)
			}
			var stream timedLine
			var heard []byte
			stream.Alignment, stream.Normalized = &timesRead{}, &timesRead{}
			w = do(h, tts("/stream/with-timestamps?output_format=pcm_8000", body))
			for _, l := range linesOf(t, w.Body.Bytes()) {
				heard = append(heard, l.audio(t)...)
				stream.Alignment.add(l.Alignment)
				stream.Normalized.add(l.Normalized)
			}
			if !bytes.Equal(heard, whole.audio(t)) {
				t.Errorf("%.20q: %d bytes in lines, want %d", text, len(heard), len(whole.audio(t)))
			}
			for name, times := range map[string]*timesRead{"whole": whole.Alignment, "stream": stream.Alignment} {
				if got := strings.Join(times.Characters, ""); got != text {
					t.Errorf("%s: characters %q, want %q", name, got, text)
				}
			}
			seconds := float64(len(heard)) / 2 / 8000
			for name, times := range map[string]*timesRead{
				"whole": whole.Alignment, "whole, normalized": whole.Normalized, "stream": stream.Alignment, "stream, normalized": stream.Normalized,
			} {
				if !slices.IsSorted(times.Starts) || times.Starts[0] != 0 || times.Ends[len(times.Ends)-1] > seconds+0.002 {
					t.Errorf("%s of %.20q at %s: times %v to %v of %v s", name, text, speed, times.Starts, times.Ends[len(times.Ends)-1], seconds)
				}
				if !strings.HasPrefix(name, "stream") && times.Ends[len(times.Ends)-1] < seconds-0.002 {
					t.Errorf("%s of %.20q at %s: ends at %v of %v s", name, text, speed, times.Ends[len(times.Ends)-1], seconds)
				}
			}
		}
	}
}

// TestTimestampsOfCodecs: each character is told once, also by codecs that hold
// bytes back.
func TestTimestampsOfCodecs(t *testing.T) {
	t.Parallel()
	service := hum(t)
	h := newHandler(t, Config{Speech: service})
	text := strings.Repeat("One two three, four five. ", 4) + "End"
	for _, codec := range service.Health().Formats {
		for _, path := range ttsPaths[2:] {
			var told []string
			w := do(h, tts(path+"?output_format="+string(codec)+"_16000", `{"text":"`+text+`"}`))
			for text := range bytes.Lines(w.Body.Bytes()) {
				var l timedLine
				if err := json.Unmarshal(text, &l); err != nil {
					t.Fatal(err)
				}
				if l.Alignment != nil {
					told = append(told, l.Alignment.Characters...)
				}
			}
			if got := strings.Join(told, ""); got != text {
				t.Errorf("%s in %s: characters %q, want %q", path, codec, got, text)
			}
		}
	}
}

func (a *timesRead) add(b *timesRead) {
	if b != nil {
		a.Characters, a.Starts, a.Ends = append(a.Characters, b.Characters...), append(a.Starts, b.Starts...), append(a.Ends, b.Ends...)
	}
}

// TestTextToSpeechBreaksOff: a stream that failed is not taken for whole, has no
// half line, and what failed before it began has its own status.
func TestTextToSpeechBreaksOff(t *testing.T) {
	t.Parallel()
	fell := errors.New("the engine fell over")
	srv := httptest.NewServer(newHandler(t, Config{Speech: says(fell, piece{aligned("a", 0, 5), aligned("a", 0, 5), []byte("0123")})}))
	defer srv.Close()
	for _, path := range []string{"/stream", "/stream/with-timestamps"} {
		res := postTo(t, srv.URL+"/v1/text-to-speech/sv_a"+path, `{"text":"a"}`)
		got, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err == nil || len(got) == 0 {
			t.Errorf("%s: %q, %v, want something and an error", path, got, err)
		}
		if path != "/stream" {
			linesOf(t, got)
		}
	}
	h := newHandler(t, Config{Speech: says(fell)})
	for _, path := range ttsPaths {
		wantError(t, do(h, tts(path, `{"text":"a"}`)), 500, "internal_error", "")
	}
}

// TestTextToSpeechClientGone: a client that leaves ends the synthesis, and with it
// the use of its slot.
func TestTextToSpeechClientGone(t *testing.T) {
	t.Parallel()
	for _, path := range ttsPaths {
		ended := make(chan error, 1)
		began := make(chan struct{})
		k := newKeyed(t, caller)
		srv := httptest.NewServer(newHandler(t, Config{Accounts: k, Speech: speaker{func(ctx context.Context, _ speech.Request, _ io.Writer) (speech.Result, error) {
			close(began)
			<-ctx.Done()
			ended <- ctx.Err()
			return speech.Result{}, ctx.Err()
		}}}))
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, "POST", srv.URL+"/v1/text-to-speech/sv_a"+path, strings.NewReader(`{"text":"a"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("xi-api-key", testKey)
		go func() {
			<-began
			cancel()
		}()
		if res, err := srv.Client().Do(r); err == nil {
			_ = res.Body.Close()
			t.Errorf("%s: the cancelled request was answered", path)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the service was told %v", path, err)
		}
		srv.Close() // waits for the handler
		allowance, err := k.Enter(t.Context(), caller)
		if err != nil || allowance.Running != 0 {
			t.Errorf("%s: %d streams still run, %v", path, allowance.Running, err)
		}
	}
}

func postTo(t *testing.T, url, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Xi-Api-Key", testKey)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}
