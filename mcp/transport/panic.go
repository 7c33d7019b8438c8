package transport

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
)

// LogPanic logs where a panic came from. It logs the value only when it is an error of the Go
// runtime, because any other value may quote the text that is being spoken.
func LogPanic(ctx context.Context, log *slog.Logger, what string, p any) {
	cause := fmt.Sprintf("%T", p)
	if err, ok := p.(runtime.Error); ok {
		cause = err.Error()
	}
	log.ErrorContext(ctx, "panic", "in", what, "cause", cause, "stack", string(debug.Stack()))
}

// modest is a log for the protocol library. It lowers the level of records, because the library
// logs mistakes of clients as errors.
type modest struct{ slog.Handler }

// Enabled lets all warnings and errors through, because Handle chooses their level by the message.
func (l modest) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || l.Handler.Enabled(ctx, level)
}

// Handle logs panics as errors, and all other records with the level info at most.
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
