package speak

import "strings"

// Fill returns a pattern with its fields replaced, such as {n} or {d:spellout-ordinal}.
// The function gets the name of a field and the rule set after its colon. When it
// returns false for a field, so does Fill.
func Fill(pattern string, value func(name, set string) (string, bool)) (string, bool) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "{")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		field, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", false
		}
		name, set, _ := strings.Cut(field, ":")
		v, ok := value(name, set)
		if !ok {
			return "", false
		}
		b.WriteString(v)
		pattern = after
	}
}

// Fill1 returns a pattern with one field replaced.
func Fill1(pattern, field, value string) string {
	return strings.Replace(pattern, field, value, 1)
}

// Fill2 returns a pattern with two fields replaced in one pass, so that a field name
// inside a value is not replaced.
func Fill2(pattern, field1, value1, field2, value2 string) string {
	i := strings.Index(pattern, field1)
	j := strings.Index(pattern, field2)
	if i < 0 {
		return Fill1(pattern, field2, value2)
	}
	if j < 0 {
		return Fill1(pattern, field1, value1)
	}
	// The fields are put in the order of the pattern, which some languages turn around.
	if j < i {
		i, j, field1, field2, value1, value2 = j, i, field2, field1, value2, value1
	}
	return pattern[:i] + value1 + pattern[i+len(field1):j] + value2 + pattern[j+len(field2):]
}
