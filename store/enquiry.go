package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"vaak/enquiry"
	"vaak/internal/fault"
)

// Enquiries is the part of a store that holds enquiries, their mails and what is
// known of them. It is good for as long as the store is open.
//
// Instants that the domain leaves to the store are those of the database's clock
// on PostgreSQL, which all processes share, and of the machine on SQLite. No error
// holds what a person typed, nor an address.
type Enquiries struct{ store *Store }

var (
	_ enquiry.Store   = (*Enquiries)(nil)
	_ enquiry.Outbox  = (*Enquiries)(nil)
	_ enquiry.Records = (*Enquiries)(nil)
)

// Enquiries returns the part that holds enquiries.
func (s *Store) Enquiries() *Enquiries { return &Enquiries{s} }

// enquiryColumns are what scanEnquiry reads, of a table called e.
const enquiryColumns = "e.id, e.received_at, e.intent, e.method, e.purged, e.dataset, e.about, e.name, e.email, e.company, e.agent, e.message"

// row is one row of a result.
type row interface{ Scan(into ...any) error }

func scanEnquiry(r row) (enquiry.Enquiry, error) { return scanEnquiryAnd(r) }

// scanEnquiryAnd scans enquiryColumns and more that come after them.
func scanEnquiryAnd(r row, more ...any) (e enquiry.Enquiry, err error) {
	var received int64
	var about string
	f := &e.Form
	err = r.Scan(append([]any{&e.ID, &received, &f.Intent, &e.Method, &e.Purged, &f.Dataset, &about,
		&f.Name, &f.Email, &f.Company, &f.Agent, &f.Message}, more...)...)
	if err != nil {
		return e, err
	}
	e.Received = instant(received)
	if about == "" {
		return e, nil
	}
	return e, decode(about, &e.About, "the dataset of an enquiry")
}

// decode reads JSON that the store wrote. Its error does not quote the text.
func decode(text string, into any, what string) error {
	if json.Unmarshal([]byte(text), into) != nil {
		return fmt.Errorf("%s, of %d bytes, is no JSON as it was written", what, len(text))
	}
	return nil
}

// encoded returns JSON of strings, which can always be written.
func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only of types that are no plain data
	}
	return string(b)
}

// collect returns the rows of a query.
func collect[T any](ctx context.Context, db bun.IDB, scan func(row) (T, error), query string, args ...any) (all []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// first returns the first row of a query; false when there is none.
func first[T any](ctx context.Context, db bun.IDB, scan func(row) (T, error), query string, args ...any) (v T, ok bool, err error) {
	all, err := collect(ctx, db, scan, query, args...)
	if err != nil || len(all) == 0 {
		return v, false, err
	}
	return all[0], true, nil
}

// names reports whether a text that came from outside can be the id of something.
func names(id string) bool {
	return id != "" && len(id) <= 1000 && utf8.ValidString(id) && !strings.ContainsRune(id, 0)
}

// checkTexts refuses what cannot be kept, and does not repeat it.
func checkTexts(texts ...string) error {
	for _, t := range texts {
		if strings.ContainsRune(t, 0) || !utf8.ValidString(t) {
			return fault.New(fault.Invalid, fault.CodeInvalidParameter, "", "a text holds U+0000 or is not UTF-8, and cannot be kept")
		}
	}
	return nil
}

func checkForm(f enquiry.Form) error {
	return checkTexts(f.Name, f.Email, f.Company, string(f.Intent), f.Dataset, f.Message, f.Agent)
}

// Enquiry implements [enquiry.Store] and [enquiry.Records].
func (e *Enquiries) Enquiry(ctx context.Context, id string) (enquiry.Enquiry, bool, error) {
	if !names(id) {
		return enquiry.Enquiry{}, false, nil
	}
	found, ok, err := first(ctx, e.store.read, scanEnquiry, "SELECT "+enquiryColumns+" FROM enquiries AS e WHERE e.id = ?", id)
	return found, ok, e.store.fail(ctx, err, "read an enquiry")
}

// listMost is how many enquiries are listed at most.
const listMost = 1000

// Enquiries implements [enquiry.Records]. Of those of one instant, the higher id is
// first. A limit outside 1 to 1000 is the nearest of these.
func (e *Enquiries) Enquiries(ctx context.Context, q enquiry.ListQuery) ([]enquiry.Summary, error) {
	if err := checkTexts(q.BeforeID); err != nil {
		return nil, err
	}
	before := int64(math.MaxInt64)
	if !q.Before.IsZero() {
		before = micros(q.Before)
	}
	mails := func(state enquiry.MailState) string {
		return "(SELECT count(*) FROM enquiry_mails AS m WHERE m.enquiry_id = e.id AND m.state = '" + string(state) + "'), "
	}
	all, err := collect(ctx, e.store.read, scanSummary, "SELECT "+enquiryColumns+", "+
		mails(enquiry.Queued)+mails(enquiry.Delivered)+mails(enquiry.Failed)+
		`(SELECT count(*) FROM (SELECT 1 FROM sample_releases AS r WHERE r.enquiry_id = e.id LIMIT 1) AS any_release)
		FROM enquiries AS e WHERE (e.received_at, e.id) < (?, ?) ORDER BY e.received_at DESC, e.id DESC LIMIT ?`,
		before, q.BeforeID, min(max(q.Limit, 1), listMost))
	return all, e.store.fail(ctx, err, "list enquiries")
}

func scanSummary(r row) (s enquiry.Summary, err error) {
	s.Enquiry, err = scanEnquiryAnd(r, &s.Waiting, &s.Delivered, &s.Failed, &s.Released)
	return s, err
}

// How far limits look back; a day those of mails to one address.
const (
	hour = time.Hour
	day  = 24 * hour
)
