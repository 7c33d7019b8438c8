package document

import (
	"bytes"
	"encoding/json"
)

// Encode returns a value in JSON on one line, without escapes for HTML, and an end of line.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}
