package ledger

// Audit is what adding up all books has found.
type Audit struct {
	Lots       int64
	OpenHolds  int64
	Lapsed     int64 // holds, as long as they are remembered
	HeldChars  int64
	WrittenOff int64 // characters, ever
	Charged    int64 // characters, ever, from lots
	// Faults are the invariants that do not hold, in sentences that name ids and
	// numbers; none is sound.
	Faults []string
}

// Sound reports whether everything adds up.
func (a Audit) Sound() bool { return len(a.Faults) == 0 }
