package recording

// Backlog holds what a decoder of packets has decoded and nobody has read yet, and the error that
// ended the decoding.
type Backlog struct {
	PCM []float32 // interleaved channels
	Err error     // returned by all further reads once PCM is empty
}

// Read fills planes as described at [Stream]. It calls fill when PCM is empty. fill may
// leave PCM empty only if it returns an error, which is io.EOF at the end.
func (b *Backlog) Read(planes [][]float32, channels int, fill func() error) (int, error) {
	want, err := PlaneLength(planes, channels)
	if err != nil {
		return 0, err
	}
	n := 0
	for n < want {
		if len(b.PCM) == 0 && b.Err == nil {
			b.Err = fill()
		}
		// fill may set both: then its samples are returned first, and its error afterwards.
		if len(b.PCM) == 0 {
			break
		}
		took := deal(planes, n, b.PCM)
		b.PCM = b.PCM[took*channels:]
		n += took
	}
	// A read of no samples is not the end, so it returns no error.
	if n == 0 && want > 0 {
		return 0, b.Err
	}
	return n, nil
}

// deal copies interleaved samples into planes, from index from on, until one of them is used up.
// It returns how many samples per channel it copied.
func deal(planes [][]float32, from int, pcm []float32) int {
	channels := len(planes)
	n := min(len(planes[0])-from, len(pcm)/channels)
	for c, p := range planes {
		for i, at := from, c; i < from+n; i, at = i+1, at+channels {
			p[i] = pcm[at]
		}
	}
	return n
}
