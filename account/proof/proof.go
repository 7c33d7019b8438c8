// Package proof has tests that put the ledger under load from several processes on real databases,
// kill some of the processes and the database, and then add everything up. Nothing may be
// overspent, lost or charged twice.
//
// A child process makes random operations and reports to its parent, line by line, what it is about
// to charge and what was acknowledged. At the end the database is compared with these reports.
package proof
