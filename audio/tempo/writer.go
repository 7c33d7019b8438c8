package tempo

import (
	"errors"
	"math"

	"vaak/audio"
)

// chunk is how many input samples are taken in at a time; a longer write makes
// several writes to dst.
const chunk = 4096

var errClosed = errors.New("tempo: write after close")

// writer alternates between passing samples on and splicing.
//
// Its drift is how many samples of output it owes: positive when it is behind
// what the speed asks for. Passing on makes the drift grow (slow) or shrink
// (fast), each splice sets it back by about a period, and the splices are placed
// so that it swings evenly about zero. It is computed from exact counts, so
// nothing adds up over a long text.
type writer struct {
	dst   audio.Writer
	speed float64
	err   error // sticky

	finder finder
	period int // samples, the last one found
	pass   int // input samples to pass on before the next splice

	in    []int16 // from the history that the ending may need on
	pos   int     // the first sample of in that is not consumed
	total int     // samples received
	used  int     // samples consumed
	made  int     // samples produced
	out   []int16 // produced and not yet written

	closed bool
}

func newWriter(dst audio.Writer, rate int, speed float64) *writer {
	w := &writer{dst: dst, speed: speed, finder: newFinder(rate), period: rate / 100}
	w.in = make([]int16, 0, chunk+8*w.finder.longest)
	w.plan()
	return w
}

// WritePCM takes pcm and passes on what is ready.
func (w *writer) WritePCM(pcm []int16) error {
	if w.closed {
		return errClosed
	}
	for len(pcm) > 0 && w.err == nil {
		n := min(len(pcm), chunk)
		w.push(pcm[:n])
		pcm = pcm[n:]
		w.run(false)
		w.flush()
	}
	return w.err
}

// Close makes the rest of the output, and closes dst.
func (w *writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	if w.err == nil {
		w.run(true)
		w.ending(max(0, Position(w.total, w.speed)-w.made))
		w.flush()
	}
	if err := w.dst.Close(); w.err == nil {
		w.err = err
	}
	w.in, w.out = nil, nil
	return w.err
}

// push appends pcm to the input, dropping what no one needs any more.
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

// run passes on and splices as far as the input allows. It always leaves the
// longest period for the ending; before the end it also waits for all that the
// search of a period may want to see.
func (w *writer) run(end bool) {
	reserve := w.finder.longest
	search := 2 * w.finder.longest
	for {
		left := len(w.in) - w.pos - reserve
		if w.pass > 0 {
			if !end {
				left -= search
			}
			n := min(w.pass, left)
			if n <= 0 {
				return
			}
			w.out = append(w.out, w.in[w.pos:w.pos+n]...)
			w.consume(n, n)
			w.pass -= n
			continue
		}
		longest := min(w.finder.longest, left/2)
		if longest < w.finder.shortest || !end && left < search {
			return
		}
		w.period = w.finder.find(w.in[w.pos:], longest)
		w.splice(w.period)
		w.plan()
	}
}

// splice leaves out the next period, or says it twice.
func (w *writer) splice(p int) {
	first, second := w.in[w.pos:w.pos+p], w.in[w.pos+p:w.pos+2*p]
	if w.speed > 1 {
		w.out = appendFade(w.out, first, second)
		w.consume(2*p, p)
		return
	}
	w.out = append(w.out, first...)
	w.out = appendFade(w.out, second, first)
	w.consume(p, 2*p)
}

func (w *writer) consume(used, made int) {
	w.pos += used
	w.used += used
	w.made += made
}

// plan sets how much to pass on: until the drift is half of what a splice of
// the same period will take away again.
func (w *writer) plan() {
	p := float64(w.period)
	perSample := 1/w.speed - 1
	target := p * (2 - 1/w.speed) / 2
	if w.speed > 1 {
		target = -p * (2/w.speed - 1) / 2
	}
	w.pass = max(0, int(math.Ceil((target-w.drift())/perSample)))
}

// ending makes the last n samples: it begins as the remaining input does, ends
// as it does, and fades from one to the other.
func (w *writer) ending(n int) {
	rest := len(w.in) - w.pos
	shift := n - rest // of the end against the beginning
	from, to := 0, min(rest, n)
	if early := shift - w.pos; early > 0 {
		from = min(early, to) // before that the end has no samples
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
