// Package riva asks servers of NVIDIA Riva, and the speech NIMs made from it, over gRPC.
//
// A sentence is one call of nvidia.riva.tts.RivaSpeechSynthesis/SynthesizeOnline. The messages of
// the protocol are encoded and decoded by hand: there are few, and a message of audio is then
// copied once.
//
// What the protocol cannot do:
//   - The answer does not tell its sample rate. The server is always told which one to make, so
//     that is the rate of the answer.
//   - Times of words are told by few models, and by servers of 2026 and later. The durations of
//     tokens, which others tell, are not read: neither their unit nor how tokens and words belong
//     together is documented, and NVIDIA calls them experimental.
//   - The server rewrites numbers and signs in any case: [wire.Target.Normalize] has no effect.
//   - What a reference says is not sent: Riva takes it only for answers that are not streamed.
package riva

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"vaak/engine/remote/wire"
	"vaak/lang"
)

// Kind is a server of Riva. URLs of targets are grpc://host:port, or grpcs://host:port with TLS;
// without a port it is 50051. [wire.Target.Model] only chooses what is listed.
//
// The fields in [wire.Target.Extra] are:
//   - custom_dictionary, a string, as the server documents it;
//   - custom_configuration, a table of strings, numbers and booleans;
//   - quality, an integer of 1 to 40, for voices made from a reference;
//   - metadata, a table of strings that are sent with each call, such as the function-id of a
//     hosted service.
var Kind = wire.Kind{
	Name:      "riva",
	Rate:      usualRate,
	Times:     true,
	Reference: true,
	Dial: func(t wire.Target) (wire.Server, error) {
		s, err := Dial(t)
		if err != nil {
			return nil, err
		}
		return s, nil
	},
}

const (
	usualRate   = 44100 // Hz; that of the FastPitch and HiFi-GAN voices
	defaultPort = "50051"

	synthesize = "/nvidia.riva.tts.RivaSpeechSynthesis/SynthesizeOnline"
	configure  = "/nvidia.riva.tts.RivaSpeechSynthesis/GetRivaSynthesisConfig"
)

const (
	// maxMessage is the largest message that is read, in bytes: 87 s of audio at 48 kHz. Servers
	// send some hundred milliseconds in each.
	maxMessage = 8 << 20
	// maxHeaders is the largest list of headers that is read, in bytes.
	maxHeaders = 64 << 10
	// window is how many bytes of an answer a server may send ahead of what is read: 0.7 s at
	// 48 kHz. It does not grow, so that an answer that nobody reads stops its server.
	window = 64 << 10
	// connectionWindow is that of all answers together. It is given back when bytes arrive, not
	// when they are read, so that answers do not block each other.
	connectionWindow = 1 << 20

	connectTimeout = 5 * time.Second
	// A peer that was silent for pingAfter while it speaks for somebody is asked for a sign of
	// life, and is taken for dead if none comes in pingTimeout. Servers tolerate few pings in
	// five minutes, unless they send something in between.
	pingAfter   = 20 * time.Second
	pingTimeout = 5 * time.Second
)

// Server is one server. Its calls share a connection, which is made when it is needed.
type Server struct {
	target wire.Target
	extra  extra

	connect func() (*grpc.ClientConn, error)
	models  atomic.Pointer[[]Model] // nil when they must be asked for

	mu      sync.Mutex
	current *link              // of the next call, nil when there is none
	links   map[*link]struct{} // that are not closed
	closed  bool
}

// Dial returns the server of a target, without asking it anything. The error says what is wrong
// with the target.
func Dial(t wire.Target) (*Server, error) {
	return dial(t, grpc.WithContextDialer((func(ctx context.Context, address string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", address)
	})))
}

func dial(t wire.Target, dialer grpc.DialOption) (*Server, error) {
	u, err := url.Parse(t.URL)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", t.URL, err)
	}
	switch {
	case u.Scheme != "grpc" && u.Scheme != "grpcs", u.Hostname() == "", u.Path != "", u.RawQuery != "", u.User != nil:
		return nil, fmt.Errorf("address %q is none of grpc://host:port, grpcs://host:port", t.URL)
	case u.Scheme == "grpc" && t.TLS != nil && t.TLS.RootCAs != nil:
		return nil, fmt.Errorf("address %q has certificates and no TLS: write grpcs://", t.URL)
	}
	port := u.Port()
	if port == "" {
		port = defaultPort
	}
	x, err := readExtra(t.Extra)
	if err != nil {
		return nil, err
	}
	secure := insecure.NewCredentials()
	if u.Scheme == "grpcs" {
		settings := &tls.Config{}
		if t.TLS != nil {
			settings = t.TLS.Clone()
		}
		if t.Host != "" {
			settings.ServerName = "" // taken from the authority
		}
		secure = credentials.NewTLS(settings)
	}
	options := []grpc.DialOption{
		dialer,
		grpc.WithTransportCredentials(secure),
		grpc.WithUserAgent("vaak"),
		grpc.WithStatsHandler(watcher{}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)),
		grpc.WithMaxHeaderListSize(maxHeaders),
		grpc.WithStaticStreamWindowSize(window),
		grpc.WithStaticConnWindowSize(connectionWindow),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingAfter, Timeout: pingTimeout}),
		// The pause also counts as time to connect in, so it is not longer.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: connectTimeout, Multiplier: 1, MaxDelay: connectTimeout},
			MinConnectTimeout: connectTimeout,
		}),
	}
	if t.Host != "" {
		options = append(options, grpc.WithAuthority(t.Host))
	}
	s := &Server{target: t, extra: x, links: map[*link]struct{}{}}
	s.connect = func() (*grpc.ClientConn, error) {
		// The dialer looks the name up, at each connection anew.
		return grpc.NewClient("passthrough:///"+net.JoinHostPort(u.Hostname(), port), options...)
	}
	return s, nil
}

// Speak implements [wire.Server]. The first call may ask for the server's models before.
func (s *Server) Speak(ctx context.Context, ask wire.Ask) (wire.Answer, error) {
	language, rate := s.target.Languages[ask.Language], s.target.Rate
	if language == "" || rate == 0 {
		models, err := s.known(ctx)
		if err != nil {
			return nil, err
		}
		if language == "" {
			language = chooseLanguage(models, ask)
		}
		if rate == 0 {
			rate = chooseRate(models, ask.Voice)
		}
	}
	r := &request{
		text:          ask.Text,
		language:      language,
		rate:          rate,
		voice:         ask.Voice,
		dictionary:    s.extra.dictionary,
		configuration: s.extra.configuration,
		times:         ask.Times,
	}
	if ask.Reference != nil {
		r.reference = ask.Reference.Audio
		r.referenceRate = wavRate(ask.Reference.Audio)
		r.quality = s.extra.quality
	}
	a, err := s.open(ctx, r)
	if f, ok := errors.AsType[*wire.Failure](err); ok && f.Reason == wire.Refused {
		s.models.Store(nil) // the server may have other models by now
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Healthy implements [wire.Server]. It asks the standard health service, and where a server has
// none, for its models.
func (s *Server) Healthy(ctx context.Context) error {
	listed := false
	err := s.call(ctx, false, func(call context.Context, l *link, p *progress) error {
		// The service is asked for by the empty name, which means the server as a whole.
		r, err := grpc_health_v1.NewHealthClient(l.conn).Check(call, &grpc_health_v1.HealthCheckRequest{})
		switch code := status.Code(err); {
		case code == codes.Unimplemented, code == codes.NotFound:
			return nil
		case err != nil:
			return failure(ctx, err, p, "", false)
		case r.Status != grpc_health_v1.HealthCheckResponse_SERVING:
			return &wire.Failure{Reason: wire.Busy, Detail: "the health service says " + r.Status.String()}
		}
		listed = true
		return nil
	})
	if err != nil || listed {
		return err
	}
	models, err := s.Models(ctx)
	if err != nil {
		return err
	}
	if len(models) == 0 {
		return &wire.Failure{Reason: wire.Failed, Detail: "the server lists no model"}
	}
	return nil
}

// chooseLanguage returns the BCP 47 tag that a server knows for the language of ask. A server that
// has the language in other regions only gets one of those; one whose models are not known gets
// the tag that was asked for.
func chooseLanguage(models []Model, ask wire.Ask) string {
	usual := string(ask.Language)
	if l, ok := lang.Lookup(ask.Language); ok {
		usual = l.BCP47
	}
	wanted := usual
	if ask.Region != "" {
		wanted = string(ask.Language) + "-" + ask.Region
	}
	best, rank := wanted, 0
	consider := func(tag string, weight int) {
		base, _, _ := strings.Cut(tag, "-")
		switch {
		case strings.EqualFold(tag, wanted):
			weight += 3
		case strings.EqualFold(tag, usual):
			weight += 2
		case strings.EqualFold(base, string(ask.Language)):
			weight++
		default:
			return
		}
		if weight > rank {
			best, rank = tag, weight
		}
	}
	for _, m := range models {
		weight := 0
		if ask.Voice != "" && m.has(ask.Voice) {
			weight = 10 // the voice's own model counts more than any other's
		}
		for _, tag := range m.Languages {
			consider(tag, weight)
		}
	}
	return best
}

// chooseRate returns the rate of the model that has the voice, in Hz.
func chooseRate(models []Model, voice string) int {
	for _, m := range models {
		if m.Rate > 0 && m.has(voice) {
			return m.Rate
		}
	}
	return usualRate
}
