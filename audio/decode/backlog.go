package decode

// backlog holds what a decoder of packets has decoded and nobody has read yet, and the error that
// ended the decoding.
type backlog struct {
	pcm []float32 // interleaved channels
	err error     // returned by all further reads once pcm is empty
}

// read fills planes as described at [Stream.Read]. It calls fill when pcm is empty. fill may
// leave pcm empty only if it returns an error, which is io.EOF at the end.
func (b *backlog) read(planes [][]float32, channels int, fill func() error) (int, error) {
	want, err := room(planes, channels)
	if err != nil {
		return 0, err
	}
	n := 0
	for n < want {
		if len(b.pcm) == 0 && b.err == nil {
			b.err = fill()
		}
		if len(b.pcm) == 0 {
			break
		}
		took := deal(planes, n, b.pcm)
		b.pcm = b.pcm[took*channels:]
		n += took
	}
	if n == 0 && want > 0 {
		return 0, b.err
	}
	return n, nil
}

// deal copies interleaved samples into planes, from index at on, until one of them is used up. It
// returns how many samples per channel it copied.
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
