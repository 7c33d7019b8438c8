package seam

// Delay returns how many samples of the body of a continued piece are held back at most.
func (j *Joiner) Delay() int { return j.delay() }
