package account

import "time"

const periodLayout = "2006-01"

// Period is a UTC calendar month, YYYY-MM.
type Period string

// PeriodOf returns the month in which t lies.
func PeriodOf(t time.Time) Period { return Period(t.UTC().Format(periodLayout)) }

// KeyUsage is what one key used in one month.
type KeyUsage struct {
	KeyID      string
	Period     Period
	Requests   int64         // that succeeded
	Characters int64         // code points whose audio was handed over
	Audio      time.Duration // whole milliseconds
}

// plus returns the sum of two records of the same key and month.
func (u KeyUsage) plus(v KeyUsage) KeyUsage {
	u.Requests += v.Requests
	u.Characters += v.Characters
	u.Audio += v.Audio
	return u
}
