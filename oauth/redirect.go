package oauth

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// schemes are the schemes of hosts for agents whose names are not those of a domain, as RFC 8252
// (section 7.1) would have them.
var schemes = []string{"claude", "cursor", "vscode", "vscode-insiders", "windsurf", "zed"}

// badRedirect says why people are not sent to an address; "" is no reason. Allowed are https
// anywhere, http on the machine of the person (RFC 8252, section 7.3), and schemes of programs:
// with a dot, or of a known host for agents. Addresses are ASCII, so a name that looks like another
// one is in its punycode form.
func badRedirect(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || !plain(address):
		return "is no address"
	case len(address) > maxAddress:
		return "is too long"
	case u.Fragment != "" || strings.Contains(address, "#"):
		return "has a fragment"
	case u.User != nil:
		return "has a user"
	case u.Scheme == "https":
		if !webAddress(address) {
			return "has no host"
		}
		return ""
	case u.Scheme == "http":
		if !loopback(u) {
			return "is http and not on the person's own machine; allowed: https, or http to 127.0.0.1, [::1] or localhost"
		}
		return ""
	case slices.Contains(schemes, u.Scheme), strings.Contains(u.Scheme, "."):
		if u.Opaque != "" || u.Host == "" && u.Path == "" {
			return "names no place"
		}
		return ""
	}
	return "has a scheme that is not allowed; allowed: https, http on the person's own machine, and schemes of programs, such as com.example.app"
}

// plain reports whether an address is printable ASCII that every reader divides alike.
func plain(address string) bool {
	return address != "" && !strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\\\"<>^`{|}", r) })
}

// webAddress reports whether an address is an https one with a host and without a user.
func webAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= maxAddress && plain(address) && u.Scheme == "https" && u.Hostname() != "" && u.User == nil && !strings.Contains(address, "#")
}

// loopback reports whether an address is on the machine of the person.
func loopback(u *url.URL) bool {
	at, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && at.IsLoopback() && at.Zone() == ""
}

// redirects reports whether a client may have people sent to an address: one that it has named, to
// the letter. On the machine of the person the port may be another one, as programs take a free
// one (RFC 8252, section 7.3).
func (c Client) redirects(address string) bool {
	if badRedirect(address) != "" {
		return false
	}
	if slices.Contains(c.Redirects, address) {
		return true
	}
	asked, _ := url.Parse(address) // badRedirect has parsed it
	if asked.Scheme != "http" {
		return false
	}
	return slices.ContainsFunc(c.Redirects, func(named string) bool {
		u, err := url.Parse(named)
		return err == nil && u.Scheme == "http" && loopback(u) && u.Hostname() == asked.Hostname() &&
			u.EscapedPath() == asked.EscapedPath() && u.RawQuery == asked.RawQuery && u.ForceQuery == asked.ForceQuery
	})
}

// with returns an address with parameters added.
func with(address string, add url.Values) string {
	u, err := url.Parse(address)
	if err != nil { // cannot be: badRedirect has parsed it
		return address
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += add.Encode()
	return u.String()
}
