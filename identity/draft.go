package identity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/internal/fault"
)

// normalEmail returns an address in the form that is stored and looked up. It is "", which
// no person has, for an address that is too long or not ASCII. Only A to Z are lowered:
// some other letters have a lower case in ASCII (K, the Kelvin sign, has k), and two
// addresses would become one.
func normalEmail(s string) string {
	if len(s) > 2*MaxEmail {
		return ""
	}
	lower := []byte(strings.TrimSpace(s))
	for i, c := range lower {
		switch {
		case c >= utf8.RuneSelf:
			return ""
		case 'A' <= c && c <= 'Z':
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// isEmail reports whether s is an address in the form that is kept: a dot-atom
// (RFC 5321), an @ and a domain, in ASCII and lower case.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 0 || len(s) > MaxEmail {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if len(local) > 64 || len(domain) > 253 {
		return false
	}
	for atom := range strings.SplitSeq(local, ".") {
		if atom == "" || strings.ContainsFunc(atom, func(r rune) bool { return !isAlnum(r) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r) }) {
			return false
		}
	}
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "-") != label ||
			strings.ContainsFunc(label, func(r rune) bool { return !isAlnum(r) && r != '-' }) {
			return false
		}
	}
	return true
}

func isAlnum(r rune) bool { return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' }

// person checks a draft and returns it as a new person without a password. Its errors do not
// repeat the address.
func (r *register) person(d Draft) (Person, error) {
	p := Person{ID: newID(), Email: normalEmail(d.Email), Name: strings.TrimSpace(d.Name), Role: d.Role, OrgID: d.OrgID, Created: r.now()}
	if !isEmail(p.Email) {
		return Person{}, fault.BadParameter("email", "this is not an e-mail address such as name@example.org, in ASCII, of up to %d characters", MaxEmail)
	}
	if err := checkName(p.Name); err != nil {
		return Person{}, err
	}
	return p, checkRole(p.Role, p.OrgID)
}

func checkName(name string) error {
	n := utf8.RuneCountInString(name)
	switch {
	case !utf8.ValidString(name):
		return fault.BadParameter("name", "the name is not valid UTF-8")
	case n == 0:
		return fault.BadParameter("name", "the name is empty; 1 to %d characters are needed", MaxName)
	case n > MaxName:
		return fault.BadParameter("name", "the name has %d characters; 1 to %d are allowed", n, MaxName)
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }):
		return fault.BadParameter("name", "the name has a control character; none is allowed")
	}
	return nil
}

// checkRole refuses a member without an organisation, and an operator with one.
func checkRole(role Role, orgID string) error {
	switch {
	case role == Operator && orgID != "":
		return fault.BadParameter("organisation", "an operator belongs to no organisation; leave it out")
	case role == Member && orgID == "":
		return fault.BadParameter("organisation", "a member needs an organisation")
	case role != Operator && role != Member:
		return fault.BadParameter("role", "role %.64q is neither %q nor %q", role, Operator, Member)
	}
	return nil
}
