// Package enquiries keeps enquiries, the mails that deliver them, the journal of what
// persons were asked and answered, the links that wait for a person, and the samples that
// were released.
package enquiries

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/enquiry"
	"vaak/store/database"
)

// Enquiries keeps enquiries in a database.
//
// Instants that the domain leaves to the store are read from the clock of the database on
// PostgreSQL, which all processes share, and from that of the machine on SQLite. No error
// holds what a person typed, nor an address.
type Enquiries struct{ db *database.DB }

var (
	_ enquiry.Store   = (*Enquiries)(nil)
	_ enquiry.Outbox  = (*Enquiries)(nil)
	_ enquiry.Records = (*Enquiries)(nil)
)

// New returns the enquiries of a database.
func New(db *database.DB) *Enquiries { return &Enquiries{db} }

// row is a row of enquiries. Sender and client are digests that limits count, and about
// is JSON, "" without a dataset.
type row struct {
	bun.BaseModel `bun:"table:enquiries,alias:e"`

	ID         string `bun:",pk"`
	ReceivedAt int64
	Intent     string
	Method     string
	Purged     int // 0 or 1
	Sender     string
	Client     string
	Dataset    string
	About      string
	Name       string
	Email      string
	Company    string
	Agent      string
	Message    string
}

func rowOf(s *enquiry.Submission) row {
	e, about := &s.Enquiry, ""
	if e.About != nil {
		about = database.EncodeJSON(e.About)
	}
	return row{
		ID: e.ID, ReceivedAt: database.Micros(e.Received), Intent: string(e.Intent), Method: string(e.Method),
		Sender: s.Sender, Client: s.Client, Dataset: e.Dataset, About: about,
		Name: e.Name, Email: e.Email, Company: e.Company, Agent: e.Agent, Message: e.Message,
	}
}

func (r row) enquiry() (e enquiry.Enquiry, err error) {
	e.ID, e.Method, e.Received, e.Purged = r.ID, enquiry.Method(r.Method), database.Instant(r.ReceivedAt), r.Purged != 0
	e.Form = enquiry.Form{
		Name: r.Name, Email: r.Email, Company: r.Company, Intent: enquiry.Intent(r.Intent),
		Dataset: r.Dataset, Message: r.Message, Agent: r.Agent,
	}
	if r.About != "" {
		err = database.DecodeJSON(r.About, &e.About, "the dataset of an enquiry")
	}
	return e, err
}

func checkForm(f enquiry.Form) error {
	return database.CheckTexts(f.Name, f.Email, f.Company, string(f.Intent), f.Dataset, f.Message, f.Agent)
}

// Enquiry implements [enquiry.Store] and [enquiry.Records].
func (s *Enquiries) Enquiry(ctx context.Context, id string) (enquiry.Enquiry, bool, error) {
	if !database.IsID(id) {
		return enquiry.Enquiry{}, false, nil
	}
	found, ok, err := database.First(ctx, s.db.Read.NewSelect().Where("e.id = ?", id), row.enquiry)
	return found, ok, s.db.Fail(ctx, err, "read an enquiry")
}

// listMost is how many enquiries are listed at most.
const listMost = 1000

// summaryRow is a row of enquiries with what became of it.
type summaryRow struct {
	row
	Waiting, Delivered, Failed int
	Released                   int // 0 or 1
}

func (r summaryRow) summary() (s enquiry.Summary, err error) {
	s.Waiting, s.Delivered, s.Failed, s.Released = r.Waiting, r.Delivered, r.Failed, r.Released > 0
	s.Enquiry, err = r.enquiry()
	return s, err
}

// Enquiries implements [enquiry.Records]. Of those of one instant, the higher id is first.
// A limit outside 1 to 1000 is the nearest of these.
func (s *Enquiries) Enquiries(ctx context.Context, q enquiry.ListQuery) ([]enquiry.Summary, error) {
	if err := database.CheckTexts(q.BeforeID); err != nil {
		return nil, err
	}
	list := s.db.Read.NewSelect().Model((*row)(nil)).ColumnExpr("e.*")
	for _, of := range []struct {
		column string
		state  enquiry.MailState
	}{{"waiting", enquiry.Queued}, {"delivered", enquiry.Delivered}, {"failed", enquiry.Failed}} {
		mails := s.db.Read.NewSelect().Model((*mailRow)(nil)).ColumnExpr("count(*)").
			Where("m.enquiry_id = e.id").Where("m.state = ?", string(of.state))
		list = list.ColumnExpr("(?) AS ?", mails, bun.Ident(of.column))
	}
	releases := s.db.Read.NewSelect().Model((*releaseRow)(nil)).ColumnExpr("1").Where("r.enquiry_id = e.id").Limit(1)
	list = list.ColumnExpr("(SELECT count(*) FROM (?) AS any_release) AS released", releases)
	if !q.Before.IsZero() {
		list = list.Where("(e.received_at, e.id) < (?, ?)", database.Micros(q.Before), q.BeforeID)
	}
	var rows []summaryRow
	err := list.Order("e.received_at DESC", "e.id DESC").Limit(int64(min(max(q.Limit, 1), listMost))).Scan(ctx, &rows)
	var all []enquiry.Summary
	for _, r := range rows {
		if err != nil {
			break
		}
		var one enquiry.Summary
		one, err = r.summary()
		all = append(all, one)
	}
	if err != nil {
		return nil, s.db.Fail(ctx, err, "list enquiries")
	}
	return all, nil
}

// How far limits look back; a day those of mails to one address.
const (
	hour = time.Hour
	day  = 24 * hour
)
