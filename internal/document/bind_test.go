package document

import (
	"encoding/json"
	"testing"
)

// FuzzBind holds the binder against encoding/json.
func FuzzBind(f *testing.F) {
	for _, seed := range []string{
		`{"text":"a\n\u00e9","n":5,"x":1.5e3,"on":true}`, `{"other":{"text":["}"]},"text":"b"}`, `{"n":1e2,"text":null}`, `{ "on" : false , "text" : "" }`,
	} {
		f.Add([]byte(seed))
	}
	type target struct {
		Text *string  `json:"text"`
		N    *int     `json:"n"`
		X    *float64 `json:"x"`
		On   bool     `json:"on"`
	}
	binder := NewBinder[target]()
	f.Fuzz(func(t *testing.T, data []byte) {
		if Check("the body", data) != nil {
			return
		}
		var got target
		if err := binder.Bind(Of(data), &got); err != nil {
			return
		}
		var want map[string]any
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("%q is bound and is no object: %v", data, err)
		}
		text, _ := want["text"].(string)
		if got.Text != nil && *got.Text != text || got.Text == nil && text != "" {
			t.Errorf("%q: text %v, want %q", data, got.Text, text)
		}
		if x, ok := want["x"].(float64); ok != (got.X != nil) || ok && x != *got.X {
			t.Errorf("%q: x %v, want %v", data, got.X, want["x"])
		}
		if n, ok := want["n"].(float64); ok != (got.N != nil) || ok && int(n) != *got.N {
			t.Errorf("%q: n %v, want %v", data, got.N, want["n"])
		}
		if on, _ := want["on"].(bool); on != got.On {
			t.Errorf("%q: on %v, want %v", data, got.On, on)
		}
	})
}
