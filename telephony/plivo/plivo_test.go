package plivo

import (
	"strings"
	"testing"

	"vaak/telephony/line"
	"vaak/telephony/line/linetest"
)

// call is what Plivo's documentation shows, with a call of our own.
var call = linetest.Call{
	Messages: []linetest.Message{
		{Data: `{"event":"start","sequenceNumber":1,"start":{"callId":"c-1","streamId":"s-1","accountId":"MA1","tracks":["inbound"],"mediaFormat":{"encoding":"audio/x-l16","sampleRate":16000}},"extra_headers":"from=15550100;to=15550101,X-PH-plan=gold"}`},
		{Data: `{"event":"media","sequenceNumber":42,"streamId":"s-1","media":{"track":"inbound","timestamp":"1705312200000","chunk":41,"payload":"AQL//w=="},"extra_headers":"from=15550100"}`},
		{Data: `{"event":"dtmf","sequenceNumber":50,"streamId":"s-1","dtmf":{"track":"inbound","digit":"5","timestamp":"1705312200000"},"extra_headers":""}`},
		{Data: `{"event":"playedStream","sequenceNumber":75,"streamId":"s-1","name":"m-1"}`},
		{Data: `{"event":"clearedAudio","sequenceNumber":80,"streamId":"s-1"}`},
	},
	Want: []string{"start c-1 from=15550100 to=15550101 map[from:15550100 plan:gold to:15550101] pcm/16000", "audio 0102ffff", "dtmf 5", "mark m-1"},
	Bad: map[string]linetest.Message{
		"a second start":       {Data: `{"event":"start","start":{"callId":"c-2","streamId":"s-2"}}`},
		"ends within a sample": {Data: `{"event":"media","media":{"payload":"AQL/"}}`},
		"more than 1s":         {Data: `{"event":"media","media":{"payload":"` + strings.Repeat("AAAA", 12000) + `"}}`},
	},
	Frame: `{"event":"playAudio","media":{"contentType":"audio/x-l16","sampleRate":16000,"payload":"YWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZGFiY2RhYmNkYWJjZA=="}}`,
	Clear: `{"event":"clearAudio","streamId":"s-1"}`,
	Mark:  `{"event":"checkpoint","streamId":"s-1","name":"m-1"}`,
}

func open() line.Protocol { return &Protocol{} }

func TestCall(t *testing.T) { t.Parallel(); linetest.Run(t, open, call) }
func FuzzCall(f *testing.F) { linetest.Fuzz(f, open, call) }

func TestFormats(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		`"audio/x-mulaw","sampleRate":8000`: "ulaw/8000",
		`"audio/x-l16","sampleRate":8000`:   "pcm/8000",
		`"audio/x-l16","sampleRate":44100`:  "",
		`"audio/x-opus","sampleRate":8000`:  "",
	} {
		e, err := open().Parse([]byte(`{"event":"start","start":{"callId":"c","streamId":"s","mediaFormat":{"encoding":`+format+"}}}"), false)
		if got := linetest.Describe(e); want == "" && !line.IsRefused(err) || want != "" && !strings.HasSuffix(got, want) {
			t.Errorf("%s = %s, %v; want %s", format, got, err, want)
		}
	}
}
