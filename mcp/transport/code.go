package transport

import (
	"bytes"
	"context"
	"strconv"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

type codeKey struct{}

// withCode returns a context whose handlers may choose the code of their error, and
// where the choice is; 0 is none.
func withCode(ctx context.Context) (context.Context, *atomic.Int32) {
	code := new(atomic.Int32)
	return context.WithValue(ctx, codeKey{}, code), code
}

// FailWith chooses the code with which the error of a resource or a prompt is answered.
// The protocol library answers all of them with that of an internal error.
func FailWith(ctx context.Context, code int) {
	if chosen, ok := ctx.Value(codeKey{}).(*atomic.Int32); ok {
		chosen.Store(int32(code))
	}
}

// recode puts the chosen code into an answer that the library has encoded. No text can
// be taken for the beginning of an error, because quotation marks in text are escaped.
func recode(answer []byte, chosen int) []byte {
	if chosen == 0 {
		return answer
	}
	const begins = `"error":{"code":`
	return bytes.Replace(answer, []byte(begins+strconv.Itoa(mcp.INTERNAL_ERROR)), []byte(begins+strconv.Itoa(chosen)), 1)
}
