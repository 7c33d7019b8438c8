package transport

import (
	"bytes"
	"context"
	"strconv"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

type codeKey struct{}

// withCode returns a context whose handlers can choose the code of their error, and where they
// store it; 0 means no choice.
func withCode(ctx context.Context) (context.Context, *atomic.Int32) {
	code := new(atomic.Int32)
	return context.WithValue(ctx, codeKey{}, code), code
}

// FailWith chooses the code of the error of a resource or a prompt. The protocol library would
// answer all of them with the code of an internal error.
func FailWith(ctx context.Context, code int) {
	if chosen, ok := ctx.Value(codeKey{}).(*atomic.Int32); ok {
		chosen.Store(int32(code))
	}
}

// recode puts the chosen code into an answer that the library has encoded. It finds the code by
// the text around it, which cannot occur within a string, because quotation marks in strings
// are escaped.
func recode(answer []byte, chosen int) []byte {
	if chosen == 0 {
		return answer
	}
	const begins = `"error":{"code":`
	return bytes.Replace(answer, []byte(begins+strconv.Itoa(mcp.INTERNAL_ERROR)), []byte(begins+strconv.Itoa(chosen)), 1)
}
