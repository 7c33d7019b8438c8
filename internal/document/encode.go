package document

import (
	"bytes"
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
)

// Encode returns a value in JSON on one line, without escapes for HTML, and an end of line.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// Decode fills a value from JSON that [json.Marshal] has written, in half the time of
// [json.Unmarshal]. It takes keys only as they are written, and each once.
func Decode(text []byte, to any) error { return jsonv2.Unmarshal(text, to) }
