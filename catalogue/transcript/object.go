package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vaak/internal/fault"
)

// object is what a JSON object has under the keys that mean something, as it is
// written.
type object map[string]string

// readObject reads an object. Keys that are not known are refused where it is
// strict, else left out; none of the others may come twice.
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
		if _, again := found[key]; again {
			return nil, fmt.Errorf("the key %s is there twice", quote(key))
		}
		found[key] = raw[at:valueEnd(raw, at)]
	}
	return found, nil
}

// text returns a string; "" when it is not there and need not be.
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
	return breaks(unquoted(raw)), nil
}

// seconds returns a time: a number, or where it may be quoted a number in a string.
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

// span returns the two times of an object.
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
