package rest

import (
	"encoding/json"
	"testing"
)

// FuzzSpeechBody posts any bytes to the speech route: whatever they are, the
// server is not at fault, and what it refuses it refuses in both shapes.
func FuzzSpeechBody(f *testing.F) {
	for _, seed := range []string{
		`{"input":"hello"}`, `{"input":"hello","voice":{"id":"sv_a"},"stream":true}`, `{"input":"x","stream_format":"sse"}`,
		`{"input":5}`, `{"input":null,"speed":1e400}`, `{"input":"a","sample_rate":24000.0,"x":[{"y":"]}"}]}`, `[]`, ``, `{`,
		`{"\u0069nput":"\ud83d\ude00"}`, `{"voice":{"id":{"id":1}},"input":"a"}`, "{\"input\":\"\xff\"}", `{"input":"a","input":"b"}`,
	} {
		f.Add([]byte(seed))
	}
	h := newHandler(f, Config{})
	f.Fuzz(func(t *testing.T, body []byte) {
		w := do(h, speak(string(body)))
		if w.Code == 200 {
			return
		}
		var e failure
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code < 400 || w.Code > 499 || e.Detail.Status == "" || e.Detail.Status != e.Error.Code {
			t.Errorf("%q is answered with %d %s", body, w.Code, w.Body)
		}
	})
}
