package smtp

import (
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"vaak/internal/fault"
)

// target is the server that a URL names, with the credentials for it.
type target struct {
	host           string
	port           int
	user, password string // both or neither
	implicit       bool   // the connection begins with TLS
}

const (
	submissionPort  = 587 // RFC 6409
	submissionsPort = 465 // RFC 8314
	maxURL          = 2048
	maxHost         = 253
)

var domainName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)

// badURL returns the error for a URL. It quotes no part of it: an unescaped @, / or # in the
// password makes any part of the URL a part of the password.
func badURL(why string) error {
	return fault.BadParameter("smtp", "the URL of the mail server %s; it is smtp://user:password@host:port or smtps://user:password@host:port, where user, password and port may be left out, and a character other than a letter or digit in user or password is written as %%40 for @, %%2F for / and so on", why)
}

// parse parses the URL of a server.
func parse(raw string) (target, error) {
	u, err := url.Parse(raw)
	switch {
	case raw == "":
		return target{}, badURL("is missing")
	case len(raw) > maxURL || err != nil:
		return target{}, badURL("cannot be read")
	case u.Scheme != "smtp" && u.Scheme != "smtps":
		return target{}, badURL("begins with neither smtp:// nor smtps://")
	case u.Opaque != "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.ForceQuery || strings.Contains(raw, "#"):
		return target{}, badURL("has something behind host and port")
	}
	t := target{host: u.Hostname(), port: submissionPort, implicit: u.Scheme == "smtps"}
	if t.implicit {
		t.port = submissionsPort
	}
	if _, err := netip.ParseAddr(t.host); err != nil && (len(t.host) > maxHost || !domainName.MatchString(t.host)) {
		return target{}, badURL("names no host")
	}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return target{}, badURL("has a port that is not 1 to 65535")
		}
		t.port = int(n)
	}
	return t.signIn(u.User)
}

// signIn returns t with the credentials of a URL, if it has any.
func (t target) signIn(info *url.Userinfo) (target, error) {
	if info == nil {
		return t, nil
	}
	t.user = info.Username()
	t.password, _ = info.Password()
	switch {
	case t.user == "" || t.password == "":
		return target{}, badURL("has one of user and password and lacks the other")
	case strings.ContainsFunc(t.user+t.password, unicode.IsControl):
		return target{}, badURL("has a control character in user or password")
	}
	return t, nil
}

// loopback reports whether the host is this machine by its name or address.
func (t target) loopback() bool {
	ip, err := netip.ParseAddr(t.host)
	return err == nil && ip.IsLoopback() || strings.EqualFold(t.host, "localhost")
}

// greeting returns the name for the greeting: name itself or, if it is empty, the name of this
// machine if a server would accept that.
func greeting(name string) (string, error) {
	if name == "" {
		own, err := os.Hostname()
		if err != nil || len(own) > maxHost || !domainName.MatchString(own) {
			return "localhost", nil
		}
		return own, nil
	}
	literal := strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"), "IPv6:")
	if _, err := netip.ParseAddr(literal); err == nil && name[0] == '[' && name[len(name)-1] == ']' {
		return name, nil
	}
	if len(name) > maxHost || !domainName.MatchString(name) {
		return "", fault.BadParameter("smtp", "the name that greets the mail server must be a domain name or an address in brackets, such as mail.example.org or [192.0.2.1]: it is %.100q", name)
	}
	return name, nil
}
