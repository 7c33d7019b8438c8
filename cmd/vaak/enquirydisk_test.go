package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vaak/app/deployment"
)

// TestLengthyFullDiskMail fills the disk that mails are written to: the enquiry is taken,
// the mail waits, and is there, whole, when there is room.
func TestLengthyFullDiskMail(t *testing.T) { onSmallDisk(t, mailOnFullDisk) }

func mailOnFullDisk(t *testing.T, dir string) {
	database := dir + "-elsewhere.db" // beside the small disk
	s := &server{t: t, dir: filepath.Join(dir, "var")}
	s.env = append(os.Environ(), "VAAK_DATA_DIR="+s.dir, "VAAK_DATABASE=sqlite:"+database, "VAAK_ESPEAK_WORKER=none")
	s.serve("--services", "catalogue")
	filler := filepath.Join(dir, "filler")
	fillWith(t, filler, 0)
	id := s.accepted(question("asha@example.org", strings.Repeat("How many hours? ", 300)))
	soon(t, "the attempt has failed", func() bool { return field(s.vaak("enquiry", "show", id), "mail", 4) == "1" })
	if problem := field(s.vaak("enquiry", "show", id), "mail", 7); !strings.Contains(problem, "no space left") {
		t.Errorf("its problem is %q", problem)
	}
	mail := filepath.Join(s.dir, deployment.Mail)
	if got := filesIn(t, mail); len(got) != 0 {
		t.Errorf("there is %v, a part of a mail", got)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	soon(t, "it is delivered", func() bool {
		onDatabase(t, database, dueNow)
		return field(s.vaak("enquiry", "show", id), "mail", 3) == "delivered"
	})
	files, err := filepath.Glob(filepath.Join(mail, "*.eml"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files = %q, %v, want one", files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, text, err := readMail(raw); err != nil || strings.Count(text, "How many hours?") != 300 {
		t.Errorf("the mail is %s, %v", raw, err)
	}
	s.stop()
	quietOfPersons(t, s)
}
