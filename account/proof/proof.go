// Package proof holds the tests that put the ledger under load in several
// processes on real databases, kill some of them and the database too, and add
// everything up afterwards: nothing may be overspent, lost or charged twice.
//
// A child process works through random operations and tells its parent, line by
// line, what it is about to charge and what was acknowledged. What the database
// says in the end is held against that.
package proof
