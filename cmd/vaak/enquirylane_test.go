package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vaak/app/work"
	"vaak/store/storetest/pgtest"
)

// TestLengthyHungMailServer has a mail server that answers nobody: other work goes on, and
// what waited is delivered when it answers again.
func TestLengthyHungMailServer(t *testing.T) {
	slow(t)
	t.Parallel()
	mails := startMailServer(t)
	s := startCatalogue(t, "", append(mails.flags(mailConfig(t, "")), "--trusted-proxies", "127.0.0.1/32")...)
	answer := make(chan struct{})
	mails.at(func(at step) error {
		if at == stepMail {
			<-answer
		}
		return nil
	})
	const count = 12
	for i := range count {
		s.accepted(question(fmt.Sprintf("person%d@example.org", i), "How many hours?"), fmt.Sprint("X-Forwarded-For: 198.51.100.", i+1))
	}
	database := filepath.Join(s.dir, "vaak.db")
	soon(t, "mails are under way", func() bool {
		return countRows(t, database, "SELECT count(*) FROM river_job WHERE kind = 'enquiry.mail' AND state = 'running'") == work.MailsAtOnce
	})
	onDatabase(t, database, "INSERT INTO river_job (kind, args, max_attempts, priority, state, scheduled_at) VALUES ('ledger.sweep', jsonb('{}'), 1, 4, 'available', datetime('now', '-1 second'))")
	soon(t, "the books are swept beside them", func() bool {
		return countRows(t, database, "SELECT count(*) FROM river_job WHERE kind = 'ledger.sweep' AND priority = 4 AND state = 'completed'") == 1
	})
	close(answer)
	mails.at(nil)
	soon(t, "all are delivered", func() bool { return len(mails.mails()) == count })
	s.stop()
}

// TestLengthyMailsBesideSpeech has a server of the speech service alone on the same database:
// it leaves mails to the server that can deliver them.
func TestLengthyMailsBesideSpeech(t *testing.T) {
	slow(t)
	t.Parallel()
	database := pgtest.DSN(t)
	speaks := startOn(t, database, "--services", "speech")
	mails := startMailServer(t)
	s := startCatalogue(t, database, append(mails.flags(mailConfig(t, "")), "--trusted-proxies", "127.0.0.1/32")...)
	const count = 10
	for i := range count {
		s.accepted(question(fmt.Sprintf("person%d@example.org", i), "How many hours?"), fmt.Sprint("X-Forwarded-For: 198.51.100.", i+1))
	}
	soon(t, "all are delivered", func() bool { return strings.Count(s.vaak("enquiry", "list"), "\t0\t1\t0\t") == count })
	if log := speaks.log.String(); strings.Contains(log, "enquiry.mail") {
		t.Errorf("the server of speech has tried: %s", log)
	}
	s.stop()
	speaks.stop()
}
