package level_test

import (
	"fmt"
	"math"

	"vaak/catalogue/measure/level"
)

// A tone of 997 Hz at full scale in one channel reads -3.01 LUFS (BS.1770-4).
func ExampleMeter() {
	const rate = 8000
	m := level.NewMeter(rate)
	for second := range 3 {
		x := make([]float32, rate)
		for i := range x {
			x[i] = float32(math.Sin(2 * math.Pi * 997 * float64(second*rate+i) / rate))
		}
		m.Write(x)
	}
	c := m.Result().Channel
	fmt.Printf("%.1f LUFS, %.0f dBTP, %.1f dBFS, %d parts\n",
		*c.LoudnessLUFS, *c.TruePeakDBTP, *c.RMSDBFS, len(m.Result().Peaks))
	// Output: -3.0 LUFS, 0 dBTP, -3.0 dBFS, 200 parts
}
