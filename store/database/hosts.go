package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"vaak/internal/pause"
)

// hosts connects with that host of a DSN which takes writes. Each attempt begins with the host
// that was reached last, and a host that does not answer gets only its share of the time. So a
// machine that has fallen silent keeps nobody from its standby, however short callers wait.
type hosts struct {
	driver.Connector // of the first host, for the methods that do not connect

	each  []driver.Connector
	first atomic.Int32 // where an attempt begins
}

// newHosts returns a connector for the hosts of cfg.
func newHosts(cfg *pgx.ConnConfig, opts ...stdlib.OptionOpenDB) *hosts {
	h := &hosts{}
	for _, one := range eachHost(cfg) {
		h.each = append(h.each, stdlib.GetConnector(*one, opts...))
	}
	h.Connector = h.each[0]
	return h
}

// eachHost divides cfg into one for each host. A host may have several fallbacks, with and
// without TLS.
func eachHost(cfg *pgx.ConnConfig) (all []*pgx.ConnConfig) {
	ways := append([]*pgconn.FallbackConfig{{Host: cfg.Host, Port: cfg.Port, TLSConfig: cfg.TLSConfig}}, cfg.Fallbacks...)
	for i, w := range ways {
		if i > 0 && w.Host == ways[i-1].Host && w.Port == ways[i-1].Port {
			last := all[len(all)-1]
			last.Fallbacks = append(last.Fallbacks, w)
			continue
		}
		one := cfg.Copy()
		one.Host, one.Port, one.TLSConfig, one.Fallbacks = w.Host, w.Port, w.TLSConfig, nil
		if one.ConnectTimeout >= connectTimeout {
			one.ConnectTimeout = 0 // Connect waits no longer, and does not count a stop of the machine
		}
		all = append(all, one)
	}
	return all
}

// Connect implements [driver.Connector]. It takes [connectTimeout] at most, over all hosts.
func (h *hosts) Connect(ctx context.Context) (driver.Conn, error) {
	ctx, cancel := pause.Within(ctx, connectTimeout)
	defer cancel()
	until, _ := ctx.Deadline()
	var errs []error
	begin, count := int(h.first.Load()), len(h.each)
	for tried := range count {
		n := (begin + tried) % count
		share, cancel := ctx, func() {}
		if left := count - tried; left > 1 { // the last one has what remains
			share, cancel = pause.Within(ctx, time.Until(until)/time.Duration(left))
		}
		c, err := h.each[n].Connect(share)
		cancel()
		if err == nil {
			h.first.Store(int32(n))
			return c, nil
		}
		// Also when the caller's time is over: the next attempt begins with another host.
		h.first.CompareAndSwap(int32(n), int32((n+1)%count))
		if errs = append(errs, err); ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(errs...)
}

// prepare sets how connections are made.
func prepare(cfg *pgx.ConnConfig) {
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout // for each address
	}
	if len(eachHost(cfg)) > 1 && cfg.ValidateConnect == nil {
		cfg.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite // the others are standbys
	}
}

// prepareJobs sets how the jobs connect, which they do without [hosts]: a stop of the machine counts
// there. Without another host to go on to, it does no harm to wait for longer.
func prepareJobs(cfg *pgx.ConnConfig) {
	if cfg.ConnectTimeout == 0 && len(eachHost(cfg)) == 1 {
		cfg.ConnectTimeout = 5 * connectTimeout
	}
	prepare(cfg)
}
