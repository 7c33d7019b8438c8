package store

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"vaak/enquiry"
	"vaak/store/database/databasetest"
	"vaak/store/storetest"
)

// mailJobs returns the mails with a job to do, one for each job.
func mailJobs(t *testing.T, s *Store) []string {
	t.Helper()
	text := "json(args)" // SQLite's are of its binary sort
	if s.db.Postgres() {
		text = "args::text"
	}
	var args []string
	err := s.db.Read.NewRaw("SELECT "+text+" FROM river_job WHERE kind IN (?, ?) AND state IN ('available', 'running', 'scheduled', 'retryable', 'pending')",
		enquiry.JobMail, enquiry.JobLink).Scan(t.Context(), &args)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, text := range args {
		var job struct{ Args enquiry.MailArgs }
		if err := json.Unmarshal([]byte(text), &job); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, job.Args.Mail)
	}
	return ids
}

func runEnquiries(t *testing.T, dsn func(t *testing.T) string, shared bool) {
	storetest.RunEnquiries(t, func(t *testing.T) storetest.OpenedEnquiries {
		dsn, clock := dsn(t), storetest.NewClock()
		s := openBy(t, dsn, clock.Now)
		o := storetest.OpenedEnquiries{
			Enquiries: s.Enquiries(), Clock: clock, Close: s.Close,
			Jobs: func(t *testing.T) []string { return mailJobs(t, s) },
		}
		if shared {
			o.Again = func(t *testing.T) storetest.Enquiries { return openBy(t, dsn, clock.Now).Enquiries() }
		}
		return o
	})
}

func TestEnquiriesSQLite(t *testing.T) {
	t.Parallel()
	runEnquiries(t, func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "vaak.db") }, true)
}

func TestLengthyEnquiriesMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("the statements are those of the file; make test runs it")
	}
	t.Parallel()
	runEnquiries(t, func(t *testing.T) string { return "sqlite::memory:" }, false)
}

func TestEnquiriesPostgres(t *testing.T) {
	t.Parallel()
	runEnquiries(t, func(t *testing.T) string { return databasetest.Postgres(t) }, true)
}
