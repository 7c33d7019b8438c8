package doctor

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"vaak/internal/checkup"
)

// written is a date before this program existed. A clock that shows an earlier time is
// wrong.
var written = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// clock checks that the time is plausible, and kept so.
func (p *Patient) clock(context.Context) checkup.Finding {
	var kernel unix.Timex // without modes it only reads
	// The state is TIME_ERROR while no service keeps the clock synchronized (STA_UNSYNC;
	// see adjtimex(2)).
	state, err := unix.Adjtimex(&kernel)
	return clockFinding(time.Now(), err == nil && state == unix.TIME_ERROR, hostKeepsTime("/"))
}

// hostKeepsTime returns why this system does not run a time service of its own: it is a
// container, or it has no systemd, as small virtual machines do. It returns "" if it can
// run one. root is the root of the file system.
func hostKeepsTime(root string) string {
	for _, mark := range []string{".dockerenv", "run/.containerenv", "run/systemd/container"} {
		if _, err := os.Stat(filepath.Join(root, mark)); err == nil {
			return "this is a container"
		}
	}
	if _, err := os.Stat(filepath.Join(root, "run/systemd/system")); err != nil { // see sd_booted(3)
		return "no systemd runs here"
	}
	return ""
}

// clockFinding returns the finding for a time. adrift means that no time service keeps the
// clock synchronized; host is the result of hostKeepsTime.
func clockFinding(now time.Time, adrift bool, host string) checkup.Finding {
	at := now.UTC().Format(time.RFC3339)
	switch {
	case now.Before(written):
		return checkup.Fail("Set the clock.", "it says %s, which is before this program was written", at)
	case adrift && host != "":
		return checkup.Good("%s; nothing here keeps it right, which is left to the host: %s", at, host)
	case adrift:
		return checkup.Warn("Run a time service, such as systemd-timesyncd or chrony, unless the host of this virtual machine sets its clock.", "%s; the kernel says that nothing keeps it right", at)
	}
	return checkup.Good("%s", at)
}
