package translit

import "sync"

// sure are words that are Indian in any sentence, even in an English one: they
// are no names, no dictionary of common English has them, and an English voice
// reads them so that they are hard to understand.
var sure = sync.OnceValue(func() map[string]int {
	return map[string]int{
		"namaste": hindi, "namastey": hindi, "namaskar": hindi, "namaskaar": hindi,
		"dhanyavaad": hindi, "dhanyavad": hindi, "dhanyawad": hindi, "dhanyawaad": hindi,
		"shukriya": hindi, "accha": hindi, "achha": hindi, "achchha": hindi, "achcha": hindi,
		"kya": hindi, "kyun": hindi, "kyon": hindi, "nahi": hindi, "nahin": hindi, "haan": hindi,
		"theek": hindi, "bahut": hindi, "bohot": hindi, "mujhe": hindi, "chahiye": hindi,
		"kaise": hindi, "zindagi": hindi, "bilkul": hindi,
		"dhonnobad": bengali, "dhonnobaad": bengali, "bhalobasha": bengali,
		"vanakkam": tamilLanguage, "nandri": tamilLanguage, "paravayillai": tamilLanguage,
		"dhanyavadalu": telugu, "dhanyavaadalu": telugu, "namaskaram": telugu,
		"dhanyavadagalu": kannada, "dhanyavaadagalu": kannada, "namaskara": kannada,
	}
})

// Places in codes.
const (
	hindi = iota
	bengali
	tamilLanguage
	telugu
	marathi
	gujarati
	kannada
	malayalam
	punjabi
)
