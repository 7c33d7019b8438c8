package locale

import "strings"

// Forms are the forms of a word by the name of their plural category, "zero" to
// "other".
type Forms map[string]string

// ParseForms reads forms as files write them: "one=dollar | other=dollars". A
// value without categories is the only form. The value "" has none.
func ParseForms(value string) Forms {
	if value == "" {
		return nil
	}
	f := Forms{}
	for part := range strings.SplitSeq(value, " | ") {
		name, form, ok := strings.Cut(part, "=")
		// Not a list of forms after all: a word may contain an equals sign or a bar.
		if !ok || !category(name) {
			return Forms{"other": value}
		}
		f[name] = form
	}
	return f
}

// category reports whether a plural category of CLDR has the name.
func category(name string) bool {
	switch name {
	case "zero", "one", "two", "few", "many", "other":
		return true
	}
	return false
}

// Pick returns the form of a category, or the one of "other" without it.
func (f Forms) Pick(category string) string {
	if s, ok := f[category]; ok {
		return s
	}
	return f["other"]
}
