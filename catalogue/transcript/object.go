package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vaak/internal/fault"
)

// object holds the values of the known keys of a JSON object, as source text.
type object map[string]string

// readObject reads a JSON object. An unknown key is an error if strict is set, else it is
// skipped. A known key may occur once.
func readObject(raw string, known []string, strict bool) (object, error) {
	all := members(raw, 0)
	if all == nil {
		return nil, fmt.Errorf("there is %s where an object should be", quote(raw))
	}
	found := object{}
	for key, at := range all {
		if !slices.Contains(known, key) {
			if strict {
				return nil, fmt.Errorf("the key %s is not one of %s", quote(key), fault.Listed(known))
			}
			continue
		}
		// RFC 8259 leaves the meaning of a repeated key open. Taking one of the two would
		// lose the other in silence.
		if _, again := found[key]; again {
			return nil, fmt.Errorf("the key %s is there twice", quote(key))
		}
		found[key] = raw[at:valueEnd(raw, at)]
	}
	return found, nil
}

// text returns the string under a key. If there is none, it returns "", or an error if it is
// needed.
func (o object) text(key string, needed bool) (string, error) {
	raw, ok := o[key]
	if !ok && !needed {
		return "", nil
	}
	if !ok {
		return "", fmt.Errorf("there is no %q", key)
	}
	if !strings.HasPrefix(raw, `"`) {
		return "", fmt.Errorf("%q is %s, not a string", key, quote(raw))
	}
	// A string may hold \r as an escape, which the replacement for the whole file has not
	// seen.
	return breaks(unquoted(raw)), nil
}

// seconds returns the time under a key: a number or, if quoted is set, also a number in a
// string.
func (o object) seconds(key string, quoted bool) (float64, error) {
	raw, ok := o[key]
	if !ok {
		return 0, fmt.Errorf("there is no %q", key)
	}
	if quoted && strings.HasPrefix(raw, `"`) {
		raw = unquoted(raw)
	}
	v, err := seconds(raw)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", key, err)
	}
	return v, nil
}

// span returns the start and end under two keys; see [object.seconds].
func (o object) span(start, end string, quoted bool) (from, to float64, err error) {
	if from, err = o.seconds(start, quoted); err != nil {
		return 0, 0, err
	}
	if to, err = o.seconds(end, quoted); err != nil {
		return 0, 0, err
	}
	if why := badTimes(from, to); why != "" {
		return 0, 0, errors.New(why)
	}
	return from, to, nil
}
