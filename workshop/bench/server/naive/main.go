// Command naive is the shortest correct speech server: it runs espeak-ng once
// a request and streams what that writes. The benchmark compares with it.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os/exec"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /speech", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "audio/wav")
		cmd := exec.CommandContext(r.Context(), "espeak-ng", "--stdin", "--stdout", "-v", r.URL.Query().Get("voice"))
		cmd.Stdin, cmd.Stdout = r.Body, w
		if err := cmd.Run(); err != nil {
			panic(http.ErrAbortHandler) // the client sees a response that breaks off
		}
	})
	fmt.Printf("ready public=http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
