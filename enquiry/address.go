package enquiry

import (
	"fmt"
	"strings"
)

// CheckAddress returns what is wrong with an e-mail address, as a sentence that does not
// repeat the address, or nil. It accepts what mail servers everywhere accept: a local part
// of letters, digits and !#$%&'*+-/=?^_`{|}~ between dots, and a domain name in ASCII with
// a dot in it. Quoted local parts, comments, display names and address literals are refused.
func CheckAddress(address string) error {
	local, domain, found := cutLast(address)
	switch {
	case !found:
		return errNoAddress("it has no @")
	case len(address) > MaxEmail:
		return errNoAddress(fmt.Sprintf("it has %d characters, and %d are the most", len(address), MaxEmail))
	case !isLocal(local):
		return errNoAddress("before the @ may stand letters, digits and signs such as . _ + -, up to 64, without spaces or quotes")
	case !isDomain(domain):
		return errNoAddress("after the @ must stand a domain such as example.org, in ASCII (xn--… for other scripts)")
	}
	return nil
}

// CheckOwnAddress is CheckAddress for the addresses of the service itself. Their domain may
// also be localhost, for mail on one machine.
func CheckOwnAddress(address string) error {
	if local, domain, _ := cutLast(address); domain == "localhost" && isLocal(local) {
		return nil
	}
	return CheckAddress(address)
}

// errNoAddress is what is wrong with an address.
type errNoAddress string

// Error implements error.
func (e errNoAddress) Error() string {
	return "is not an address such as name@example.org: " + string(e)
}

func cutLast(address string) (local, domain string, found bool) {
	i := strings.LastIndexByte(address, '@')
	if i < 0 {
		return "", "", false
	}
	return address[:i], address[i+1:], true
}

// isLocal reports whether s is a dot-atom (RFC 5321) of at most 64 characters.
func isLocal(s string) bool {
	if len(s) > 64 {
		return false
	}
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" || strings.ContainsFunc(atom, func(r rune) bool { return !isAlnum(r) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r) }) {
			return false
		}
	}
	return true
}

// isDomain reports whether s is a domain name of at least two labels whose last has a
// letter.
func isDomain(s string) bool {
	labels := strings.Split(s, ".")
	if len(s) > 253 || len(labels) < 2 {
		return false
	}
	for _, l := range labels {
		if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' ||
			strings.ContainsFunc(l, func(r rune) bool { return !isAlnum(r) && r != '-' }) {
			return false
		}
	}
	// A last label of digits only would be an IP address.
	return strings.ContainsFunc(labels[len(labels)-1], func(r rune) bool { return r > '9' })
}

func isAlnum(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// sender returns the address that limits count: in lower case and without its plus-tag, so that
// one person cannot pass the limit with many tags.
func sender(address string) string {
	local, domain, _ := cutLast(strings.ToLower(address))
	name, _, _ := strings.Cut(local, "+")
	if name == "" {
		name = local // the local part begins with the plus sign
	}
	return name + "@" + domain
}
