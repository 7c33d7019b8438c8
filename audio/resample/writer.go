package resample

import (
	"errors"

	"vaak/audio"
)

// blockSize is how many input samples are converted at a time. A longer WritePCM causes
// several writes to dst.
const blockSize = 2048

var errClosed = errors.New("resample: write after close")

// writer convolves the input, kept contiguous in hist, with the rows of a table.
type writer struct {
	dst audio.Writer
	t   *table
	err error // the first error, returned from then on

	hist        []float32 // input, from the next output's window on
	windowStart int       // where in hist the period's first window begins; may be negative
	next        int       // the next output within its period
	out         []int16   // reused

	closed bool
}

func newWriter(dst audio.Writer, t *table) *writer {
	w := &writer{dst: dst, t: t}
	w.hist = make([]float32, t.half-1, blockSize+2*t.taps) // zeros: silence before the first sample
	w.out = make([]int16, (blockSize+2*t.taps)*t.up/t.down+t.period)
	return w
}

// WritePCM converts pcm and writes all outputs that are complete.
func (w *writer) WritePCM(pcm []int16) error {
	if w.closed {
		return errClosed
	}
	for len(pcm) > 0 && w.err == nil {
		n := min(len(pcm), blockSize)
		w.push(pcm[:n])
		pcm = pcm[n:]
		w.emit()
	}
	return w.err
}

// Close writes the outputs that waited for more input, and closes dst.
func (w *writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	if w.err == nil {
		w.push(make([]int16, w.t.half)) // completes exactly the windows of the real samples
		w.emit()
	}
	if err := w.dst.Close(); w.err == nil {
		w.err = err
	}
	w.hist, w.out = nil, nil
	return w.err
}

// push appends at most blockSize samples to the history.
func (w *writer) push(pcm []int16) {
	if len(w.hist)+len(pcm) > cap(w.hist) {
		// No room: drop the input before the next window.
		used := w.windowStart + int(w.t.offsets[w.next])
		n := copy(w.hist, w.hist[used:])
		w.hist = w.hist[:n]
		w.windowStart -= used
	}
	n := len(w.hist)
	w.hist = w.hist[:n+len(pcm)]
	toFloat(w.hist[n:], pcm)
}

// emit writes all outputs whose window is complete.
func (w *writer) emit() {
	t, made := w.t, 0
	for {
		// Output k of the period needs input up to offsets[k] = k*down/up <= room.
		room := len(w.hist) - t.taps - w.windowStart
		n := ((room+1)*t.up+t.down-1)/t.down - w.next
		if room < 0 || n <= 0 {
			break
		}
		if n >= 4*t.period {
			w.periods(w.out[made:])
			made += 4 * t.period
			continue
		}
		n = min(n, t.period-w.next)
		w.rows(w.out[made : made+n])
		made += n
	}
	if made > 0 {
		w.err = w.dst.WritePCM(w.out[:made])
	}
}

// rows makes the next outputs, at most up to the end of the period.
func (w *writer) rows(out []int16) {
	t, from, to := w.t, w.next, w.next+len(out)
	window := w.hist[w.windowStart+int(t.offsets[from]):]
	convolve(out, window, t.coef[from*t.taps:to*t.taps], t.offsets[from:to], t.taps)
	if w.next = to; to == t.period {
		w.next = 0
		w.windowStart += t.advance
	}
}

// periods makes four periods of outputs: first the rows from the next one on, and then, one
// period later in the input, the rows before it.
func (w *writer) periods(out []int16) {
	t, k := w.t, w.next
	convolvePeriods(out, t, w.hist[w.windowStart+int(t.offsets[k]):], t.coef[k*t.taps:], t.offsets[k:])
	convolvePeriods(out[t.period-k:], t, w.hist[w.windowStart+t.advance:], t.coef[:k*t.taps], t.offsets[:k])
	w.windowStart += 4 * t.advance
}
