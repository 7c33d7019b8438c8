package decodetest

import (
	"fmt"
)

// SPHERE returns a SPHERE file of fields and samples.
func SPHERE(fields string, samples []byte) []byte {
	head := "NIST_1A\n   1024\n" + fields + "end_head\n"
	return append(fmt.Appendf(nil, "%-1024s", head), samples...)
}
