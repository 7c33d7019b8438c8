package web_test

import (
	"cmp"
	"slices"
	"testing"

	"vaak/edge"
)

// What is refused before the service sees it is told to the journal.
func TestRefusalsAreWrittenDown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, body, origin string
		want               []string
	}{
		{"/enquiry", filled("consent", "").Encode(), "", []string{"page consent"}},
		{"/enquiry", filled().Encode() + "&name=Other", "", []string{"page name"}},
		{"/enquiry", filled().Encode(), "https://evil.test", []string{"page origin"}},
		{confirmAt, "", "", []string{"mailed_link consent"}},
		{confirmAt, "consent=yes", "https://evil.test", []string{"mailed_link origin"}},
		{sampleAt, "", "https://evil.test", nil},           // no enquiry
		{"/enquiry", filled("name", "").Encode(), "", nil}, // the service tells it
		{"/enquiry", filled().Encode(), "", nil},
		{confirmAt, "consent=yes", "", nil},
	} {
		c := newClerk()
		h := edge.Chain(asking(t, c), edge.Identify, edge.Locate(edge.NewClients(nil)))
		post(t, h, tt.path, tt.body, "Origin", cmp.Or(tt.origin, origin))
		if !slices.Equal(c.refused, tt.want) {
			t.Errorf("POST %s of %.60q from %q tells %q, want %q", tt.path, tt.body, tt.origin, c.refused, tt.want)
		}
		if len(tt.want) > 0 && (c.did() > 0 || c.sources[0].Client == "unknown" || c.sources[0].RequestID == "") {
			t.Errorf("POST %s of %.60q: %d done, from %+v; want none, and a client", tt.path, tt.body, c.did(), c.sources[0])
		}
	}
}
