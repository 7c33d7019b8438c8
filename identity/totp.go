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

// One-time codes are those of RFC 6238 with what every app takes: SHA-1, 6 digits and
// steps of 30 seconds. One step either side of the present is taken, as its section 5.2
// recommends, for clocks that differ.
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
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(step))
	mac.Write(b[:])
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	n := binary.BigEndian.Uint32(sum[at:at+4]) & 0x7fff_ffff
	return fmt.Sprintf("%0*d", codeDigits, n%codeModulus)
}

// stepOf returns the time step of an instant.
func stepOf(at time.Time) int64 { return at.Unix() / codePeriod }

// stepOfCode returns the step, after the last one that was used, of which a code is;
// false when it is of none around the present.
func stepOfCode(secret []byte, code string, now time.Time, used int64) (int64, bool) {
	step, found := int64(0), 0
	for s := stepOf(now) + codeSkew; s >= stepOf(now)-codeSkew; s-- {
		good := subtle.ConstantTimeCompare([]byte(code), []byte(codeAt(secret, s)))
		if s > used && good == 1 {
			step, found = s, 1
		}
	}
	return step, found == 1
}

// parseCode returns the digits of a code as people type it, with or without spaces;
// false when it is none.
func parseCode(s string) (string, bool) {
	if len(s) > 4*codeDigits {
		return "", false
	}
	s = strings.ReplaceAll(s, " ", "")
	return s, len(s) == codeDigits && strings.Trim(s, "0123456789") == ""
}
