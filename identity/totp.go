package identity

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"strings"
	"time"
)

// One-time codes follow RFC 6238 with the parameters that every app supports: SHA-1, 6
// digits and steps of 30 seconds. A code of one step before or after the present is accepted
// as well, for clocks that differ; section 5.2 allows one step for the delay.
const (
	codeDigits  = 6
	codeModulus = 1_000_000
	codePeriod  = 30 // seconds
	codeSkew    = 1  // steps
	codeSecret  = 20 // bytes, as RFC 4226 recommends
)

// codeAt returns the code of a time step (RFC 4226, section 5.3).
func codeAt(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	var b [8]byte // the moving factor: 8 bytes, the highest first
	binary.BigEndian.PutUint64(b[:], uint64(step))
	mac.Write(b[:])
	sum := mac.Sum(nil)
	// Dynamic truncation: the low four bits of the last byte choose where 31 bits are read.
	// The highest bit is cleared, because signed and unsigned numbers differ in it.
	at := sum[len(sum)-1] & 0xf
	n := binary.BigEndian.Uint32(sum[at:at+4]) & 0x7fff_ffff
	return fmt.Sprintf("%0*d", codeDigits, n%codeModulus)
}

// stepOf returns the time step of an instant.
func stepOf(at time.Time) int64 { return at.Unix() / codePeriod }

// stepOfCode returns the time step that a code belongs to. Used is the last step whose code
// was used: codes of it and of earlier steps are not accepted again (RFC 6238, section 5.2).
// The result is false when the code belongs to no other step around the present.
func stepOfCode(secret []byte, code string, now time.Time, used int64) (int64, bool) {
	step, found := int64(0), 0
	// All steps are compared, each in constant time, so the time that it takes does not tell
	// which one matched. The earliest wins, which leaves the later ones usable.
	for s := stepOf(now) + codeSkew; s >= stepOf(now)-codeSkew; s-- {
		good := subtle.ConstantTimeCompare([]byte(code), []byte(codeAt(secret, s)))
		if s > used && good == 1 {
			step, found = s, 1
		}
	}
	return step, found == 1
}

// parseCode returns the digits of a code as people type it, with or without spaces. The
// result is false when they are not codeDigits digits.
func parseCode(s string) (string, bool) {
	// Bounded before any work on it; the factor leaves room for spaces.
	if len(s) > 4*codeDigits {
		return "", false
	}
	s = strings.ReplaceAll(s, " ", "")
	return s, len(s) == codeDigits && strings.Trim(s, "0123456789") == ""
}
