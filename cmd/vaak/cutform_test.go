package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestFormThatEndsEarly sends forms to the console and the site that are cut off, or no
// forms at all, as the bytes of a connection: who sent them is told so, and neither the
// log nor the figures take it for a fault of the server.
func TestFormThatEndsEarly(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*net.TCPConn) error{
		"half of the connection is shut": (*net.TCPConn).CloseWrite,
		"the connection is shut":         (*net.TCPConn).Close,
		"the connection is reset":        reset,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startCatalogue(t, "", "--console-listen", "127.0.0.1:0")
			at, public := strings.TrimPrefix(s.console, "http://"), strings.TrimPrefix(s.public, "http://")
			sent := 0
			for _, path := range []string{at + "/setup", at + "/signin", at + "/signin/code", at + "/invitation/none", public + "/enquiry", public + "/enquiry/confirm/none"} {
				for _, form := range cutForms {
					sent++
					answer := cutOff(t, path, form, cut)
					if answer != nil && (answer.StatusCode < 300 || answer.StatusCode >= 499) {
						t.Errorf("POST %s of %+v = %d, want a refusal", path, form, answer.StatusCode)
					}
				}
			}
			soon(t, "all of them are in the log", func() bool { return strings.Count(s.log.String(), `"method":"POST"`) == sent })
			if _, figures := s.get("/metrics"); strings.Contains(figures, `status="5`) {
				t.Errorf("the figures have a 5xx:\n%s", linesWith(figures, `status="5`))
			}
			s.stop()
			noFaults(t, s)
		})
	}
}

// cutForm is a type and a body, of which so many bytes more are announced.
type cutForm struct {
	kind, body string
	more       int
}

var cutForms = []cutForm{
	{"application/x-www-form-urlencoded", "", 50},
	{"application/x-www-form-urlencoded", "email=a%40example.org&passw", 50},
	{"application/x-www-form-urlencoded", "email=%zz&password=%", 0},
	{"application/x-www-form-urlencoded", "a=1;b=2", 0},
	{"application/x-www-form-urlencoded", "email=%ff&password=%00", 0},
	{"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\na", 50},
	{"multipart/form-data; boundary=x", "--y\r\n\r\n", 0},
	{"multipart/form-data", "--x--", 0},
	{"multipart/form-data; boundary=\"", "--x--", 0},
	{"application/json", "{", 50},
	{"nonsense/;;", "x", 0},
	{"", "email=a", 50},
}

// cutOff sends a form to an address and ends the connection where the body ends. The
// answer is nil where none can come, and its body is read.
func cutOff(t *testing.T, address string, form cutForm, cut func(*net.TCPConn) error) *http.Response {
	t.Helper()
	at, path, _ := strings.Cut(address, "/")
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = fmt.Fprintf(c, "POST /%s HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", path, at, at, form.kind, len(form.body)+form.more, form.body)
	if err != nil {
		t.Fatal(err)
	}
	if err := cut(c.(*net.TCPConn)); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return nil
	}
	_, _ = io.Copy(io.Discard, answer.Body) // it may be cut off, too
	return answer
}

// reset ends a connection without a word.
func reset(c *net.TCPConn) error {
	if err := c.SetLinger(0); err != nil {
		return err
	}
	return c.Close()
}

func linesWith(text, part string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			b.WriteString(line)
		}
	}
	return b.String()
}
