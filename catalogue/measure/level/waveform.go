package level

// waveform keeps the highest magnitudes of a stream of unknown length, in buckets that double
// in size whenever there is no room for another.
type waveform struct {
	buckets []float32
	size    int     // samples in a bucket, a power of 2
	highest float32 // in the bucket that is being filled
	filled  int     // samples in that bucket
	count   int     // samples in all
}

const (
	// parts is how many parts a recording is divided into.
	parts = 200
	// buckets is how many are kept at most, a multiple of block. At least half of them are
	// filled, so a part begins at most 1/40 of its length away from where it should.
	buckets = 8 * block
)

// add takes samples with the highest magnitude of each chunk of them.
func (w *waveform) add(samples, magnitude []float64) {
	w.count += len(samples)
	if w.size == 0 {
		w.size, w.buckets = 1, make([]float32, 0, buckets)
	}
	// While buckets are smaller than a chunk, every sample is looked at.
	if w.size < chunk {
		for _, v := range samples {
			w.put(float32(max(v, -v)), 1)
		}
		return
	}
	for i, v := range magnitude {
		w.put(float32(v), min(chunk, len(samples)-i*chunk))
	}
}

// put adds n samples whose highest magnitude is v.
func (w *waveform) put(v float32, n int) {
	if v > w.highest {
		w.highest = v
	}
	if w.filled += n; w.filled >= w.size {
		w.end()
	}
}

// end ends a bucket. If all are filled, it joins them two by two.
func (w *waveform) end() {
	w.buckets = append(w.buckets, w.highest)
	w.highest, w.filled = 0, 0
	if len(w.buckets) < buckets {
		return
	}
	for i := range buckets / 2 {
		w.buckets[i] = max(w.buckets[2*i], w.buckets[2*i+1])
	}
	w.buckets = w.buckets[:buckets/2]
	w.size *= 2
}

// finish ends the last bucket.
func (w *waveform) finish() {
	if w.filled > 0 {
		w.end()
	}
}

// parts returns the highest magnitude of each part. A bucket belongs to the part that its
// middle is in.
func (w *waveform) parts() []float64 {
	n := min(parts, w.count)
	out := make([]float64, n)
	for i, v := range w.buckets {
		// In half samples, to stay in whole numbers; the last bucket may be partly empty.
		middle := min(2*i*w.size+w.size, 2*w.count-1)
		part := middle * n / (2 * w.count)
		out[part] = max(out[part], min(float64(v), 1))
	}
	return out
}
