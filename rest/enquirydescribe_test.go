package rest

import (
	"encoding/json"
	"strings"
	"testing"

	"vaak/rest/enquiries"
)

// TestEnquiryIsDescribed: what the description shows is what is taken and answered.
func TestEnquiryIsDescribed(t *testing.T) {
	t.Parallel()
	text, err := CatalogueOpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	op := dig(doc, "paths", enquiries.EnquiryPath, "post")
	for _, status := range []string{"202", "400", "403", "404", "413", "415", "429", "500", "503"} {
		answer := dig(op, "responses", status)
		if dig(answer, "description") == nil || dig(answer, "headers", "x-request-id") == nil || dig(answer, "content", "application/json", "schema") == nil {
			t.Errorf("%s is not described: %v", status, answer)
		}
		if waits := status == "429" || status == "503"; waits != (dig(answer, "headers", "retry-after") != nil) {
			t.Errorf("%s: retry-after is described: %t", status, !waits)
		}
	}
	about, _ := dig(op, "description").(string)
	for _, word := range []string{"only after the person", "send_enquiry", "5 enquiries", "20 from one client", "UTC day", "an hour"} {
		if !strings.Contains(about, word) {
			t.Errorf("the description does not say %q", word)
		}
	}
	if dig(op, "requestBody", "required") != true || dig(op, "security") != nil {
		t.Errorf("required %v, security %v", dig(op, "requestBody", "required"), dig(op, "security"))
	}
}
