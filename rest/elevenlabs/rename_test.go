package elevenlabs_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"vaak/internal/fault"
	"vaak/rest/elevenlabs"
)

func TestRename(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ field, msg, format, wantField, wantMsg string }{
		{"input", "input is empty; send some", "", "text", "text is empty; send some"},
		{"input", "the input is empty", "", "text", "the input is empty"},
		{"voice", `voice "x" does not exist`, "", "voice_id", `voice_id "x" does not exist`},
		{"lang", `lang "x" is not known`, "", "language_code", `language_code "x" is not known`},
		{"speed", "speed 9 is outside 0.7 to 1.5", "", "voice_settings.speed", "voice_settings.speed 9 is outside 0.7 to 1.5"},
		{"bitrate_kbps", "bitrate_kbps 999 is outside 32 to 320", "mp3_44100_999", "output_format", "output_format mp3_44100_999 cannot be had: bit rate 999 is outside 32 to 320"},
		{"response_format", `response_format "mp3" is not available here`, "", "output_format", `output_format mp3_44100_128 cannot be had: codec "mp3" is not available here`},
		{"text", "text is missing", "", "text", "text is missing"},
		{"", "out of order", "", "", "out of order"},
	} {
		in := fault.BadParameter(tt.field, "%s", tt.msg)
		got, ok := errors.AsType[*fault.Error](elevenlabs.Rename(fmt.Errorf("speak: %w", in), tt.format))
		if !ok || got.Field != tt.wantField || got.Msg != tt.wantMsg || got.Kind != in.Kind || got.Code != in.Code {
			t.Errorf("Rename(%s: %s) = %+v, want %s: %s", tt.field, tt.msg, got, tt.wantField, tt.wantMsg)
		}
		if in.Field != tt.field || in.Msg != tt.msg {
			t.Errorf("Rename changed its argument to %+v", in)
		}
	}
	for _, err := range []error{nil, io.EOF} {
		if got := elevenlabs.Rename(err, ""); got != err {
			t.Errorf("Rename(%v) = %v", err, got)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ field, msg, wantField, wantMsg string }{
		{"speed", "speed must be a number, not a string", "voice_settings.speed", "voice_settings.speed must be a number, not a string"},
		{"", "must be an object", "voice_settings", "must be an object"},
	} {
		got, ok := errors.AsType[*fault.Error](elevenlabs.Within("voice_settings", fault.BadParameter(tt.field, "%s", tt.msg)))
		if !ok || got.Field != tt.wantField || got.Msg != tt.wantMsg {
			t.Errorf("Within(%s: %s) = %+v, want %s: %s", tt.field, tt.msg, got, tt.wantField, tt.wantMsg)
		}
	}
	if got := elevenlabs.Within("x", io.EOF); got != io.EOF {
		t.Errorf("Within(EOF) = %v", got)
	}
}
