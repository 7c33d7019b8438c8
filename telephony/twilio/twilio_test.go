package twilio

import (
	"strings"
	"testing"

	"vaak/telephony/line"
	"vaak/telephony/line/linetest"
)

// call is what Twilio's documentation shows, with a call of our own.
var call = linetest.Call{
	Messages: []linetest.Message{
		{Data: `{"event":"connected","protocol":"Call","version":"1.0.0"}`},
		{Data: `{"event":"start","sequenceNumber":"1","start":{"accountSid":"AC1","streamSid":"MZ1","callSid":"CA1","tracks":["inbound"],"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1},"customParameters":{"from":"+15550100","to":"+15550101","plan":"gold"}},"streamSid":"MZ1"}`},
		{Data: `{"event":"media","sequenceNumber":"3","media":{"track":"inbound","chunk":"1","timestamp":"5","payload":"/38A"},"streamSid":"MZ1"}`},
		{Data: `{"event":"media","sequenceNumber":"4","media":{"track":"outbound","chunk":"1","timestamp":"5","payload":"AAAA"},"streamSid":"MZ1"}`},
		{Data: `{"event":"dtmf","streamSid":"MZ1","sequenceNumber":"5","dtmf":{"track":"inbound_track","digit":"#"}}`},
		{Data: `{"event":"mark","sequenceNumber":"6","streamSid":"MZ1","mark":{"name":"m-1"}}`},
		{Data: `{"event":"something new"}`},
		{Data: `{"event":"stop","sequenceNumber":"7","stop":{"accountSid":"AC1","callSid":"CA1"},"streamSid":"MZ1"}`},
	},
	Want: []string{
		"start CA1 from=+15550100 to=+15550101 map[from:+15550100 plan:gold to:+15550101] ulaw/8000",
		"audio ff7f00", "dtmf #", "mark m-1", "stop",
	},
	Bad: map[string]linetest.Message{
		"a second start":        {Data: `{"event":"start","start":{"streamSid":"MZ2","callSid":"CA2"}}`},
		"no binary messages":    {Data: "abc", Binary: true},
		"cannot be read":        {Data: `{"event":`},
		"not base64":            {Data: `{"event":"media","media":{"payload":"!!!!"}}`},
		"more than 1s":          {Data: `{"event":"media","media":{"payload":"` + strings.Repeat("AAAA", 5000) + `"}}`},
		"no key of a telephone": {Data: `{"event":"dtmf","dtmf":{"digit":"12"}}`},
	},
	Frame: `{"event":"media","streamSid":"MZ1","media":{"payload":"YWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZA=="}}`,
	Clear: `{"event":"clear","streamSid":"MZ1"}`,
	Mark:  `{"event":"mark","streamSid":"MZ1","mark":{"name":"m-1"}}`,
}

func open() line.Protocol { return &Protocol{} }

func TestCall(t *testing.T) { t.Parallel(); linetest.Run(t, open, call) }
func FuzzCall(f *testing.F) { linetest.Fuzz(f, open, call) }

// TestSigned: the signature is of the URL and the token, with or without the slash at the end.
// The first was computed with OpenSSL.
func TestSigned(t *testing.T) {
	t.Parallel()
	const token, url, signature = "12345", "wss://calls.example.org/twilio", "IIPVKhhJD3km5PDIihiAI027WsI="
	for _, tt := range []struct {
		token, url, signature string
		want                  bool
	}{
		{token, url, signature, true},
		{token, url + "/", signature, true},
		{"12346", url, signature, false},
		{token, url + "/other", signature, false},
		{token, url, "", false},
		{token, url, "not base64", false},
	} {
		if got := Signed(tt.token, tt.url, tt.signature); got != tt.want {
			t.Errorf("Signed(%q, %q, %q) = %t", tt.token, tt.url, tt.signature, got)
		}
	}
}
