package database

// dialect holds what differs between the databases. All other code serves both.
type dialect struct {
	name string // of the database, as people and the directory of its migrations spell it
	// hasMigrations is a query that returns 1 when the table schema_migrations exists,
	// else 0.
	hasMigrations string
	// makeMigrations creates that table.
	makeMigrations string
	// lockMigrations are statements that keep other processes out until the end of the
	// transaction; none when beginning the transaction has done so.
	lockMigrations []string
	// cause says what an error of the driver means.
	cause func(error) cause
}

// cause is what an error of a database means to the domain.
type cause int

const (
	unknown   cause = iota // the statement is at fault
	missing                // a row that another refers to does not exist
	duplicate              // a row with that key exists
	malformed              // a text that the database cannot hold
	away                   // disk, network, lock or server; trying again may help
)
