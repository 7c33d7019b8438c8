package respell

import (
	"slices"
	"strings"
)

// unstressed returns a respelling with the stress of its syllables taken out: DAH-ta and
// nuh-MUS-tay become dah-ta and nuh-mus-tay. People mark the stressed syllable by capitals, which
// would be read letter by letter. The engines have no stress in spelling, so it is lost.
//
// A word is so marked when hyphens part it into syllables, of which some are in capitals and some
// are not. "API-key" and "USB-stick" are not: API and USB are no syllables.
func unstressed(s string) string {
	if strings.IndexByte(s, '-') < 0 && !strings.ContainsAny(s, otherHyphens) {
		return s
	}
	var b strings.Builder
	for at := 0; at < len(s); {
		n := strings.IndexAny(s[at:], " \t\n,;:.!?()\"“”")
		switch {
		case n == 0:
			b.WriteByte(s[at])
			at++
			continue
		case n < 0:
			n = len(s) - at
		}
		word := s[at : at+n]
		if marksStress(word) {
			word = strings.ToLower(word)
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// otherHyphens part syllables as the hyphen does.
const otherHyphens = "‐‑·"

// marksStress reports whether a word is syllables, some of them in capitals.
func marksStress(word string) bool {
	syllables := strings.FieldsFunc(word, func(r rune) bool { return r == '-' || strings.ContainsRune(otherHyphens, r) })
	capitals, small := 0, 0
	for _, syllable := range syllables {
		switch upper, ok := casing(syllable); {
		case !ok:
			return false
		case !upper:
			small++
		case !isSyllable(strings.ToLower(syllable), len(syllables)):
			return false
		default:
			capitals++
		}
	}
	return capitals > 0 && small > 0
}

// casing reports whether ASCII letters are all capitals. ok is false for anything but
// capitals, or small letters with a capital before them perhaps.
func casing(s string) (upper, ok bool) {
	upper = true
	for i := range len(s) {
		switch c := s[i]; {
		case 'A' <= c && c <= 'Z':
			if i > 0 && !upper {
				return false, false
			}
		case 'a' <= c && c <= 'z':
			if i > 1 && upper {
				return false, false
			}
			upper = false
		case c == '\'' && i > 0:
		default:
			return false, false
		}
	}
	return upper, s != ""
}

// isSyllable reports whether small letters can be said as one syllable of a word of so many: they
// have one group of vowels, and no more consonants around it than English allows.
func isSyllable(s string, of int) bool {
	if len(s) < 2 {
		return of > 2 && strings.Contains("aeiou", s)
	}
	if len(s) == 2 && slices.Contains(initials, s) {
		return false
	}
	const vowels = "aeiouy"
	start := strings.IndexAny(s, vowels)
	if start < 0 {
		return false
	}
	end := start
	for end < len(s) && strings.IndexByte(vowels+"wh", s[end]) >= 0 {
		end++
	}
	onset, coda := s[:start], s[end:]
	// A mute e ends a syllable too: MAYK, MAKE.
	coda = strings.TrimSuffix(coda, "e")
	if strings.ContainsAny(coda, vowels) {
		return false
	}
	return begins(onset) && ends(coda)
}

// initials are two letters that stand for words more often than for a syllable.
var initials = []string{"us", "uk", "eu", "un", "uv", "it", "id", "ai", "ip", "os", "ui", "ux", "ac", "ad", "am", "ed", "iq", "ok", "op", "ev", "iv", "ie"}

// begins reports whether consonants begin a syllable.
func begins(s string) bool {
	switch len(s) {
	case 0, 1:
		return true
	case 2:
		return strings.Contains(" bl br ch cl cr dr dw fl fr gh gl gr gw kh kl kn kr kw ky ly my ny ph pl pr py rh sc sh sk sl sm sn sp st sv sw th tr ts tw vy wh wr zh by dh bh jh dy fy hy ry sy ty vr zl ks kv ", " "+s+" ")
	}
	return len(s) == 3 && strings.Contains(" chr shr skr skw spl spr str scr thr shw squ sch chh thw dzh tsh ", " "+s+" ")
}

// ends reports whether consonants end a syllable.
func ends(s string) bool {
	switch len(s) {
	case 0, 1:
		return true
	case 2:
		return s[0] == s[1] || s[1] == 's' || strings.Contains(" ch ck ct ft gh ks kt lb ld lf lk lm ln lp lt lv lz mp mb nch nd ng nj nk nt nz ph pt rb rd rf rg rj rk rl rm rn rp rt rv rz sh sk sp st th ts tz zh zm hn hm hl hr ht hd hk hp hb hg hv hz hf hj ", " "+s+" ")
	}
	return len(s) <= 4 && strings.Contains(" ngk ngth ngkth nks nch lch rch rth nth lth rst nst mps nts rts rks rld rmz sht tch dge ngz hnt hst hks hnd hrd hrt hrn hng hmz hnz hnk hlz hls hrs hrk hch hth ", " "+s+" ")
}
