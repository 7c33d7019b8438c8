package vonage

import (
	"strings"
	"testing"

	"vaak/telephony/line"
	"vaak/telephony/line/linetest"
)

// call is what Vonage's documentation shows, with a call of our own.
var call = linetest.Call{
	Messages: []linetest.Message{
		{Data: `{"event":"websocket:connected","content-type":"audio/l16;rate=8000","uuid":"u-1","from":"15550100","to":"15550101","plan":"gold","count":3}`},
		{Data: "\x01\x02\xff\xff", Binary: true},
		{Data: `{"event":"websocket:dtmf","digit":"*","duration":260}`},
		{Data: `{"event":"websocket:notify","payload":{"vaak_mark":"m-1"}}`},
		{Data: `{"event":"websocket:cleared"}`},
	},
	Want: []string{"start u-1 from=15550100 to=15550101 map[from:15550100 plan:gold to:15550101 uuid:u-1] pcm/8000", "audio 0102ffff", "dtmf *", "mark m-1"},
	Bad: map[string]linetest.Message{
		"a second websocket:connected": {Data: `{"event":"websocket:connected","content-type":"audio/l16;rate=8000"}`},
		"ends within a sample":         {Data: "abc", Binary: true},
		"more than 1s":                 {Data: strings.Repeat("ab", 8001), Binary: true},
		"cannot be read":               {Data: `[]`},
		"no key of a telephone":        {Data: `{"event":"websocket:dtmf","digit":7}`},
	},
	Frame: strings.Repeat("abcd", 80),
	Clear: `{"action":"clear"}`,
	Mark:  `{"action":"notify","payload":{"vaak_mark":"m-1"}}`,
}

func open() line.Protocol { return &Protocol{} }

func TestCall(t *testing.T) { t.Parallel(); linetest.Run(t, open, call) }
func FuzzCall(f *testing.F) { linetest.Fuzz(f, open, call) }

func TestStart(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`{"event":"websocket:connected","content-type":"audio/l16; rate=16000","headers":{"call_uuid":"u-2"}}`: "start u-2 from= to= map[call_uuid:u-2] pcm/16000",
		`{"event":"websocket:connected","content-type":"audio/l16;rate=24000"}`:                                "start vonage from= to= map[] pcm/24000",
		`{"event":"websocket:connected","content-type":"audio/l16;rate=44100"}`:                                "",
		`{"event":"websocket:connected"}`:                                                                      "",
	} {
		e, err := open().Parse([]byte(message), false)
		if got := linetest.Describe(e); want == "" && !line.IsRefused(err) || want != "" && (err != nil || got != want) {
			t.Errorf("%s = %s, %v; want %s", message, got, err, want)
		}
	}
	if _, err := open().Parse([]byte("ab"), true); !line.IsRefused(err) {
		t.Errorf("audio before the start: %v", err)
	}
}
