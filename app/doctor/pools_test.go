package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vaak/engine/remote/remotetest"
	"vaak/internal/checkup"
	"vaak/internal/needed"
)

// TestMain lets the test binary stand in for model servers.
func TestMain(m *testing.M) {
	remotetest.Main()
	os.Exit(m.Run())
}

// checkPools checks a file of pools.
func checkPools(t *testing.T, file string) checkup.Finding {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pools.toml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	p := New(Config{})
	p.Engine.Pools = path
	return p.pools(t.Context())
}

// poolFile writes a pool of OpenAI's kind with some members, and a voice on it.
func poolFile(more string, members ...string) string {
	for i, m := range members {
		members[i] = fmt.Sprintf("{ url = %q }", m)
	}
	return fmt.Sprintf("[pools.gpu]\nkind = \"kokoro-fastapi\"\n%s\nmembers = [%s]\n[voices.anna]\npool = \"gpu\"\nvoice = \"af_heart\"\n", more, strings.Join(members, ", "))
}

func TestPoolsThatSpeak(t *testing.T) {
	t.Parallel()
	a := remotetest.Start(t, remotetest.Options{Kind: "kokoro-fastapi"})
	b := remotetest.Start(t, remotetest.Options{Kind: "kokoro-fastapi", First: 30 * time.Millisecond})
	f := checkPools(t, poolFile("", a.URL, b.URL))
	want := regexp.MustCompile(`^pools 1, members 2, voices 1; gpu \(kokoro-fastapi\): first audio of http://\S+ after [0-9]+ ms, http://\S+ after [0-9]+ ms$`)
	if f.State != checkup.OK || !want.MatchString(f.Found) || f.Remedy != "" {
		t.Errorf("the finding is %+v, want one that matches %s", f, want)
	}
	if ms := f.Figures["gpu "+b.URL+" first_audio_ms"]; ms < 30 || f.Figures["gpu members_speaking"] != 2 || f.Figures["voices"] != 1 {
		t.Errorf("the figures are %v", f.Figures)
	}
	if got := a.Last(t); got.Voice != "af_heart" || got.Text == "" {
		t.Errorf("the member was asked %+v", got)
	}
}

func TestPoolsThatDoNotSpeak(t *testing.T) {
	t.Parallel()
	const kind = "kokoro-fastapi"
	for _, tt := range []struct {
		fault         remotetest.Trouble
		state         checkup.State
		found, remedy string
	}{
		{remotetest.Denied, checkup.Failure, "denied", "key_file"},
		{remotetest.Refused, checkup.Failure, "refused", "model, voice"},
		{remotetest.Busy, checkup.Warning, "busy", "streams"},
		{remotetest.Error, checkup.Failure, "failed", "log of that server"},
		{remotetest.Page, checkup.Failure, "broken|failed", ""},
		{remotetest.Empty, checkup.Failure, "empty", "without sound"},
	} {
		t.Run(string(tt.fault), func(t *testing.T) {
			t.Parallel()
			s := remotetest.Start(t, remotetest.Options{Kind: kind, Fault: remotetest.Fault{Trouble: tt.fault}})
			f := checkPools(t, poolFile("", s.URL))
			if f.State != tt.state || !regexp.MustCompile(tt.found).MatchString(f.Found) || !strings.Contains(f.Found, s.URL) {
				t.Errorf("the finding is %+v, want %s that tells of %s", f, tt.state, tt.found)
			}
			if !strings.Contains(f.Remedy, tt.remedy) || !strings.HasSuffix(f.Remedy, ".") {
				t.Errorf("the remedy is %q, want one with %q", f.Remedy, tt.remedy)
			}
			if n, asked := f.Figures["gpu members_speaking"]; !asked || n != 0 {
				t.Errorf("the figures are %v", f.Figures)
			}
		})
	}
}

func TestPoolsThatSpeakInPart(t *testing.T) {
	t.Parallel()
	s := remotetest.Start(t, remotetest.Options{Kind: "kokoro-fastapi"})
	gone := "http://" + needed.Address(t)
	f := checkPools(t, poolFile("", s.URL, gone))
	if f.State != checkup.Warning || !strings.Contains(f.Found, gone+" does not speak: unreachable: ") || !strings.Contains(f.Found, "first audio of "+s.URL) {
		t.Errorf("the finding is %+v, want a warning that tells of both members", f)
	}
	if !strings.Contains(f.Remedy, "ca_file") {
		t.Errorf("the remedy is %q", f.Remedy)
	}
	if f = checkPools(t, poolFile("", gone)); f.State != checkup.Failure || !strings.Contains(f.Found, "no member that speaks") {
		t.Errorf("without the one that speaks: %+v, want a failure", f)
	}
}

func TestPoolsOfAnotherRate(t *testing.T) {
	t.Parallel()
	s := remotetest.Start(t, remotetest.Options{Kind: "fish", Rate: 16000})
	f := checkPools(t, strings.Replace(poolFile("", s.URL), "kokoro-fastapi", "fish", 1))
	if f.State != checkup.Failure || !strings.Contains(f.Found, "wrong_rate") || !strings.Contains(f.Found, "16000") || !strings.Contains(f.Remedy, "Set rate") {
		t.Errorf("the finding is %+v, want the other rate", f)
	}
}

func TestPoolFiles(t *testing.T) {
	t.Parallel()
	gone := "http://" + needed.Address(t)
	for _, tt := range []struct {
		name, file string
		state      checkup.State
		found      string
	}{
		{"none", "", checkup.Warning, "has no pools"},
		{"no TOML", "[pools", checkup.Failure, "read .*pools.toml"},
		{"several faults", poolFile("rate = 1\nkinds = 2", gone), checkup.Failure, "unknown setting pools.gpu.kinds; .*rate 1 is outside"},
		{"no key", poolFile("key_file = \"none\"", gone), checkup.Failure, "key_file: .*no such file"},
		{"no authorities", poolFile("ca_file = \"none\"", gone), checkup.Failure, "ca_file"},
		{"a fallback that is none", poolFile("", gone) + "fallback = [{ id = \"sv_aaaaaaaaaaaaaaaa\" }]\n", checkup.Failure, "does not speak"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := checkPools(t, tt.file)
			if f.State != tt.state || !regexp.MustCompile(tt.found).MatchString(f.Found) || !strings.HasSuffix(f.Remedy, ".") {
				t.Errorf("the finding is %+v, want %s that matches %q", f, tt.state, tt.found)
			}
		})
	}
	if f := New(Config{}).pools(t.Context()); f.State != checkup.OK {
		t.Errorf("without a file: %+v", f)
	}
}

func TestPoolFallbackThatIsMissing(t *testing.T) {
	t.Parallel()
	s := remotetest.Start(t, remotetest.Options{Kind: "kokoro-fastapi"})
	f := checkPools(t, poolFile("", s.URL)+"fallback = [{ id = \"sv_aaaaaaaaaaaaaaaa\" }]\n")
	if f.State != checkup.Warning || !strings.Contains(f.Found, "voice anna names the fallback sv_aaaaaaaaaaaaaaaa") {
		t.Errorf("the finding is %+v, want a warning of the fallback", f)
	}
}
