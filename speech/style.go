package speech

import (
	"vaak/internal/fault"
	"vaak/text/frontend"
)

// Style says how a text is read. The zero Style is the default.
type Style = frontend.Style

// ParseStyle returns the style that parameters of a request ask for, by their names in every
// interface: markdown is true or absent for a text that may have Markdown, emoji is silent
// or named, urls is host or full. An empty value stands for the default, which is the first.
func ParseStyle(markdown *bool, emoji, urls string) (s Style, err error) {
	s.PlainText = markdown != nil && !*markdown
	switch emoji {
	case "", "silent":
	case "named":
		s.NameEmoji = true
	default:
		return s, fault.BadParameter("emoji", "emoji %.40q is not one of silent, named", emoji)
	}
	switch urls {
	case "", "host":
	case "full":
		s.FullAddresses = true
	default:
		return s, fault.BadParameter("urls", "urls %.40q is not one of host, full", urls)
	}
	return s, nil
}
