package mcp_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vaak/enquiry"
	"vaak/mcp/transport"
)

// TestPersonTakesTheWholeTime has the call wait as long as it does over a service that
// judges what comes back, from a moment that is no whole second: who answers at the end
// is heard, and where nobody does the call ends as cancelled.
func TestPersonTakesTheWholeTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answer string // "" is none
		status string
		entry  enquiry.Outcome
	}{
		{`{"action":"accept","content":{"send":true}}`, "sent", enquiry.OutcomeSent},
		{`{"action":"decline"}`, "declined", enquiry.OutcomeDeclined},
		{"", "cancelled", enquiry.OutcomeCancelled},
	} {
		t.Run(tt.status, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := unserved(t, catalogueURL, "")
				time.Sleep(999 * time.Millisecond)
				session := http.Header{"Mcp-Session-Id": {tell(t.Context(), w.handler, olderHello, nil).Header().Get("Mcp-Session-Id")}}
				stream, done := newWire(), make(chan struct{})
				go func() {
					defer close(done)
					stream.tell(t.Context(), w.handler, request(1, "send_enquiry", form()), session)
				}()
				synctest.Wait()
				id := between(t, stream.String(), `"id":"`, `"`)
				if tt.answer != "" {
					time.Sleep(transport.Patience - time.Millisecond)
					if a := tell(t.Context(), w.handler, `{"jsonrpc":"2.0","id":"`+id+`","result":`+tt.answer+`}`, session); a.Code != http.StatusAccepted {
						t.Errorf("answer = %d %s", a.Code, a)
					}
				}
				<-done
				events := strings.Split(strings.TrimSpace(stream.String()), "data: ")
				w.check(t, outcomeOf(t, []byte(events[len(events)-1])), tt.status, tt.entry)
				if n := strings.Count(stream.String(), "elicitation/create"); n != 1 {
					t.Errorf("%d questions, want one", n)
				}
			})
		})
	}
}
