package riva

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"vaak/engine/remote/remotetest"
	"vaak/engine/remote/riva/rivatest"
	"vaak/engine/remote/wire"
	"vaak/lang"
)

func TestMain(m *testing.M) {
	rivatest.Register()
	remotetest.Main()
	goleak.VerifyTestMain(m)
}

const sentence = "The quick brown fox jumps over the lazy dog."

func start(t testing.TB, o remotetest.Options) *remotetest.Server {
	t.Helper()
	o.Kind = rivatest.Kind
	return remotetest.Start(t, o)
}

func reach(t testing.TB, target wire.Target) *Server {
	t.Helper()
	s, err := Dial(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// target asks for a rate and has a name for English, so that no model is asked for.
func target(s *remotetest.Server) wire.Target {
	return wire.Target{URL: "grpc://" + s.Address(), Rate: 16000, Languages: map[lang.Code]string{"en": "en-US"}}
}

// read returns the samples of an answer and how it ended, nil for a whole one.
func read(a wire.Answer) ([]int16, error) {
	defer a.Close()
	var all []int16
	for pcm := make([]int16, 1001); ; {
		n, err := a.Read(pcm)
		all = append(all, pcm[:n]...)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

func speak(ctx context.Context, s *Server, ask wire.Ask) ([]int16, error) {
	a, err := s.Speak(ctx, ask)
	if err != nil {
		return nil, err
	}
	return read(a)
}

// within is a context for calls that must not last.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func reasonOf(err error) wire.Reason {
	if f, ok := errors.AsType[*wire.Failure](err); ok {
		return f.Reason
	}
	return wire.Reason(fmt.Sprint(err))
}

func TestSpeak(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{Key: "secret", Rate: 22050})
	for _, rate := range []int{8000, 16000, 22050, 44100, 48000} {
		s := reach(t, wire.Target{URL: "grpc://" + p.Address(), Key: "secret", Rate: rate})
		a, err := s.Speak(within(t), wire.Ask{Text: sentence, Voice: "English-US.Male-1", Language: "en"})
		if err != nil {
			t.Fatal(err)
		}
		if a.Rate() != rate {
			t.Errorf("Rate() = %d, want %d", a.Rate(), rate)
		}
		pcm, err := read(a)
		if err != nil {
			t.Fatal(err)
		}
		want := remotetest.Split(sentence)
		if diff := gocmp.Diff(want, remotetest.Words(pcm, rate, want)); diff != "" {
			t.Errorf("words at %d Hz (-want +got):\n%s", rate, diff)
		}
		if a.Words() != nil {
			t.Errorf("Words() = %v, want none", a.Words())
		}
		if _, err := a.Read(make([]int16, 1)); err != io.EOF {
			t.Errorf("Read after the end: %v, want EOF", err)
		}
	}
	if last := p.Settled(t)[len(p.Requests(t))-1]; last.End != "done" {
		t.Errorf("the server ended with %q, want done", last.End)
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{})
	hear := func(s *Server, times bool) []wire.Word {
		a, err := s.Speak(within(t), wire.Ask{Text: sentence, Language: "en", Times: times})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := read(a); err != nil {
			t.Fatal(err)
		}
		return a.Words()
	}
	got := hear(reach(t, target(p)), true)
	begin := time.Duration(0)
	for i, w := range remotetest.Split(sentence) {
		length := remotetest.Length(w)
		if want := (wire.Word{Text: w, Start: begin, End: begin + length}); i >= len(got) || got[i] != want {
			t.Fatalf("words %v, want %v at %d", got, want, i)
		}
		begin += length + 50*time.Millisecond
	}
	if len(got) != 9 {
		t.Errorf("%d words, want 9", len(got))
	}
	if got := hear(reach(t, target(p)), false); got != nil {
		t.Errorf("words %v that were not asked for", got)
	}
	if _, sent := p.Last(t).Fields()["enable_word_time_offsets"]; sent {
		t.Error("times were asked for")
	}
	without := start(t, remotetest.Options{NoTimes: true})
	if got := hear(reach(t, target(without)), true); got != nil {
		t.Errorf("words %v of a server that tells none", got)
	}
}

func TestTimesThatGoBack(t *testing.T) {
	t.Parallel()
	at := func(s string, start, end int) wire.Word {
		return wire.Word{Text: s, Start: time.Duration(start) * time.Millisecond, End: time.Duration(end) * time.Millisecond}
	}
	for _, tt := range []struct {
		name     string
		messages [][]wire.Word
		want     int
	}{
		{"in order", [][]wire.Word{{at("a", 0, 10), at("b", 10, 20)}, {at("c", 20, 20)}}, 3},
		{"from each message's beginning", [][]wire.Word{{at("a", 0, 10), at("b", 10, 20)}, {at("c", 0, 10), at("d", 10, 30)}}, 2},
		{"an end before the start", [][]wire.Word{{at("a", 10, 5), at("b", 10, 20)}}, 0},
		{"before the beginning", [][]wire.Word{{at("a", -10, 5)}}, 0},
		{"no text", [][]wire.Word{{at("", 0, 5), at("b", 10, 20)}}, 1},
		{"long text", [][]wire.Word{{at(strings.Repeat("x", 201), 0, 5), at("b", 10, 20)}}, 1},
	} {
		var a answer
		for _, m := range tt.messages {
			a.time(m)
		}
		if len(a.words) != tt.want {
			t.Errorf("%s: %d words, want %d", tt.name, len(a.words), tt.want)
		}
	}
}

func TestOwnRate(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{Rate: 22050})
	s := reach(t, wire.Target{URL: "grpc://" + p.Address()})
	for range 2 {
		a, err := s.Speak(within(t), wire.Ask{Text: sentence, Voice: "English-US.Female-1", Language: "en"})
		if err != nil {
			t.Fatal(err)
		}
		a.Close()
		if a.Rate() != 22050 {
			t.Errorf("Rate() = %d, want that of the server's model, 22050", a.Rate())
		}
	}
	n := 0
	for _, r := range p.Settled(t) {
		if strings.HasSuffix(r.Path, "/GetRivaSynthesisConfig") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the models were asked for %d times, want once", n)
	}

	p.Break(t, remotetest.Fault{Trouble: rivatest.NoConfig})
	s = reach(t, wire.Target{URL: "grpc://" + p.Address()})
	a, err := s.Speak(within(t), wire.Ask{Text: sentence, Language: "en", Region: "GB"})
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	if a.Rate() != Kind.Rate {
		t.Errorf("Rate() = %d of a server that does not tell, want %d", a.Rate(), Kind.Rate)
	}
	if got := p.Last(t).Fields()["language_code"]; got != "en-GB" {
		t.Errorf("language %q where no model is known, want en-GB", got)
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{})
	wav := wavFile(22050)
	target := wire.Target{
		URL: "grpc://" + p.Address(), Key: "secret", Rate: 24000, Languages: map[lang.Code]string{"zh": "zh-TW"},
		Extra: map[string]any{
			"custom_dictionary":    "Vaak  v a k",
			"custom_configuration": map[string]any{"exaggeration_factor": 1.5, "steps": int64(3), "fast": true, "mode": "x"},
			"quality":              int64(30),
			"metadata":             map[string]any{"function-id": "0815"},
		},
	}
	s := reach(t, target)
	if _, err := speak(within(t), s, wire.Ask{Text: "你好 world", Voice: "v", Language: "zh", Region: "CN", Reference: &wire.Reference{Audio: wav, Text: "said"}}); err != nil {
		t.Fatal(err)
	}
	last := p.Last(t)
	want := map[string]any{
		"text": "你好 world", "language_code": "zh-TW", "encoding": "LINEAR_PCM", "sample_rate_hz": 24000.0, "voice_name": "v",
		"custom_dictionary":    "Vaak  v a k",
		"custom_configuration": map[string]any{"exaggeration_factor": "1.5", "steps": "3", "fast": "true", "mode": "x"},
		"zero_shot_data": map[string]any{
			"audio_prompt": base64.StdEncoding.EncodeToString(wav), "sample_rate_hz": 22050.0, "encoding": "LINEAR_PCM", "quality": 30.0,
		},
	}
	if diff := gocmp.Diff(want, last.Fields()); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	for key, value := range map[string]string{"authorization": "Bearer secret", "function-id": "0815"} {
		if got := last.Header[key]; len(got) != 1 || got[0] != value {
			t.Errorf("metadata %s = %q, want %q", key, got, value)
		}
	}

	// Defaults are left out.
	target.Key, target.Extra, target.Rate = "", nil, 8000
	s = reach(t, target)
	if _, err := speak(within(t), s, wire.Ask{Text: "hello", Language: "zh"}); err != nil {
		t.Fatal(err)
	}
	last = p.Last(t)
	want = map[string]any{"text": "hello", "language_code": "zh-TW", "encoding": "LINEAR_PCM", "sample_rate_hz": 8000.0}
	if diff := gocmp.Diff(want, last.Fields()); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	if got := last.Header["authorization"]; got != nil {
		t.Errorf("a key was sent that there is not: %q", got)
	}
}

// wavFile is a WAV file with a chunk before its format.
func wavFile(rate uint32) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVELIST\x03\x00\x00\x00abc\x00fmt \x10\x00\x00\x00\x01\x00\x01\x00")
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, 2*rate)
	b = append(b, 2, 0, 16, 0)
	return append(b, "data\x02\x00\x00\x00\x01\x02"...)
}

func TestChooseLanguage(t *testing.T) {
	t.Parallel()
	multi := Model{Languages: []string{"en-US", "es-US", "es-ES", "hi-IN"}, Voices: []string{"Multi.Leo"}, prefix: "Multi"}
	british := Model{Languages: []string{"en-GB"}, Voices: []string{"English-GB.Ann"}, prefix: "English-GB"}
	for _, tt := range []struct {
		name   string
		models []Model
		ask    wire.Ask
		want   string
	}{
		{"no models", nil, wire.Ask{Language: "en"}, "en-IN"},
		{"no models, a region", nil, wire.Ask{Language: "en", Region: "GB"}, "en-GB"},
		{"the only region there is", []Model{multi}, wire.Ask{Language: "en"}, "en-US"},
		{"the region that is asked for", []Model{multi, british}, wire.Ask{Language: "en", Region: "GB"}, "en-GB"},
		{"the voice counts more than the region", []Model{british, multi}, wire.Ask{Language: "en", Region: "GB", Voice: "Multi.Leo"}, "en-US"},
		{"a voice with an emotion", []Model{british, multi}, wire.Ask{Language: "en", Voice: "Multi.Leo.Happy"}, "en-US"},
		{"the usual region", []Model{multi}, wire.Ask{Language: "es"}, "es-ES"},
		{"another region of the language", []Model{multi}, wire.Ask{Language: "es", Region: "MX"}, "es-ES"},
		{"as the server writes it", []Model{{Languages: []string{"HI-in"}}}, wire.Ask{Language: "hi"}, "HI-in"},
		{"a language that there is not", []Model{multi}, wire.Ask{Language: "de"}, "de-DE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := chooseLanguage(tt.models, tt.ask); got != tt.want {
				t.Errorf("chooseLanguage = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{Rate: 44100, Voices: []string{"Magpie.Leo", "Solo"}})
	got, err := reach(t, target(p)).Models(within(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []Model{
		{Name: "model-Magpie", Languages: []string{"en-US"}, Voices: []string{"Magpie.Leo"}, Rate: 44100, prefix: "Magpie"},
		{Name: "model-Solo", Languages: []string{"en-US"}, Voices: []string{"Solo"}, Rate: 44100, prefix: "Solo"},
	}
	if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(Model{})); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
	for _, rate := range []string{"", "x", "-1", "7999", "1e9"} {
		if m := (modelConfig{parameters: map[string]string{"sample_rate": rate}}).read(); m.Rate != 0 {
			t.Errorf("rate %q was read as %d", rate, m.Rate)
		}
	}
}

func TestHealthy(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{})
	s := reach(t, target(p))
	for _, tt := range []struct {
		trouble remotetest.Trouble
		want    wire.Reason // "" is healthy
	}{
		{remotetest.None, ""},
		{remotetest.Sick, wire.Busy},
		{remotetest.Error, wire.Failed},
		{rivatest.NoHealth, ""},
		{rivatest.NoModels, wire.Failed},
	} {
		p.Break(t, remotetest.Fault{Trouble: tt.trouble})
		err := s.Healthy(within(t))
		if tt.want == "" && err != nil || tt.want != "" && reasonOf(err) != tt.want {
			t.Errorf("Healthy with %q: %v, want %q", tt.trouble, err, cmp.Or(tt.want, "healthy"))
		}
	}
	p.Break(t, remotetest.Fault{Trouble: remotetest.Hang})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	cause := errors.New("enough")
	asked := len(p.Requests(t))
	go func() {
		for len(p.Requests(t)) == asked { // until the call has arrived
		}
		cancel(cause)
	}()
	if err := s.Healthy(ctx); err != cause {
		t.Errorf("Healthy when its context ends: %v, want the cause", err)
	}
	p.Kill()
	if got := reasonOf(s.Healthy(within(t))); got != wire.Unreachable {
		t.Errorf("Healthy without a server: %s, want unreachable", got)
	}
	if got := reasonOf(s.Healthy(within(t))); got != wire.Unreachable {
		t.Errorf("Healthy again without a server: %s, want unreachable", got)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{})
	s := reach(t, target(p))
	for code, want := range map[codes.Code]wire.Reason{
		codes.Canceled:           wire.Broken,
		codes.Unknown:            wire.Failed,
		codes.InvalidArgument:    wire.Refused,
		codes.DeadlineExceeded:   wire.Late,
		codes.NotFound:           wire.Refused,
		codes.AlreadyExists:      wire.Failed,
		codes.PermissionDenied:   wire.Denied,
		codes.ResourceExhausted:  wire.Busy,
		codes.FailedPrecondition: wire.Failed,
		codes.Aborted:            wire.Failed,
		codes.OutOfRange:         wire.Refused,
		codes.Unimplemented:      wire.Broken,
		codes.Internal:           wire.Failed,
		codes.Unavailable:        wire.Busy,
		codes.DataLoss:           wire.Failed,
		codes.Unauthenticated:    wire.Denied,
		codes.Code(77):           wire.Failed,
	} {
		p.Break(t, rivatest.Status(code))
		_, err := speak(within(t), s, wire.Ask{Text: sentence, Language: "en"})
		if got := reasonOf(err); got != want {
			t.Errorf("%s is %s (%v), want %s", code, got, err, want)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{})
	s := reach(t, target(p))
	for _, tt := range []struct {
		name  string
		fault remotetest.Fault
		want  wire.Reason // "" is a whole answer
		words int         // that are whole
		after time.Duration
	}{
		{"none", remotetest.Fault{}, "", 9, 0},
		{"bytes of a sample in two messages", remotetest.Fault{Trouble: rivatest.Odd}, "", 9, 0},
		{"failed", remotetest.Fault{Trouble: remotetest.Error}, wire.Failed, 0, 0},
		{"failed in the middle", remotetest.Fault{Trouble: remotetest.ErrorEvent}, wire.Failed, 5, 0},
		{"reset in the middle", remotetest.Fault{Trouble: remotetest.Reset}, wire.Broken, -1, 0},
		{"empty", remotetest.Fault{Trouble: remotetest.Empty}, wire.Empty, 0, 0},
		{"half a sample", remotetest.Fault{Trouble: remotetest.HalfSample}, wire.Broken, 9, 0},
		{"busy", remotetest.Fault{Trouble: remotetest.Busy, RetryAfter: "7"}, wire.Busy, 0, 7 * time.Second},
		{"busy for years", remotetest.Fault{Trouble: remotetest.Busy, RetryAfter: "99999999999"}, wire.Busy, 0, time.Hour},
		{"overload", remotetest.Fault{Trouble: remotetest.Overload, RetryAfter: "2"}, wire.Busy, 0, 2 * time.Second},
		{"overload without a time", remotetest.Fault{Trouble: remotetest.Overload}, wire.Busy, 0, 0},
		{"denied", remotetest.Fault{Trouble: remotetest.Denied}, wire.Denied, 0, 0},
		{"refused", remotetest.Fault{Trouble: remotetest.Refused}, wire.Refused, 0, 0},
		{"garbage", remotetest.Fault{Trouble: remotetest.Garbage}, wire.Broken, 0, 0},
		{"a page", remotetest.Fault{Trouble: remotetest.Page}, wire.Broken, 0, 0},
		{"JSON", remotetest.Fault{Trouble: remotetest.JSON}, wire.Broken, 0, 0},
		{"a redirect", remotetest.Fault{Trouble: remotetest.Redirect, To: "http://127.0.0.1:1/"}, wire.Broken, 0, 0},
		{"long headers", remotetest.Fault{Trouble: remotetest.Long}, wire.Broken, 0, 0},
		{"a message over the limit", remotetest.Fault{Trouble: rivatest.Large}, wire.Broken, 0, 0},
		{"messages without audio", remotetest.Fault{Trouble: rivatest.Meta}, wire.Broken, 0, 0},
		{"none after all", remotetest.Fault{}, "", 9, 0},
	} {
		p.Break(t, tt.fault)
		pcm, err := speak(within(t), s, wire.Ask{Text: sentence, Language: "en"})
		f, _ := errors.AsType[*wire.Failure](err)
		switch {
		case tt.want == "" && err != nil, tt.want != "" && (f == nil || f.Reason != tt.want):
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		case f != nil && f.RetryAfter != tt.after:
			t.Errorf("%s: again after %s, want %s", tt.name, f.RetryAfter, tt.after)
		case f != nil && (len(f.Detail) > 200 || strings.Contains(f.Error(), "fox")):
			t.Errorf("%s: the detail is too long or has the text: %s", tt.name, f.Error())
		}
		all := remotetest.Split(sentence)
		if words := remotetest.Words(pcm, 16000, all); tt.words >= 0 && gocmp.Diff(all[:tt.words], append([]string{}, words...)) != "" {
			t.Errorf("%s: heard %q, want %d words", tt.name, words, tt.words)
		}
	}
	for _, r := range p.Settled(t) {
		if r.End == "" {
			t.Errorf("the server still speaks: %+v", r)
		}
	}
	if c, err := p.Count(); err != nil || c.Conns > 4 {
		t.Errorf("%d connections (%v), want 1, 1 more after the reset, and 2 more after the long headers", c.Conns, err)
	}
}

func TestHangBeforeSound(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{})
	p.Break(t, remotetest.Fault{Trouble: remotetest.Hang})
	s := reach(t, target(p))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	cause := errors.New("too late")
	done := make(chan error)
	go func() {
		_, err := s.Speak(ctx, wire.Ask{Text: sentence, Language: "en"})
		done <- err
	}()
	for len(p.Requests(t)) == 0 {
	}
	cancel(cause)
	if err := <-done; err != cause {
		t.Errorf("Speak: %v, want the cause", err)
	}
	if all := p.Settled(t); len(all) != 1 || all[0].End != "cancelled" {
		t.Errorf("the server saw %+v, want a cancelled request", all)
	}
}

func TestHangInTheMiddle(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{})
	p.Break(t, remotetest.Fault{Trouble: remotetest.HangMiddle})
	s := reach(t, target(p))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	a, err := s.Speak(ctx, wire.Ask{Text: sentence, Language: "en"})
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("too late")
	heard, whole := 0, 16000*remotetest.Duration("The quick brown fox jumps")/time.Second
	for pcm := make([]int16, 4000); ; {
		n, err := a.Read(pcm)
		if heard += n; heard >= int(whole)-100 {
			cancel(cause) // all that comes has come, so the next Read waits
		}
		if err == cause {
			break
		}
		if err != nil {
			t.Fatalf("Read: %v, want the cause", err)
		}
	}
	a.Close()
	if all := p.Settled(t); all[0].End != "cancelled" {
		t.Errorf("the server saw %+v, want a cancelled request", all)
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{})
	p.Break(t, remotetest.Fault{Trouble: remotetest.Hang})
	cause := errors.New("too late")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, cause)
	defer cancel()
	_, err := reach(t, target(p)).Speak(ctx, wire.Ask{Text: sentence, Language: "en"})
	if err != cause && reasonOf(err) != wire.Late { // the server knows the deadline, too
		t.Errorf("Speak: %v, want the cause", err)
	}
	p.Settled(t)
}

func TestCloseStopsTheServer(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{Speed: 1})
	s := reach(t, target(p))
	a, err := s.Speak(t.Context(), wire.Ask{Text: strings.Repeat(sentence+" ", 100), Language: "en"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read(make([]int16, 100)); err != nil {
		t.Fatal(err)
	}
	a.Close()
	a.Close()
	const little = 60 * 16000 // where the machine stands still, the server has more to say when it goes on
	if all := p.Settled(t); all[0].End != "cancelled" || all[0].Samples > little {
		t.Errorf("the server saw %+v, want a request cancelled long before its end", all)
	}
}

func TestUnreachableAndBack(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{})
	s := reach(t, target(p))
	ask := wire.Ask{Text: sentence, Language: "en"}
	if _, err := speak(within(t), s, ask); err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if _, err := speak(within(t), s, ask); reasonOf(err) != wire.Unreachable {
		t.Errorf("Speak to a killed server: %v, want unreachable", err)
	}
	if _, err := speak(within(t), s, ask); reasonOf(err) != wire.Unreachable {
		t.Errorf("Speak again to a killed server: %v, want unreachable", err)
	}
	if err := p.Restart(); err != nil {
		t.Fatal(err)
	}
	if _, err := speak(within(t), s, ask); err != nil {
		t.Errorf("Speak after the server is back: %v", err)
	}
}

func TestKilledInTheMiddle(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{Speed: 1})
	a, err := reach(t, target(p)).Speak(within(t), wire.Ask{Text: strings.Repeat(sentence, 10), Language: "en"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read(make([]int16, 100)); err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if _, err := read(a); reasonOf(err) != wire.Broken {
		t.Errorf("Read from a killed server: %v, want broken", err)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	p := start(t, remotetest.Options{TLS: true, Names: []string{"tts.example"}})
	ask := wire.Ask{Text: sentence, Language: "en"}
	good := target(p)
	good.URL, good.TLS = "grpcs://"+p.Address(), &tls.Config{RootCAs: p.CA()}
	named := good
	named.Host = "tts.example:443"
	other := good
	other.Host = "other.example"
	foreign := good
	foreign.TLS = nil
	plain := good
	plain.URL, plain.TLS = "grpc://"+p.Address(), nil
	for _, tt := range []struct {
		name   string
		target wire.Target
		want   wire.Reason
	}{
		{"by address", good, ""},
		{"by name", named, ""},
		{"another name", other, wire.Unreachable},
		{"another authority", foreign, wire.Unreachable},
		{"no TLS", plain, wire.Unreachable},
	} {
		_, err := speak(within(t), reach(t, tt.target), ask)
		if tt.want == "" && err != nil || tt.want != "" && reasonOf(err) != tt.want {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	p.Break(t, remotetest.Fault{Trouble: remotetest.Impostor})
	if _, err := speak(within(t), reach(t, good), ask); reasonOf(err) != wire.Unreachable {
		t.Errorf("an impostor: %v, want unreachable", err)
	}
}

func TestDialErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []wire.Target{
		{URL: ""},
		{URL: "http://127.0.0.1:50051"},
		{URL: "grpc://"},
		{URL: "grpc://:50051"},
		{URL: "grpc://a:50051/path"},
		{URL: "grpc://user@a:50051"},
		{URL: "grpc://a:b"},
		{URL: "127.0.0.1:50051"},
		{URL: "grpc://a", Extra: map[string]any{"tone": "x"}},
		{URL: "grpc://a", Extra: map[string]any{"custom_dictionary": 1}},
		{URL: "grpc://a", Extra: map[string]any{"quality": 41}},
		{URL: "grpc://a", Extra: map[string]any{"quality": 2.5}},
		{URL: "grpc://a", Extra: map[string]any{"custom_configuration": "x"}},
		{URL: "grpc://a", Extra: map[string]any{"custom_configuration": map[string]any{"a": []any{}}}},
		{URL: "grpc://a", Extra: map[string]any{"metadata": map[string]any{"authorization": "x"}}},
		{URL: "grpc://a", Extra: map[string]any{"metadata": map[string]any{"grpc-timeout": "x"}}},
		{URL: "grpc://a", Extra: map[string]any{"metadata": map[string]any{"A": "x"}}},
		{URL: "grpc://a", Extra: map[string]any{"metadata": map[string]any{"a": "x\n"}}},
		{URL: "grpc://a", Extra: map[string]any{"metadata": map[string]any{"a": 1}}},
	} {
		if s, err := Kind.Dial(tt); err == nil || s != nil {
			t.Errorf("Dial(%q, %v) = %v, %v, want an error", tt.URL, tt.Extra, s, err)
		}
	}
	for _, url := range []string{"grpc://a", "grpcs://[::1]:50051", "grpc://a.example:1"} {
		s, err := Kind.Dial(wire.Target{URL: url})
		if err != nil {
			t.Errorf("Dial(%q): %v", url, err)
			continue
		}
		s.Close()
	}
}

func TestDetail(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ said, text, want string }{
		{"CUDA error: out of memory", sentence, "Unknown: CUDA error: out of memory"},
		{"cannot speak 'THE QUICK brown fox jumps'", sentence, "Unknown: cannot speak ..."},
		{"unknown word: fox.", sentence, "Unknown: unknown word: ..."},
		{"bad input: नमस्ते दुनिया", "नमस्ते", "Unknown: bad input: ..."},
		{`bad input: \u0928`, "नमस्ते", "Unknown: bad input: ..."},
		{"", sentence, "Unknown"},
		{strings.Repeat("word ", 100), sentence, "Unknown:" + strings.Repeat(" word", 32)},
	} {
		if got := detail(status.New(codes.Unknown, tt.said), tt.text); got != tt.want {
			t.Errorf("detail(%q, %q) = %q, want %q", tt.said, tt.text, got, tt.want)
		}
	}
}
