package smtp

import (
	"context"
	"crypto/tls"
	"strings"
	"testing"
	"time"
)

// TestProbe signs in and says goodbye, and begins no mail.
func TestProbe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		script script
		want   string // of the error; "" is none
	}{
		{"good", script{}, ""},
		{"turned away", script{"banner": "554 5.7.1 not you, hunter2"}, "the connection was answered with 554"},
		{"wrong password", script{"AUTH": "535 5.7.8 hunter2 is wrong"}, "signing in was answered with 535 5.7.8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			addr, told := play(t, tt.script)
			r := relay(t, Config{URL: "smtp://vaak:hunter2@" + addr, AllowPlaintext: true, Timeout: patience})
			err := r.Probe(t.Context())
			if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("Probe = %v, want %q", err, tt.want)
			}
			if all := told.all(); strings.Contains(all, "MAIL") || strings.Contains(all, "RCPT") {
				t.Errorf("a mail was begun: %s", all)
			}
			if all := told.all(); tt.want == "" && (!strings.Contains(all, "AUTH") || !strings.HasSuffix(all, "QUIT")) {
				t.Errorf("the server was told %q, want AUTH and at last QUIT", all)
			}
		})
	}
}

func TestProbeOverTLS(t *testing.T) {
	t.Parallel()
	ca := trusted(t)
	o := &office{}
	addr := o.open(t, &tls.Config{Certificates: []tls.Certificate{ca.leaf}})
	if err := relay(t, Config{URL: "smtp://" + addr, Roots: ca.roots, Timeout: patience}).Probe(t.Context()); err != nil {
		t.Errorf("Probe = %v", err)
	}
	if err := relay(t, Config{URL: "smtp://" + addr, Timeout: patience}).Probe(t.Context()); err == nil || !strings.Contains(err.Error(), "not trusted") {
		t.Errorf("Probe without the authority = %v", err)
	}
	if n := len(o.taken()); n > 0 {
		t.Errorf("%d mails were taken", n)
	}
}

// TestProbeEnds has a server that says nothing.
func TestProbeEnds(t *testing.T) {
	t.Parallel()
	addr, _ := play(t, script{"banner": hang})
	r := relay(t, Config{URL: "smtp://" + addr, AllowPlaintext: true, Timeout: 50 * time.Millisecond})
	if err := r.Probe(t.Context()); err == nil {
		t.Error("Probe of a mute server succeeds")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := plain(t, addr).Probe(ctx); err == nil {
		t.Error("Probe with a context that has ended succeeds")
	}
}
