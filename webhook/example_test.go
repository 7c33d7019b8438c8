package webhook

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vaak/internal/needed"
)

// TestLengthyExamples runs the receivers of docs/webhooks.md, each with a request that is right, with
// one after a rotation, and with some that are not.
func TestLengthyExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("three programs, of which one is compiled")
	}
	t.Parallel()
	const dir = "../docs/examples/webhooks"
	for _, name := range []string{"python3", "node", "go"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := needed.Program(t, name)
			args := map[string][]string{"python3": {"receive.py"}, "node": {"receive.mjs"}}[name]
			if name == "go" { // go run would leave its child behind
				program = filepath.Join(t.TempDir(), "receive")
				build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "receive.go")
				build.Dir = dir
				if out, err := build.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			secret := NewSecret()
			cmd := exec.CommandContext(t.Context(), program, args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "WEBHOOK_SECRET="+secret.String(), "PORT=0")
			cmd.Stderr = t.Output()
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait() // it was killed
			}()
			lines := bufio.NewReader(out)
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			address := strings.TrimSpace(line)
			e := NewEvent(Test, Operator, "s", time.Now(), TestData{Endpoint: "whe_ä"})
			now := time.Now()
			for _, tt := range []struct {
				name      string
				body      string
				at        time.Time
				signature string
				want      int
			}{
				{"signed", e.Body, now, Sign(e.ID, now, e.Body, secret), 204},
				{"rotated", e.Body, now, Sign(e.ID, now, e.Body, NewSecret(), secret), 204},
				{"another secret", e.Body, now, Sign(e.ID, now, e.Body, NewSecret()), 401},
				{"changed", e.Body + " ", now, Sign(e.ID, now, e.Body, secret), 401},
				{"old", e.Body, now.Add(-time.Hour), Sign(e.ID, now.Add(-time.Hour), e.Body, secret), 401},
				{"unsigned", e.Body, now, "", 401},
			} {
				r, err := http.NewRequestWithContext(t.Context(), "POST", address, strings.NewReader(tt.body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set(HeaderID, e.ID)
				r.Header.Set(HeaderTimestamp, Timestamp(tt.at))
				r.Header.Set(HeaderSignature, tt.signature)
				res, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				_ = res.Body.Close()
				if res.StatusCode != tt.want {
					t.Errorf("%s: status %d, want %d", tt.name, res.StatusCode, tt.want)
				}
				if tt.want != 204 {
					continue
				}
				if said, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(said, e.ID+" webhook.test ") {
					t.Errorf("%s: the receiver prints %q, %v", tt.name, said, err)
				}
			}
		})
	}
}
