package database

import (
	"context"
	"errors"
	"strings"

	"github.com/uptrace/bun"
)

// errNUL says that a value of a query holds U+0000, which neither database
// keeps in text.
var errNUL = errors.New("a string holds U+0000")

// nulMark is what bun writes into a query in place of a string with U+0000.
const nulMark = "?!(bun: string contains a NUL byte (0x00))"

// nulGuard refuses such a query before it reaches the database, which would report a
// syntax error.
type nulGuard struct{}

// BeforeQuery implements [bun.QueryHook].
func (nulGuard) BeforeQuery(ctx context.Context, event *bun.QueryEvent) context.Context {
	if holdsNUL(event.Query) {
		return refused{ctx}
	}
	return ctx
}

// AfterQuery implements [bun.QueryHook].
func (nulGuard) AfterQuery(context.Context, *bun.QueryEvent) {}

// refuseNUL refuses values for parameters, which SQLite would keep up to the U+0000.
func refuseNUL(args []any) error {
	for _, arg := range args {
		if s, ok := arg.(string); ok && strings.ContainsRune(s, 0) {
			return errNUL
		}
	}
	return nil
}

// refused is a context that has ended because of errNUL.
type refused struct{ context.Context }

func (refused) Err() error { return errNUL }

func (refused) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// holdsNUL reports whether a query holds nulMark outside of a literal. There, the number
// of quotes before it is even. Inside, the mark is only text that somebody sent.
func holdsNUL(query string) bool {
	quotes := 0
	for {
		before, after, found := strings.Cut(query, nulMark)
		if !found {
			return false
		}
		if quotes += strings.Count(before, "'"); quotes%2 == 0 {
			return true
		}
		query = after
	}
}
