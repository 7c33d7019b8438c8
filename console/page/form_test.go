package page

import (
	"net/url"
	"testing"
	"time"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]int64{
		"": 7, "  ": 7, "0": 0, "12000": 12_000, "12,000": 12_000, "1 234 567": 1_234_567, "1_000": 1000, "1\u00a0000": 1000,
		"1\u202f000": 1000, "-1": -1, "-1,000": -1000, "+5": 5, "007": 7, "9223372036854775807": 1<<63 - 1,
	} {
		f := Form{url.Values{"n": {sent}}}
		if n, err := f.Number("n", 7); n != want || err != nil {
			t.Errorf("Number(%q) = %d, %v, want %d", sent, n, err, want)
		}
	}
	for _, sent := range []string{
		"1,5", "1 0,0_0", "12,00", "1234,567", ",000", "1,", "1,,000", "1.5", "1e3", "0x10", "many", "--1", "9223372036854775808", "1\t000", "١",
	} {
		f := Form{url.Values{"n": {sent}}}
		if n, err := f.Number("n", 7); err == nil {
			t.Errorf("Number(%q) = %d, want an error", sent, n)
		}
	}
}

func TestDay(t *testing.T) {
	t.Parallel()
	f := Form{url.Values{"late": {"2999-12-31"}, "past": {"2001-01-01"}, "none": {"2999-02-30"}, "today": {time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)}}}
	end, err := f.Day("late")
	if want := time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC); !end.Equal(want) || err != nil {
		t.Errorf("Day = %v, %v, want %v", end, err, want)
	}
	if got := LastDay(end); got != "31 December 2999" {
		t.Errorf("LastDay = %q", got)
	}
	if end, err := f.Day("today"); end.IsZero() || err != nil {
		t.Errorf("tomorrow = %v, %v", end, err)
	}
	if end, err := f.Day("empty"); !end.IsZero() || err != nil {
		t.Errorf("an empty day = %v, %v", end, err)
	}
	for _, name := range []string{"past", "none"} {
		if end, err := f.Day(name); err == nil {
			t.Errorf("Day of %q = %v, want an error", f.Field(name), end)
		}
	}
}
