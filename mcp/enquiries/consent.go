package enquiries

import (
	"encoding/json"
	"maps"

	"vaak/enquiry"
	"vaak/internal/document"
)

// readAnswer reads what a client says that a person answered to the form of
// [consentForm]. Consent is an accept whose content has "send" as the value true and
// nothing that looks like it. Another accept is a box that was left empty. What is not
// an answer is as none: the question was closed.
func readAnswer(raw json.RawMessage) enquiry.Answer {
	closed := enquiry.Answer{Action: enquiry.Cancel}
	// A member that is there twice is read differently by different programs.
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
