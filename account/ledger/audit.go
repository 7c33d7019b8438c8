package ledger

// Audit is the result of adding up all books.
type Audit struct {
	Lots       int64
	OpenHolds  int64 // that keep characters for requests; an advance counts as one hold then
	Advances   int64 // that are held, in use or not
	HeldChars  int64 // kept for requests, without what advances have ahead
	Lapsed     int64 // holds, as long as they are remembered
	WrittenOff int64 // characters, ever
	Charged    int64 // characters, ever, from lots
	// Faults are sentences about invariants that do not hold, with ids and numbers. An
	// audit without faults is sound.
	Faults []string
}

// Sound reports whether everything adds up.
func (a Audit) Sound() bool { return len(a.Faults) == 0 }
