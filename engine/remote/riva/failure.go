package riva

import (
	"context"
	"math"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"vaak/engine/remote/wire"
)

// failure returns what the end of a call means: the cause of ctx, or a *[wire.Failure]. text is
// what was to be spoken, and began says that a part of it was.
func failure(ctx context.Context, err error, p *progress, text string, began bool) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s := status.Convert(err)
	p.lost = s.Code() == codes.Unavailable && p.sent.Load() && !p.heard.Load()
	return &wire.Failure{
		Reason:     reason(s, p.sent.Load(), p.told.Load(), began),
		RetryAfter: retryAfter(s),
		Detail:     detail(s, text),
	}
}

func reason(s *status.Status, sent, told, began bool) wire.Reason {
	code := s.Code()
	if code == codes.ResourceExhausted && strings.Contains(s.Message(), "larger than max") {
		// gRPC has no other code for a message over the limit. "grpc: " is written by the Go
		// library here; servers of Riva are in C++ and write "Received message larger than max".
		if strings.HasPrefix(s.Message(), "grpc: ") {
			return wire.Broken
		}
		return wire.Refused
	}
	if began && !told {
		return wire.Broken // the connection, or the server reset the stream
	}
	switch code {
	case codes.InvalidArgument, codes.NotFound, codes.OutOfRange:
		return wire.Refused
	case codes.Unauthenticated, codes.PermissionDenied:
		return wire.Denied
	case codes.ResourceExhausted:
		return wire.Busy
	case codes.Unavailable:
		switch {
		case told:
			return wire.Busy
		case sent:
			return wire.Broken // the connection ended
		}
		return wire.Unreachable
	case codes.DeadlineExceeded:
		return wire.Late
	case codes.Unimplemented, codes.Canceled:
		return wire.Broken // no server of Riva; or it gave up without a reason
	}
	if !told {
		return wire.Broken // Internal and Unknown, where what came is no gRPC
	}
	return wire.Failed
}

// detail returns the code and the server's words, without those of the text.
func detail(s *status.Status, text string) string {
	return strings.TrimSuffix(s.Code().String()+": "+wire.Redact(s.Message(), text), ": ")
}

// maxRetryAfter bounds what a server may ask for.
const maxRetryAfter = time.Hour

// retryAfter returns the delay of a google.rpc.RetryInfo in the details of a status, or 0.
func retryAfter(s *status.Status) time.Duration {
	for _, d := range s.Proto().GetDetails() {
		if !strings.HasSuffix(d.GetTypeUrl(), "/google.rpc.RetryInfo") {
			continue
		}
		var delay time.Duration
		err := fields(d.GetValue(), func(n protowire.Number, v []byte) error {
			if n == 1 { // retry_delay
				delay = duration(v)
			}
			return nil
		}, nil)
		if err == nil {
			return min(delay, maxRetryAfter)
		}
	}
	return 0
}

// duration reads a google.protobuf.Duration. It returns 0 for what is none or negative.
func duration(b []byte) time.Duration {
	var seconds, nanos int64
	err := fields(b, func(protowire.Number, []byte) error { return nil }, func(n protowire.Number, v uint64) {
		switch n {
		case 1:
			seconds = int64(v)
		case 2:
			nanos = int64(v)
		}
	})
	if err != nil || seconds < 0 || nanos < 0 || nanos >= 1e9 {
		return 0
	}
	if seconds > math.MaxInt64/int64(time.Second)-1 {
		return maxRetryAfter
	}
	return time.Duration(seconds)*time.Second + time.Duration(nanos)
}
