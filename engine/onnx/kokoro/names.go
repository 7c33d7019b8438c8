package kokoro

import (
	"strconv"
	"strings"
	"unicode"

	"vaak/lang"
	"vaak/voice"
)

// Speaker is what the name of a voice tells.
type Speaker struct {
	Language lang.Code
	Region   string
	Gender   voice.Gender
	Display  string // such as "Heart"
}

// languages are the first letters of names of voices.
var languages = map[byte]Speaker{
	'a': {Language: "en", Region: "US"}, 'b': {Language: "en", Region: "GB"}, 'e': {Language: "es", Region: "ES"}, 'f': {Language: "fr", Region: "FR"},
	'h': {Language: "hi", Region: "IN"}, 'i': {Language: "it", Region: "IT"}, 'j': {Language: "ja", Region: "JP"}, 'p': {Language: "pt", Region: "BR"},
	'z': {Language: "zh", Region: "CN"},
}

// ParseSpeaker returns what the name of a voice tells, such as "af_heart": a for American
// English, f for female, and the name of the speaker. ok is false for names of another form.
func ParseSpeaker(name string) (s Speaker, ok bool) {
	prefix, rest, named := strings.Cut(name, "_")
	if len(prefix) != 2 || named && rest == "" {
		return Speaker{}, false
	}
	if s, ok = languages[prefix[0]]; !ok {
		return Speaker{}, false
	}
	switch prefix[1] {
	case 'f':
		s.Gender = voice.Female
	case 'm':
		s.Gender = voice.Male
	default:
		return Speaker{}, false
	}
	if s.Display = name; named {
		words := strings.Split(rest, "_")
		for i, w := range words {
			if w != "" {
				r := []rune(w)
				r[0] = unicode.ToUpper(r[0])
				words[i] = string(r)
			}
		}
		s.Display = strings.Join(words, " ")
	}
	return s, true
}

// SpeakerNames returns the names of the voices of sherpa-onnx's voices.bin in their order, from
// the metadata of its model. It is nil if the metadata does not tell them.
func SpeakerNames(metadata map[string]string) []string {
	if all := metadata["speaker_names"]; all != "" {
		return clean(strings.Split(all, ","))
	}
	// The same in the form "0->af,1->af_bella".
	byID := metadata["id2speaker"]
	if byID == "" {
		return nil
	}
	var names []string
	for i, pair := range strings.Split(byID, ",") {
		id, name, ok := strings.Cut(pair, "->")
		if n, err := strconv.Atoi(strings.TrimSpace(id)); !ok || err != nil || n != i {
			return nil
		}
		names = append(names, name)
	}
	return clean(names)
}

func clean(names []string) []string {
	if len(names) > maxVoices {
		return nil
	}
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
	}
	return names
}
