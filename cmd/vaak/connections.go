package main

import (
	"context"
	"log/slog"
	"net"

	"golang.org/x/sys/unix"

	"vaak/edge/connection"
	"vaak/internal/telemetry"
	"vaak/rest/frame"
)

// connectionFlags bound the connections of clients.
type connectionFlags struct {
	MaxConnections           int `help:"Connections that clients may have open at once, on the public address and the console together; 0 is half of the files that the process may open. Default: ${default}." default:"0" placeholder:"N"`
	MaxConnectionsPerAddress int `help:"Connections that one client address may have open at once, be it a proxy that --trusted-proxies does not name; 0 is half of --max-connections. Default: ${default}." default:"0" placeholder:"N"`
}

func (f connectionFlags) check() error {
	if f.MaxConnections < 0 {
		return badUsage("--max-connections %d is under 0; 0 is half of the files that the process may open", f.MaxConnections)
	}
	if f.MaxConnectionsPerAddress < 0 {
		return badUsage("--max-connections-per-address %d is under 0; 0 is half of --max-connections", f.MaxConnectionsPerAddress)
	}
	return nil
}

// total returns how many connections clients may have. The other half of the files is
// for the engine, the database, answers on disk and those who watch the server.
func (f connectionFlags) total() int {
	if f.MaxConnections > 0 {
		return f.MaxConnections
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return otherDescriptors // what any process may open
	}
	return int(min(limit.Cur, 1<<30) / 2)
}

func (f connectionFlags) perAddress() int {
	if f.MaxConnectionsPerAddress > 0 {
		return f.MaxConnectionsPerAddress
	}
	return max(1, f.total()/2)
}

// connections returns what counts the connections of clients.
func (c serveCommand) connections(log *slog.Logger) *connection.Pool {
	return connection.NewPool(connection.Config{
		Total: c.total(), PerAddress: c.perAddress(), Exempt: c.clients().Trusts, Refusal: frame.RefuseUnheard, Logger: log,
	})
}

const (
	// maxAdmins is how many connections those who watch the server may have.
	maxAdmins = 64
	// adminFiles is how many open files are kept back for them.
	adminFiles = 16
)

// reserve returns the listener of those who watch the server: it answers when clients
// have taken every open file.
func (a *application) reserve(l net.Listener) (net.Listener, error) {
	kept, err := connection.Reserve(l, adminFiles)
	if err != nil {
		return nil, err
	}
	return connection.NewPool(connection.Config{Total: maxAdmins, Logger: a.log}).Listener(kept, nil), nil
}

func (a *application) connectionFigures(context.Context) (telemetry.Connections, error) {
	n := a.connections.Stats()
	return telemetry.Connections{
		Open: n.Open, FailedHandshakes: n.FailedHandshakes,
		Refused: map[string]int64{"total": n.RefusedTotal, "address": n.RefusedAddress},
	}, nil
}
