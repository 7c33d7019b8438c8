package openai

import (
	"testing"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	param := "voice"
	for _, tt := range []struct{ name, got, want string }{
		{"delta", string(AppendDelta(nil, []byte{1, 2, 3, 4})), "data: {\"type\":\"speech.audio.delta\",\"audio\":\"AQIDBA==\"}\n\n"},
		{"nothing", string(AppendDelta(nil, nil)), "data: {\"type\":\"speech.audio.delta\",\"audio\":\"\"}\n\n"},
		{"done", string(AppendDone(nil, 12)), "data: {\"type\":\"speech.audio.done\",\"usage\":{\"input_tokens\":12,\"output_tokens\":0,\"total_tokens\":12}}\n\n"},
		{
			"error", string(AppendError(nil, Error{Message: "a \"b\"\nc", Type: "t", Param: &param, Code: "c"})),
			"data: {\"type\":\"error\",\"error\":{\"message\":\"a \\\"b\\\"\\nc\",\"type\":\"t\",\"param\":\"voice\",\"code\":\"c\"}}\n\n",
		},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	if n := len(AppendDelta(nil, make([]byte, MaxDelta))); n > 64<<10 {
		t.Errorf("the longest event has %d bytes, want at most 64 KiB", n)
	}
	if MaxDelta%6 != 0 {
		t.Errorf("MaxDelta %d splits a sample or a base64 group", MaxDelta)
	}
}
