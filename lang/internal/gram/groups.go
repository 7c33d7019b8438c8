package gram

// Group is a script with the languages that the table distinguishes in it.
type Group struct {
	Script string   // ISO 15924
	Codes  []string // in product order, which decides ties
	Edges  bool     // whether words have edges
}

// Groups returns the scripts in the table. Languages that only sometimes use a script (Serbian
// in Latin letters, Sindhi in Devanagari) are left out: distinguishing them would cost more
// accuracy than it gains.
func Groups() []Group {
	return []Group{
		{"Latn", []string{"en", "tr", "az", "uz", "hr", "sl", "sk", "cs", "pl", "hu", "ro", "sq", "lt", "lv", "et", "fi", "sv", "nb", "da", "is", "nl", "de", "af", "fr", "it", "es", "pt", "ca", "eu", "cy", "ga", "mt", "id", "ms", "vi", "sw", "eo"}, true},
		{"Deva", []string{"hi", "mr", "ne", "kok", "sa", "mai", "doi", "brx", "bho"}, true},
		{"Beng", []string{"bn", "as", "mni"}, true},
		{"Arab", []string{"ur", "sd", "ks", "ar", "fa"}, true},
		{"Cyrl", []string{"kk", "ky", "ru", "uk", "be", "bg", "mk", "sr"}, true},
		{"Hani", []string{"ja", "zh", "yue"}, false},
	}
}
