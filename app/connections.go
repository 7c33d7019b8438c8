package app

import (
	"context"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"vaak/edge/connection"
	"vaak/internal/telemetry"
	"vaak/rest/frame"
)

// OwnDescriptors is how many files a server has open without any client: listeners, the
// database, and files that all streams share. No system allows a process fewer.
const OwnDescriptors = 256

// pool returns the pool that limits the connections of clients. By default clients have
// half of the files that the process may open. The other half is for the engine, the
// database, answers on disk and the admin address.
func (c Config) pool() *connection.Pool {
	total := c.Connections
	if total == 0 {
		total = OwnDescriptors
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err == nil {
			total = int(min(limit.Cur, 1<<30) / 2) // 1<<30 keeps "unlimited" within an int
		}
	}
	perAddress := c.PerAddress
	if perAddress == 0 {
		perAddress = max(1, total/2)
	}
	return connection.NewPool(connection.Config{
		Total: total, PerAddress: perAddress, Exempt: c.Clients.Trusts, Refusal: frame.RefuseUnheard, Logger: c.Logger,
	})
}

const (
	// maxAdmins limits the connections to the admin address.
	maxAdmins = 64
	// adminFiles is how many open files are reserved for these connections.
	adminFiles = 16
)

// reserve returns the listener of the admin address. It holds back some open files, so the
// admin address answers even when clients use every other file that the process may open.
func (a *application) reserve(l net.Listener) (net.Listener, error) {
	kept, err := connection.Reserve(l, adminFiles)
	if err != nil {
		return nil, err
	}
	// The pool is another one than that of clients, so a prober is not refused when clients
	// have all of theirs.
	return connection.NewPool(connection.Config{Total: maxAdmins, Logger: a.log}).Listener(kept, nil), nil
}

func (a *application) connectionFigures(context.Context) (telemetry.Connections, error) {
	n := a.connections.Stats()
	return telemetry.Connections{
		Open: n.Open, FailedHandshakes: n.FailedHandshakes,
		Refused: map[string]int64{"total": n.RefusedTotal, "address": n.RefusedAddress},
	}, nil
}

func (a *application) certificateFigures(context.Context) (telemetry.Certificates, error) {
	n := a.certificates.Stats()
	c := telemetry.Certificates{Failures: n.Failures, Ends: map[string]time.Time{}}
	for _, end := range n.Ends {
		c.Ends[end.Name] = end.At
	}
	return c, nil
}
