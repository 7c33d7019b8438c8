package token

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vaak/internal/fault"
	"vaak/lang"
)

// checked returns limits with the id of their voice, the BCP 47 tag of their language, and
// each origin once, as an Origin header has it.
func (s *Service) checked(l Limits) (Limits, error) {
	if l.Voice != "" {
		v, err := s.Voices.Find("voice", l.Voice)
		if err != nil {
			return l, err
		}
		l.Voice = string(v.ID)
	}
	tag, err := lang.Resolve(l.Language)
	if err != nil {
		return l, err
	}
	l.Language = ""
	if !tag.IsZero() {
		l.Language = tag.String()
	}
	if l.MaxCharacters < 0 || l.MaxCharacters > MaxCharacters {
		return l, fault.BadParameter("max_characters", "max_characters %d is outside 1 to %d", l.MaxCharacters, MaxCharacters)
	}
	if l.MaxSession < 0 || l.MaxSession > MaxSession {
		return l, fault.BadParameter("max_session_seconds", "max_session_seconds %d is outside 1 to %d", l.MaxSession, MaxSession)
	}
	if len(l.Origins) > MaxOrigins {
		return l, fault.BadParameter("origins", "origins has %d entries; at most %d are allowed", len(l.Origins), MaxOrigins)
	}
	var origins []string
	for _, sent := range l.Origins {
		o, ok := originOf(sent)
		if !ok {
			return l, fault.BadParameter("origins", "%.100q is not a web origin: send scheme, host and port as an Origin header has them, such as https://app.example.org or http://localhost:3000", sent)
		}
		if !slices.Contains(origins, o) {
			origins = append(origins, o)
		}
	}
	l.Origins = origins
	return l, nil
}

// maxOrigin is how long an origin may be, in bytes: a host name has at most 253.
const maxOrigin = 300

// originOf returns an origin as browsers write it in an Origin header: in lower case,
// without the port where it is that of the scheme, and in ASCII. It returns false for
// anything that no browser sends for a page: another scheme, a path, a user, "null".
func originOf(sent string) (string, bool) {
	if len(sent) > maxOrigin {
		return "", false
	}
	u, err := url.Parse(sent)
	if err != nil || u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil || u.Opaque != "" || strings.HasSuffix(sent, "#") {
		return "", false
	}
	scheme := strings.ToLower(u.Scheme)
	usual := map[string]string{"http": "80", "https": "443"}[scheme]
	host, port := strings.ToLower(u.Hostname()), u.Port()
	switch {
	case usual == "", !isHost(host), strings.HasSuffix(u.Host, ":"):
		return "", false
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	if port == "" || port == usual {
		return scheme + "://" + host, true
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 || strconv.Itoa(n) != port {
		return "", false
	}
	return scheme + "://" + host + ":" + port, true
}

// isHost reports whether a host in lower case can be that of a page: an address, or a name
// in ASCII, in which other scripts are punycode.
func isHost(host string) bool {
	if strings.Contains(host, ":") {
		a, err := netip.ParseAddr(host)
		return err == nil && a.Is6() && a.Zone() == "" && a.String() == host
	}
	return host != "" && strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-._") == ""
}

// allowsOrigin reports whether a page of an origin may use the token. The comparison is
// exact: browsers write an origin in one way.
func (t Token) allowsOrigin(origin string) bool {
	return len(t.Origins) == 0 || slices.Contains(t.Origins, origin)
}

// Settle returns the voice and language of a socket that asks for some, "" for none. Those
// of its token win; where the socket asks for another voice or another language, the error
// is Forbidden. Names are not checked where the token sets no limit.
func (s *Service) Settle(t Token, voice, language string) (string, string, error) {
	if t.Voice != "" {
		if v, ok := s.Voices.Lookup(voice); voice != "" && (!ok || string(v.ID) != t.Voice) {
			return "", "", fault.New(fault.Forbidden, CodeNotAllowed, "voice", "this token is for the voice %s; the socket asks for %.64q", t.Voice, voice)
		}
		voice = t.Voice
	}
	if t.Language != "" {
		fixed, _ := lang.Find(t.Language)
		// The region and script are those of the token, whatever the socket says of them.
		if tag, ok := lang.Find(language); !ok || !tag.IsZero() && tag.Code != fixed.Code {
			return "", "", fault.New(fault.Forbidden, CodeNotAllowed, "lang", "this token is for the language %s; the socket asks for %.64q", t.Language, language)
		}
		language = t.Language
	}
	return voice, language, nil
}
