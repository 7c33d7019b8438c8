package transport

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
)

// LogPanic logs where a panic came from. Its value is logged only when it is
// the runtime's own, as any other may quote what is being spoken.
func LogPanic(ctx context.Context, log *slog.Logger, what string, p any) {
	cause := fmt.Sprintf("%T", p)
	if err, ok := p.(runtime.Error); ok {
		cause = err.Error()
	}
	log.ErrorContext(ctx, "panic", "in", what, "cause", cause, "stack", string(debug.Stack()))
}

// modest is a log for the protocol library, which calls errors what a client may
// do as often as it likes.
type modest struct{ slog.Handler }

// Enabled asks for the level that a record will have at most.
func (l modest) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || l.Handler.Enabled(ctx, level)
}

// Handle logs a record as a matter of interest, but for the panics.
func (l modest) Handle(ctx context.Context, r slog.Record) error {
	if !strings.HasPrefix(r.Message, "panic") {
		r.Level = min(r.Level, slog.LevelInfo)
	}
	if !l.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs returns a log that adds attributes.
func (l modest) WithAttrs(attrs []slog.Attr) slog.Handler { return modest{l.Handler.WithAttrs(attrs)} }

// WithGroup returns a log that groups what follows.
func (l modest) WithGroup(name string) slog.Handler { return modest{l.Handler.WithGroup(name)} }
