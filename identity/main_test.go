package identity

import (
	"os"
	"testing"
	"time"
)

// published is the cost outside of tests.
var published = cost

func TestMain(m *testing.M) {
	cost = hashing{memory: 8, passes: 1, lanes: 1} // tests of behaviour need not wait
	os.Exit(m.Run())
}

// CodeFor returns the code of an instant, for tests outside of this package.
func CodeFor(secret string, at time.Time) string {
	b, err := codesEncoding.DecodeString(secret)
	if err != nil {
		panic(err)
	}
	return codeAt(b, stepOf(at))
}
