package telnyx

import (
	"testing"

	"vaak/telephony/line"
	"vaak/telephony/line/linetest"
)

// call is what Telnyx's documentation shows, with a call of our own.
var call = linetest.Call{
	Messages: []linetest.Message{
		{Data: `{"event":"connected","version":"1.0.0"}`},
		{Data: `{"event":"start","sequence_number":"1","start":{"user_id":"3e6f995f","call_control_id":"v3:MdI91X4l","client_state":"aGF2ZSBhIG5pY2UgZGF5ID1d","from":"+15550100","to":"+15550101","custom_parameters":[{"name":"plan","value":"gold"}],"media_format":{"encoding":"PCMA","sample_rate":8000,"channels":1}},"stream_id":"32DE0DEA"}`},
		{Data: `{"event":"media","sequence_number":"4","media":{"track":"inbound","chunk":"2","timestamp":"5","payload":"1VUA"},"stream_id":"32DE0DEA"}`},
		{Data: `{"event":"media","sequence_number":"5","media":{"track":"outbound","chunk":"2","timestamp":"5","payload":"1VUA"},"stream_id":"32DE0DEA"}`},
		{Data: `{"event":"dtmf","stream_id":"32DE0DEA","occurred_at":"2026-01-01T00:00:00Z","sequence_number":"5","dtmf":{"digit":"1"}}`},
		{Data: `{"event":"mark","sequence_number":"6","stream_id":"32DE0DEA","mark":{"name":"m-1"}}`},
		{Data: `{"event":"error","stream_id":"32DE0DEA","payload":{"code":100002,"title":"unknown_error"}}`},
		{Data: `{"event":"stop","sequence_number":"7","stop":{"user_id":"3e6f995f","call_control_id":"v3:MdI91X4l"},"stream_id":"32DE0DEA"}`},
	},
	Want: []string{"start v3:MdI91X4l from=+15550100 to=+15550101 map[plan:gold] alaw/8000", "audio d55500", "dtmf 1", "mark m-1", "stop"},
	Bad: map[string]linetest.Message{
		"a second start": {Data: `{"event":"start","start":{"call_control_id":"b"}}`},
		"not base64":     {Data: `{"event":"media","media":{"payload":"!!!!"}}`},
	},
	Frame: `{"event":"media","media":{"payload":"YWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZA=="}}`,
	Clear: `{"event":"clear"}`,
	Mark:  `{"event":"mark","mark":{"name":"m-1"}}`,
}

func open() line.Protocol { return &Protocol{} }

func TestCall(t *testing.T) { t.Parallel(); linetest.Run(t, open, call) }
func FuzzCall(f *testing.F) { linetest.Fuzz(f, open, call) }

func TestStart(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`{"event":"start","start":{"call_control_id":"a","custom_parameters":{"plan":"gold"}}}`:                    "start a from= to= map[plan:gold] ulaw/8000",
		`{"event":"start","start":{"call_control_id":"a","media_format":{"encoding":"PCMU","sample_rate":8000}}}`:  "start a from= to= map[] ulaw/8000",
		`{"event":"start","start":{"call_control_id":"a","media_format":{"encoding":"OPUS","sample_rate":16000}}}`: "",
		`{"event":"start","start":{"call_control_id":"a","media_format":{"encoding":"PCMU","sample_rate":16000}}}`: "",
		`{"event":"start","start":{"media_format":{"encoding":"PCMU","sample_rate":8000}}}`:                        "",
	} {
		e, err := open().Parse([]byte(message), false)
		if got := linetest.Describe(e); want == "" && !line.IsRefused(err) || want != "" && (err != nil || got != want) {
			t.Errorf("%s = %s, %v; want %s", message, got, err, want)
		}
	}
}
