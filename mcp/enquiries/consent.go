package enquiries

import (
	"encoding/json"

	"vaak/edge"
	"vaak/enquiry"
)

// readAnswer reads what a client says that a person answered to the form of
// [consentForm]. Consent is an accept whose content has "send" as the value true and
// nothing that looks like it. Another accept is a box that was left empty. What is not
// an answer is as none: the question was closed.
func readAnswer(raw json.RawMessage) enquiry.Answer {
	closed := enquiry.Answer{Action: enquiry.Cancel}
	// A member that stands there twice is read differently by different programs.
	if edge.CheckJSON(raw) != nil {
		return closed
	}
	sent, ok := membersOf(raw)
	if !ok {
		return closed
	}
	switch string(sent["action"]) {
	case `"accept"`:
		content, _ := membersOf(sent["content"]) // none has no box
		return enquiry.Answer{Action: enquiry.Accept, Send: string(content["send"]) == "true"}
	case `"decline"`:
		return enquiry.Answer{Action: enquiry.Decline}
	}
	return closed
}

// membersOf returns the members of an object by their exact names.
func membersOf(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	var members map[string]json.RawMessage
	err := json.Unmarshal(raw, &members)
	return members, err == nil && members != nil
}
