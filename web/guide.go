package web

import (
	"bytes"
	"fmt"
	"strings"
	"text/template"
)

// renderGuide returns /llms.txt: Markdown in the form that agents expect (llmstxt.org), with a
// heading, a summary in a quotation, then sections.
func renderGuide(cfg Config) ([]byte, error) {
	t, err := template.New("llms.txt").Funcs(template.FuncMap{"names": join[string], "numbers": join[int]}).ParseFS(pages, "pages/llms.txt")
	if err != nil {
		return nil, fmt.Errorf("parse llms.txt: %w", err)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "llms.txt", cfg); err != nil {
		return nil, fmt.Errorf("render llms.txt: %w", err)
	}
	return b.Bytes(), nil
}

// join lists values in a sentence: "8000, 16000, 24000".
func join[T any](values []T) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = fmt.Sprint(v)
	}
	return strings.Join(parts, ", ")
}
