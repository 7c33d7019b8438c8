package main

import (
	"slices"
	"strings"
	"unicode"
)

// shortForms are long unit names of CLDR that are abbreviations all the same,
// without the place of the number, by locale. They cannot be read aloud.
var shortForms = map[string]string{
	"am":  "ኤቮ,ጊባ,ጊዋ,ሄሊ,ኬ,ኪባ,ኪጁ,ሜባ,ሜዋ,ማግ,ሚግ,ሚዋ,ኒ,ፒበኢ,ነበኢ,ሩ,ራዲ,ቴባ,/ጋሎን",
	"az":  "r,dek",
	"be":  "К",
	"cy":  "mpg,chw,kW-awr,mmHg,L,ppi",
	"ga":  "u,bl,bhl,mbl,scht,AR,sbh,spbh,msu,nóim,soic,shoic,cna,petabytes",
	"hy":  "կտ,սթ",
	"ka":  "ა",
	"kok": "रे,वो,मी,कॅ,क,गॅ,लि,कु,सेमी,डेमी,किग्रा,किमी,मिग्रा,मिलि,मिमी,मिन,नॅसॅक,न्यु,क्वा,म्ह,चौ मा",
	"or":  "ପା",
	"uz":  "mm simob ustuni",
}

// mistaken are units whose name in CLDR is that of something else: a kilobyte
// for a kilobit, a strip for the bar, a teaspoon for a tablespoon.
var mistaken = map[string]string{
	"am":  "digital-gigabit digital-kilobit digital-megabit digital-terabit pressure-bar light-lumen volume-tablespoon",
	"kok": "pressure-bar pressure-megapascal concentr-permille",
	"sw":  "length-parsec",
}

// abbreviation reports whether the long name of a unit is an abbreviation: one with a
// dot or a raised digit, with a side of a slash of under three letters, or one of the
// short forms. The Danish "pr." is written so in running text.
func (o owner) abbreviation(name string) bool {
	name = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(name, "{0}", ""), " pr. ", " "))
	if strings.ContainsAny(name, ".²³") || slices.Contains(strings.Split(shortForms[o.name], ","), name) {
		return name != ""
	}
	if !strings.Contains(name, "/") {
		return false
	}
	for side := range strings.SplitSeq(name, "/") {
		if letters(side) < 3 {
			return true
		}
	}
	return false
}

// letters counts the letters and marks of a text; a sign of a script that is
// not an alphabet counts as a word.
func letters(text string) (n int) {
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Katakana):
			n += 3
		case unicode.IsLetter(r) || unicode.IsMark(r):
			n++
		}
	}
	return n
}
