package console

import (
	"math"
	"strconv"
)

// lengths has pages write how long recordings are.
type lengths struct{}

// Length writes hours as people say them.
func (lengths) Length(hours float64) string { return inHours(hours) }

// inHours writes hours as people say them: 12 s, 2 min, 1.5 hours, 1,200 hours.
func inHours(hours float64) string {
	switch seconds := math.Round(hours * 3600); {
	case seconds < 60:
		return strconv.Itoa(int(seconds)) + " s"
	case seconds < 3570: // what rounds to less than 60 minutes
		return strconv.Itoa(int(math.Round(seconds/60))) + " min"
	}
	tenths := math.Round(hours * 10)
	if tenths >= 1000 { // a tenth tells nothing any more
		return plural(int(math.Round(hours)), "hour")
	}
	if tenths == 10 {
		return "1 hour"
	}
	return decimal(tenths/10) + " hours"
}

// inBytes writes a size in the largest unit of which there is one: 512 bytes, 1.5 MB.
func inBytes(n int64) string {
	if n < 1000 {
		return plural(int(n), "byte")
	}
	size, unit := float64(n), -1
	const units = "kMGTPE"
	for size >= 999.95 && unit < len(units)-1 {
		size, unit = size/1000, unit+1
	}
	return decimal(math.Round(size*10)/10) + " " + units[unit:unit+1] + "B"
}
