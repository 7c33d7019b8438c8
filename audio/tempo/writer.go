package tempo

import (
	"errors"
	"math"

	"vaak/audio"
)

// blockSize is how many input samples are processed at a time. A longer WritePCM causes several
// writes to dst.
const blockSize = 4096

var errClosed = errors.New("tempo: write after close")

// writer alternates between copying samples and splicing.
//
// drift is how many samples of output are missing compared with the speed asked for. Copying
// makes it grow at a low speed and shrink at a high one. Each splice sets it back by about a
// period. Splices are placed so that the drift varies evenly around zero. It is computed from
// exact counts, so errors do not add up over a long text.
type writer struct {
	dst   audio.Writer
	speed float64
	err   error // the first error, returned from then on

	finder      finder
	period      int // the last period found, in samples
	untilSplice int // input samples to copy before the next splice

	in    []int16 // input, from the history that the ending may need
	pos   int     // the first sample of in that is not consumed
	total int     // samples received
	used  int     // samples consumed
	made  int     // samples produced
	out   []int16 // produced and not written yet

	closed bool
}

func newWriter(dst audio.Writer, rate int, speed float64) *writer {
	w := &writer{dst: dst, speed: speed, finder: newFinder(rate), period: rate / 100}
	w.in = make([]int16, 0, blockSize+8*w.finder.longest)
	w.planSplice()
	return w
}

// WritePCM takes pcm and passes on what is ready.
func (w *writer) WritePCM(pcm []int16) error {
	if w.closed {
		return errClosed
	}
	for len(pcm) > 0 && w.err == nil {
		n := min(len(pcm), blockSize)
		w.push(pcm[:n])
		pcm = pcm[n:]
		w.run(false)
		w.flush()
	}
	return w.err
}

// Close writes the remaining output, and closes dst.
func (w *writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	if w.err == nil {
		w.run(true)
		w.appendEnding(max(0, position(w.total, w.speed)-w.made))
		w.flush()
	}
	if err := w.dst.Close(); w.err == nil {
		w.err = err
	}
	w.in, w.out = nil, nil
	return w.err
}

// push appends pcm to the input and drops what is no longer needed.
func (w *writer) push(pcm []int16) {
	if len(w.in)+len(pcm) > cap(w.in) {
		old := max(0, w.pos-w.finder.longest)
		w.in = w.in[:copy(w.in, w.in[old:])]
		w.pos -= old
	}
	w.in = append(w.in, pcm...)
	w.total += len(pcm)
}

func (w *writer) flush() {
	if len(w.out) > 0 && w.err == nil {
		w.err = w.dst.WritePCM(w.out)
	}
	w.out = w.out[:0]
}

func (w *writer) drift() float64 { return float64(w.used)/w.speed - float64(w.made) }

// run copies and splices as far as the input allows. It always leaves the longest period for
// the ending. Before the end of the input it also waits until the search for a period has all
// the samples that it may look at.
func (w *writer) run(end bool) {
	reserve := w.finder.longest
	search := 2 * w.finder.longest
	for {
		left := len(w.in) - w.pos - reserve
		if w.untilSplice > 0 {
			if !end {
				left -= search
			}
			n := min(w.untilSplice, left)
			if n <= 0 {
				return
			}
			w.out = append(w.out, w.in[w.pos:w.pos+n]...)
			w.consume(n, n)
			w.untilSplice -= n
			continue
		}
		// At the end there may be less than two of the longest periods left.
		longest := min(w.finder.longest, left/2)
		if longest < w.finder.shortest || !end && left < search {
			return
		}
		w.period = w.finder.find(w.in[w.pos:], longest)
		w.splice(w.period)
		w.planSplice()
	}
}

// splice leaves out the next period, or repeats it.
func (w *writer) splice(p int) {
	first, second := w.in[w.pos:w.pos+p], w.in[w.pos+p:w.pos+2*p]
	if w.speed > 1 {
		// Two periods become one, which begins as the first and ends as the second.
		w.out = appendFade(w.out, first, second)
		w.consume(2*p, p)
		return
	}
	// One period becomes two: after the first, the second fades into the first again, so
	// that the input continues after the first period without a step.
	w.out = append(w.out, first...)
	w.out = appendFade(w.out, second, first)
	w.consume(p, 2*p)
}

func (w *writer) consume(used, made int) {
	w.pos += used
	w.used += used
	w.made += made
}

// planSplice sets how much to copy until the drift is half of what a splice of the same period
// will change it by, so that the drift is centred on zero.
func (w *writer) planSplice() {
	p := float64(w.period)
	perSample := 1/w.speed - 1
	target := p * (2 - 1/w.speed) / 2
	if w.speed > 1 {
		target = -p * (2/w.speed - 1) / 2
	}
	w.untilSplice = max(0, int(math.Ceil((target-w.drift())/perSample)))
}

// appendEnding makes the last n samples. It begins as the remaining input begins, ends as it
// ends, and fades from one to the other.
func (w *writer) appendEnding(n int) {
	rest := len(w.in) - w.pos
	shift := n - rest // of the end of the input relative to its beginning
	from, to := 0, min(rest, n)
	if early := shift - w.pos; early > 0 {
		from = min(early, to) // before that there is no input for the end
	}
	for i := range n {
		var head, tail float32
		if i < rest {
			head = float32(w.in[w.pos+i])
		}
		if j := w.pos + i - shift; j >= 0 {
			tail = float32(w.in[j])
		}
		mix := float32(1)
		if i < to {
			mix = max(0, float32(i-from)/float32(to-from))
		}
		w.out = append(w.out, round(head+(tail-head)*mix))
	}
	w.consume(rest, n)
}
