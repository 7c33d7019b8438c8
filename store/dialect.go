package store

// dialect holds what differs between the databases. Everything else is one
// code for both.
type dialect struct {
	name string // of the database, as people and the directory of its migrations spell it
	// prepares says that a statement prepared once is cheaper than its text.
	prepares bool
	// hasMigrations is a query that gives 1 when there is a table
	// schema_migrations, else 0.
	hasMigrations string
	// makeMigrations makes that table.
	makeMigrations string
	// lockMigrations keeps other processes out until the end of the
	// transaction; "" when beginning it has done so.
	lockMigrations string
	// cause says what an error of the driver means.
	cause func(error) cause
}

// cause is what an error of a database means to the domain.
type cause int

const (
	unknown   cause = iota // a fault of the statement
	missing                // a row that another refers to is not there
	duplicate              // a row with that key is there
	malformed              // text that the database cannot hold
	away                   // the world around the database; trying again may help
)
