package flac

// history is the highest order of a predictor. Each plane has that many zeros before its
// samples, so one loop serves all orders: missing coefficients are zero and read zeros.
const history = 32

// predict adds to each sample after the first order ones what the coefficients, the one of
// the latest sample first, predict from the samples before it.
func predict(plane []int64, order int, coeffs *[history]int64, shift uint) {
	shift &= 63
	from := history + order
	// The loops differ only in how many samples they look back. 4 is the highest order of the
	// fixed predictors, and 12 the highest of the streamable subset up to 48 kHz (RFC 9639,
	// section 7).
	switch {
	case order <= 4:
		predict4(plane, from, (*[4]int64)(coeffs[:]), shift)
	case order <= 8:
		predict8(plane, from, (*[8]int64)(coeffs[:]), shift)
	case order <= 12:
		predict12(plane, from, (*[12]int64)(coeffs[:]), shift)
	default:
		predict32(plane, from, coeffs, shift)
	}
}

func predict4(plane []int64, from int, c *[4]int64, shift uint) {
	c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
	w := (*[4]int64)(plane[from-4:])
	x3, x2, x1, x0 := w[0], w[1], w[2], w[3]
	// The last four samples stay in variables: each result is needed at once for the next sample.
	for i, v := range plane[from:] {
		v += (c3*x3 + c2*x2 + c1*x1 + c0*x0) >> (shift & 63)
		plane[from+i] = v
		x3, x2, x1, x0 = x2, x1, x0, v
	}
}

func predict8(plane []int64, from int, c *[8]int64, shift uint) {
	c0, c1, c2, c3, c4, c5, c6, c7 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
	for i := from - 8; i+8 < len(plane); i++ {
		// A pointer to an array costs one bounds check for all nine accesses.
		w := (*[9]int64)(plane[i:])
		w[8] += (c7*w[0] + c6*w[1] + c5*w[2] + c4*w[3] + c3*w[4] + c2*w[5] + c1*w[6] + c0*w[7]) >> (shift & 63)
	}
}

func predict12(plane []int64, from int, c *[12]int64, shift uint) {
	for i := from - 12; i+12 < len(plane); i++ {
		w := (*[13]int64)(plane[i:])
		sum := c[11]*w[0] + c[10]*w[1] + c[9]*w[2] + c[8]*w[3] + c[7]*w[4] + c[6]*w[5]
		sum += c[5]*w[6] + c[4]*w[7] + c[3]*w[8] + c[2]*w[9] + c[1]*w[10] + c[0]*w[11]
		w[12] += sum >> (shift & 63)
	}
}

func predict32(plane []int64, from int, c *[history]int64, shift uint) {
	for i := from - history; i+history < len(plane); i++ {
		w := (*[history + 1]int64)(plane[i:])
		var sum int64
		for j := 0; j < history; j += 4 {
			sum += c[31-j]*w[j] + c[30-j]*w[j+1] + c[29-j]*w[j+2] + c[28-j]*w[j+3]
		}
		w[history] += sum >> (shift & 63)
	}
}
