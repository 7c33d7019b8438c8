// Package conformance drives the service with the official OpenAI SDK for Go. It is
// a module of its own, so that the service does not depend on its clients.
//
// VAAK_BASE_URL and the keys say where the server is and who calls; ../run sets them.
package conformance

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

const client = "github.com/openai/openai-go/v3"

// shows runs a test of a method of the client and leaves a line in the file that
// VAAK_RESULTS names, for docs/conformance.md.
func shows(t *testing.T, method, what string, test func(t *testing.T)) {
	t.Helper()
	ok := t.Run(what, test)
	path := os.Getenv("VAAK_RESULTS")
	if path == "" {
		return
	}
	line, err := json.Marshal(map[string]any{
		"client": client, "language": "Go", "version": version(t), "method": method, "shows": what, "ok": ok,
	})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}

// required finds the client in go.mod: a test does not know the modules it was built of.
var required = regexp.MustCompile(`(?m)^require ` + regexp.QuoteMeta(client) + ` (\S+)$`)

// version returns the version of the client that go.mod asks for.
func version(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := required.FindSubmatch(text)
	if found == nil {
		t.Fatalf("go.mod requires no %s", client)
	}
	return strings.TrimPrefix(string(found[1]), "v")
}
