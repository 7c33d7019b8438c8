package account

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"vaak/internal/fault"
)

// MaxRequests is how many records [Service.Requests] returns at most.
const MaxRequests = 200

// RequestScan is the most records of an organisation that a page of [Service.Requests]
// reads when no index has exactly the records that it asks for.
const RequestScan = 20_000

// RequestMark is a cursor in the list of an organisation's request records.
type RequestMark struct {
	At  time.Time
	Seq int64
}

// Mark returns the cursor of a record. A query with it as Before returns the records that
// are older than r.
func (r RequestRecord) Mark() RequestMark { return RequestMark{At: r.At, Seq: r.Seq} }

// RequestQuery asks for request records.
type RequestQuery struct {
	Before RequestMark // records that are older than this one; zero: from the latest on
	ID     string      // of the request; "" is any
	Key    string      // id of a key, or [ConsoleKey]; "" is any
	Code   string      // of the refusal or failure; "" is any
	Failed bool        // only those with a code
	Limit  int         // 1 to [MaxRequests]
}

// Bounded reports whether no index has exactly the records that q asks for. These are the
// queries for a code, and for the failures of a key.
func (q RequestQuery) Bounded() bool {
	return q.ID == "" && (q.Code != "" || q.Failed && q.Key != "")
}

// maxRequestID is how long the id of a request may be that is looked for, in bytes.
const maxRequestID = 200

// Requests returns an organisation's request records, the latest first. A key that is
// not of the organisation, and a code that nothing has failed with, have none.
//
// Where q is [RequestQuery.Bounded], records are looked for among [RequestScan] failures
// from the mark on, and older ones are not found; all else is found however far back it
// is.
func (r *reports) Requests(ctx context.Context, orgID string, q RequestQuery) ([]RequestRecord, error) {
	if q.Limit < 1 || q.Limit > MaxRequests {
		return nil, fault.BadParameter("limit", "limit %d is outside 1 to %d", q.Limit, MaxRequests)
	}
	if _, err := r.directory.Organisation(ctx, orgID); err != nil {
		return nil, err
	}
	if len(q.ID) > maxRequestID || q.Key != "" && q.Key != ConsoleKey && !isID(keyPrefix, q.Key) || !isCode(q.Code) {
		return nil, nil
	}
	records, err := r.store.Requests(ctx, orgID, q)
	if err != nil {
		return nil, fmt.Errorf("read request records of %s: %w", orgID, err)
	}
	return records, nil
}

// isCode reports whether s has the shape of a code of package fault, or is empty.
func isCode(s string) bool {
	return len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// What [Service.Recent] looks at.
const (
	pulseSpan     = 24 * time.Hour
	pulseRequests = 5_000
)

// Outcome is how a request went.
type Outcome struct {
	At         time.Time
	FirstAudio time.Duration // 0 when there was none
	Code       string        // "" when it went well
}

// Pulse says how an organisation's latest requests went: at most the last 5,000, of
// the last 24 hours.
type Pulse struct {
	Since     time.Time // when the first of them came; zero when there was none
	Requests  int
	Succeeded int
	// FirstAudio is of those that had audio; zero when none had.
	FirstAudio Percentiles
	Failures   []CodeCount // those with most requests first, then by code
}

// Percentiles of times: so many of a hundred were no longer than each.
type Percentiles struct{ P50, P90, P99 time.Duration }

// CodeCount is how many requests failed with a code.
type CodeCount struct {
	Code     string
	Requests int
}

// Recent returns how an organisation's latest requests went.
func (r *reports) Recent(ctx context.Context, orgID string) (Pulse, error) {
	if _, err := r.directory.Organisation(ctx, orgID); err != nil {
		return Pulse{}, err
	}
	outcomes, err := r.store.Outcomes(ctx, orgID, r.now().Add(-pulseSpan), pulseRequests)
	if err != nil {
		return Pulse{}, fmt.Errorf("read how requests of %s went: %w", orgID, err)
	}
	return pulseOf(outcomes), nil
}

// pulseOf sums up outcomes, which are ordered from the latest to the oldest.
func pulseOf(outcomes []Outcome) Pulse {
	p := Pulse{Requests: len(outcomes)}
	var waits []time.Duration
	failures := map[string]int{}
	for _, o := range outcomes {
		p.Since = o.At // the last one, which is the oldest, stays
		if o.FirstAudio > 0 {
			waits = append(waits, o.FirstAudio)
		}
		if o.Code == "" {
			p.Succeeded++
		} else {
			failures[o.Code]++
		}
	}
	slices.Sort(waits)
	p.FirstAudio = Percentiles{P50: percentile(waits, 50), P90: percentile(waits, 90), P99: percentile(waits, 99)}
	for code, n := range failures {
		p.Failures = append(p.Failures, CodeCount{code, n})
	}
	slices.SortFunc(p.Failures, func(a, b CodeCount) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Code, b.Code))
	})
	return p
}

// percentile returns the smallest of sorted times that so many of a hundred do not
// exceed (nearest rank); 0 of none.
func percentile(sorted []time.Duration, of int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*of+99)/100-1] // the rank, from 1, is rounded up
}
