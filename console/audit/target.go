package audit

import (
	"net/url"
	"strings"

	"vaak/identity"
)

// target returns the name of what an event acted on and the address of its page, or "".
// People and orgs are names by id. An action that was refused gets no link, since its
// target may not exist.
func (ps *pages) target(e identity.Event, people map[string]string, orgs map[string]string) (name, address string) {
	id := e.Target
	switch {
	case people[id] != "":
		// Ids differ by their prefix, so no person has the id of an organisation.
		return people[id], "/people/" + id
	case orgs[id] != "":
		return orgs[id], "/organisations/" + id
	case id == "" || e.Outcome != identity.OutcomeDone:
		return id, ""
	}
	area, deed, _ := strings.Cut(e.Action, ".")
	// No link to what is gone, nor into an organisation that is not known any more.
	if deed == "delete" || orgs[e.OrgID] == "" && (area == "key" || area == "token" || area == "lot" || area == "dictionary") {
		return id, ""
	}
	switch area {
	case "key", "token":
		address = "/o/" + e.OrgID + "/keys"
	case "dictionary":
		if ps.Dictionaries {
			address = "/o/" + e.OrgID + "/dictionaries/" + url.PathEscape(id)
		}
	case "lot":
		address = "/organisations/" + e.OrgID
	case "webhook":
		if e.OrgID == "" { // it is the operator's
			address = "/webhooks/" + id
		} else if orgs[e.OrgID] != "" {
			address = "/o/" + e.OrgID + "/webhooks/" + id
		}
	case "plan":
		address = "/plans/" + url.PathEscape(id)
	case "enquiry":
		if ps.Enquiries && deed != "retry" { // the target of a retry is a mail
			address = "/enquiries/" + url.PathEscape(id)
		}
	}
	return id, address
}

// actionWords are the actions of events in words. An action without words is shown as it
// is.
var actionWords = map[string]string{
	"setup":                    "Set the console up",
	"sign_in":                  "Sign in",
	"sign_in.password":         "Give the password, before a code",
	"sign_in.code":             "Give a one-time code",
	"sign_in.provider":         "Sign in with the identity provider",
	"sign_in.link":             "Sign in with the identity provider, for the first time",
	"sign_out":                 "Sign out",
	"sign_out.everywhere":      "Sign out everywhere else",
	"password":                 "Give the password again",
	"password.change":          "Change the password",
	"codes.on":                 "Turn one-time codes on",
	"codes.off":                "Turn one-time codes off",
	"person.invite":            "Invite a person",
	"person.reinvite":          "Make a new link for a person",
	"person.accept":            "Accept an invitation",
	"person.disable":           "Disable a person",
	"person.enable":            "Enable a person",
	"person.role":              "Set the role of a person",
	"key.create":               "Create a key",
	"key.revoke":               "Revoke a key",
	"token.revoke":             "Revoke a single-use token",
	"webhook.create":           "Create a webhook endpoint",
	"webhook.change":           "Change a webhook endpoint",
	"webhook.enable":           "Enable a webhook endpoint",
	"webhook.disable":          "Disable a webhook endpoint",
	"webhook.rotate":           "Make a new secret for a webhook endpoint",
	"webhook.test":             "Send a test event to a webhook endpoint",
	"webhook.replay":           "Send events to a webhook endpoint again",
	"webhook.delete":           "Delete a webhook endpoint",
	"application.allow":        "Allow an application",
	"application.connect":      "Connect an application",
	"application.disconnect":   "Disconnect an application",
	"application.leave":        "Disconnect, as the application asked",
	"application.code_reused":  "Disconnect: a code came twice",
	"application.token_reused": "Disconnect: a refresh token came twice",
	"organisation.create":      "Create an organisation",
	"organisation.rename":      "Rename an organisation",
	"subscription.set":         "Set plan and subscription",
	"lot.grant":                "Grant characters",
	"ceilings.set":             "Set limits over all keys",
	"plan.set":                 "Set a plan",
	"dataset.publish":          "Publish a dataset",
	"dataset.suspend":          "Suspend a dataset",
	"dataset.retire":           "Retire a dataset",
	"enquiry.retry":            "Send a mail of an enquiry again",
	"enquiry.release":          "Release a sample",
	"enquiry.purge":            "Delete what an enquiry holds",
	"dictionary.create":        "Create a dictionary",
	"dictionary.import":        "Import a dictionary",
	"dictionary.save":          "Save a version of a dictionary",
	"dictionary.restore":       "Restore a version of a dictionary",
	"dictionary.delete":        "Delete a dictionary",
	"ledger.audit":             "Check the books",
}
