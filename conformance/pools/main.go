// Command pools starts a model server for tests of each kind that Vaak can ask, and writes the
// settings of a pool for each, named as its kind, with one voice. It prints the address of its
// record, which has at /voices the id of each voice by kind, and at /requests/KIND what the server
// was asked for. It stays until its standard input is closed.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"vaak/engine/remote"
	"vaak/engine/remote/remotetest"
	"vaak/engine/remote/riva/rivatest"
	"vaak/voice"
)

func main() {
	rivatest.Register()
	remotetest.Main() // where this program was started as a server
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pools FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "pools:", err)
		os.Exit(1)
	}
}

func run(path string) error {
	servers, voices := map[string]*remotetest.Server{}, map[string]voice.ID{}
	var file strings.Builder
	for _, kind := range remote.Kinds {
		o := remotetest.Options{Kind: kind.Name, Rate: kind.Rate}
		s, err := remotetest.Run(o)
		if err != nil {
			return err
		}
		defer s.Kill()
		url := s.URL
		if kind.Name == rivatest.Kind {
			url = rivatest.URL(s, o)
		}
		servers[kind.Name], voices[kind.Name] = s, voice.IDOf("remote/"+kind.Name)
		fmt.Fprintf(&file, "[pools.%s]\nkind = %q\nmodel = \"some-model\"\nmembers = [{ url = %q }]\n", kind.Name, kind.Name, url)
		fmt.Fprintf(&file, "[voices.%s]\nid = %q\nname = %q\nnative = \"en-US\"\npool = %q\nvoice = %q\n", kind.Name, voices[kind.Name], "Voice of "+kind.Name, kind.Name, voiceOf(kind.Name))
	}
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	go func() { _ = http.Serve(l, record(servers, voices)) }() // until the process ends
	fmt.Printf("http://%s\n", l.Addr())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// voiceOf returns the name of a voice as a server has it.
func voiceOf(kind string) string {
	if kind == rivatest.Kind {
		return "English-US.Female-1"
	}
	return "vivian"
}

// record answers what the servers were asked for.
func record(servers map[string]*remotetest.Server, voices map[string]voice.ID) http.Handler {
	answer := func(w http.ResponseWriter, x any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(x) // the test sees what is missing
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /voices", func(w http.ResponseWriter, _ *http.Request) { answer(w, voices) })
	mux.HandleFunc("GET /requests/{kind}", func(w http.ResponseWriter, r *http.Request) {
		s := servers[r.PathValue("kind")]
		if s == nil {
			http.NotFound(w, r)
			return
		}
		answer(w, s.Requests(noTest{}))
	})
	return mux
}

// noTest stands for the test that servers report their failures to.
type noTest struct{ testing.TB }

// Helper does nothing.
func (noTest) Helper() {}

// Fatal ends the request.
func (noTest) Fatal(args ...any) {
	fmt.Fprintln(os.Stderr, append([]any{"pools:"}, args...)...)
	panic(http.ErrAbortHandler)
}
