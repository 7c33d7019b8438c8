package decode

// backlog is what a decoder of packets has made and nobody has read yet, and the
// error that ended it.
type backlog struct {
	pcm []float32 // the channels in turn
	err error     // what every further read returns
}

// read fills planes, as [Stream.Read] says. Fill is called when nothing is left; it
// leaves pcm empty only when it returns an error, io.EOF at the end.
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

// deal copies samples, the channels in turn, into planes from a place on until
// either is at its end, and returns how many of each channel.
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
