package enquiries

import (
	"encoding/json"
	"maps"

	"vaak/enquiry"
	"vaak/internal/document"
)

// readAnswer reads what a client says that a person answered to [consentForm]. Only the action
// accept with the value true for "send" is consent; the text "true", for example, is not. Any
// other accept means that the box was not ticked. Everything that is no answer counts as a
// question that was closed.
func readAnswer(raw json.RawMessage) enquiry.Answer {
	closed := enquiry.Answer{Action: enquiry.Cancel}
	// Consent must be certain, and programs differ in which of two equal members they read.
	if document.Check("the answer", raw) != nil {
		return closed
	}
	sent := maps.Collect(document.Of(raw).Members())
	switch sent["action"].Text() {
	case "accept":
		content := maps.Collect(sent["content"].Members()) // without one the box was not ticked
		return enquiry.Answer{Action: enquiry.Accept, Send: content["send"].Bool()}
	case "decline":
		return enquiry.Answer{Action: enquiry.Decline}
	}
	return closed
}
