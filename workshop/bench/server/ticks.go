package server

import (
	"os"
	"strconv"
	"strings"
)

// Ticks are what all cores of the machine have done since it started.
type Ticks struct{ idle, stolen, total int64 }

// ReadTicks reads them; they are zero where the kernel does not tell.
func ReadTicks() Ticks {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return Ticks{}
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return parseTicks(line)
}

// parseTicks reads the first line of /proc/stat: user nice system idle iowait
// irq softirq steal, and guest times that are part of user and nice.
func parseTicks(line string) (t Ticks) {
	fields := strings.Fields(line)
	for i, f := range fields {
		n, err := strconv.ParseInt(f, 10, 64)
		// Field 0 is the name "cpu". Fields 9 and 10 are the guest times, which user and nice
		// include.
		if i == 0 || i > 8 || err != nil {
			continue
		}
		t.total += n
		switch i {
		case 4, 5:
			t.idle += n
		case 8:
			t.stolen = n
		}
	}
	return t
}

// Since returns what came after before.
func (t Ticks) Since(before Ticks) Ticks {
	return Ticks{t.idle - before.idle, t.stolen - before.stolen, t.total - before.total}
}

// Stolen returns the share that the hypervisor gave to others.
func (t Ticks) Stolen() float64 { return t.share(t.stolen) }

// Busy returns the share in which the cores computed, for whomever.
func (t Ticks) Busy() float64 { return t.share(t.total - t.idle) }

func (t Ticks) share(n int64) float64 { return float64(n) / float64(max(t.total, 1)) }
