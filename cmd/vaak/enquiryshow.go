package main

import (
	"fmt"
	"strings"
	"time"

	"vaak/enquiry"
)

// fileRows are the lines of an enquiry: a name and its value. A text of several lines has
// several rows of the same name.
func fileRows(f enquiry.File) [][]any {
	e := f.Enquiry
	rows := [][]any{
		{"id", e.ID}, {"received", e.Received}, {"consent", string(e.Method)}, {"intent", string(e.Intent)}, {"dataset", slugOf(e.About)},
	}
	if e.Purged {
		rows = append(rows, []any{"purged", "what the person typed is deleted"})
	} else {
		rows = append(rows, []any{"name", inert(e.Name)}, []any{"email", inert(e.Email)}, []any{"company", inert(e.Company)}, []any{"agent", inert(e.Agent)})
		rows = append(rows, textRows("message", e.Message)...)
	}
	for _, m := range f.Mails {
		rows = append(rows, []any{"mail", m.ID, string(m.Kind), string(m.State), m.Attempts, m.Changed, inert(m.To), inert(m.Problem)})
	}
	for _, r := range f.Releases {
		rows = append(rows, []any{"release", r.ID, r.Released, r.Expires, fmt.Sprintf("%d of %d downloads", r.Downloads, r.Most)})
	}
	if f.Cut {
		rows = append(rows, []any{"cut", "older entries are left out"})
	}
	return append(rows, entryRows(f.Journal)...)
}

// entryRows are the lines of a journal.
func entryRows(all []enquiry.Entry) (rows [][]any) {
	for _, j := range all {
		rows = append(rows, []any{
			"journal", j.At, string(j.Outcome), inert(j.Code), string(j.Method), j.Times,
			inert(j.Source.RequestID), inert(j.Source.KeyID), inert(agentOf(j.Source)), j.Asked, j.Answered,
		})
		rows = append(rows, textRows("shown", j.Shown)...)
	}
	return rows
}

// textRows are the lines of a text under one name; none for an empty text.
func textRows(name, text string) (rows [][]any) {
	for _, line := range inertLines(text) {
		rows = append(rows, []any{name, line})
	}
	return rows
}

// agentOf is the program that a client of MCP says it is.
func agentOf(s enquiry.Source) string {
	return strings.TrimSpace(strings.Join([]string{s.Agent, s.AgentVersion, s.Protocol}, " "))
}

// fileJSON is an enquiry as JSON.
type fileJSON struct {
	ID       string           `json:"id"`
	Received time.Time        `json:"received"`
	Consent  string           `json:"consent"`
	Intent   string           `json:"intent"`
	Dataset  *enquiry.Dataset `json:"dataset"`
	Purged   bool             `json:"purged"`
	Name     string           `json:"name"`
	Email    string           `json:"email"`
	Company  string           `json:"company"`
	Agent    string           `json:"agent"`
	Message  string           `json:"message"`
	Mails    []mailJSON       `json:"mails"`
	Releases []releaseJSON    `json:"releases"`
	Journal  []entryJSON      `json:"journal"`
	Cut      bool             `json:"journalCut"` // older entries are left out
}

type mailJSON struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	State     string    `json:"state"`
	Attempts  int       `json:"attempts"`
	Problem   string    `json:"problem"`
	Changed   time.Time `json:"changed"`
	MessageID string    `json:"messageId"`
	Date      time.Time `json:"date"`
	From      string    `json:"from"`
	To        string    `json:"to"`
	ReplyTo   string    `json:"replyTo"`
	Subject   string    `json:"subject"`
	Text      string    `json:"text"`
}

type releaseJSON struct {
	ID        string    `json:"id"`
	Dataset   string    `json:"dataset"`
	Released  time.Time `json:"released"`
	Expires   time.Time `json:"expires"`
	Downloads int       `json:"downloads"`
	Most      int       `json:"most"`
	Licence   string    `json:"licence"`
}

type entryJSON struct {
	At           time.Time `json:"at"`
	Outcome      string    `json:"outcome"`
	Code         string    `json:"code"`
	Consent      string    `json:"consent"`
	Times        int       `json:"times"`
	Shown        string    `json:"shown"`
	Content      string    `json:"content"`
	State        string    `json:"state"`
	Client       string    `json:"client"`
	RequestID    string    `json:"requestId"`
	KeyID        string    `json:"keyId"`
	Agent        string    `json:"agent"`
	AgentVersion string    `json:"agentVersion"`
	Protocol     string    `json:"protocol"`
	Asked        time.Time `json:"asked,omitzero"`
	Answered     time.Time `json:"answered,omitzero"`
}

// describe returns the JSON form of an enquiry. Its lists are never null.
func describe(f enquiry.File) fileJSON {
	e := f.Enquiry
	out := fileJSON{
		ID: e.ID, Received: e.Received.UTC(), Consent: string(e.Method), Intent: string(e.Intent), Dataset: e.About, Purged: e.Purged,
		Name: e.Name, Email: e.Email, Company: e.Company, Agent: e.Agent, Message: e.Message,
		Mails: []mailJSON{}, Releases: []releaseJSON{}, Journal: []entryJSON{}, Cut: f.Cut,
	}
	for _, m := range f.Mails {
		out.Mails = append(out.Mails, mailJSON{
			ID: m.ID, Kind: string(m.Kind), State: string(m.State), Attempts: m.Attempts, Problem: m.Problem, Changed: m.Changed.UTC(),
			MessageID: m.MessageID, Date: m.Date, From: m.From, To: m.To, ReplyTo: m.ReplyTo, Subject: m.Subject, Text: m.Text,
		})
	}
	for _, r := range f.Releases {
		out.Releases = append(out.Releases, releaseJSON{
			ID: r.ID, Dataset: r.Dataset, Released: r.Released.UTC(), Expires: r.Expires.UTC(), Downloads: r.Downloads, Most: r.Most, Licence: r.Licence,
		})
	}
	for _, j := range f.Journal {
		out.Journal = append(out.Journal, describeEntry(j))
	}
	return out
}

// describeEntry returns the JSON form of an entry of the journal.
func describeEntry(j enquiry.Entry) entryJSON {
	return entryJSON{
		At: j.At.UTC(), Outcome: string(j.Outcome), Code: j.Code, Consent: string(j.Method), Times: j.Times, Shown: j.Shown,
		Content: j.Content, State: j.State, Client: j.Client, RequestID: j.Source.RequestID, KeyID: j.Source.KeyID,
		Agent: j.Source.Agent, AgentVersion: j.Source.AgentVersion, Protocol: j.Source.Protocol, Asked: j.Asked, Answered: j.Answered,
	}
}
