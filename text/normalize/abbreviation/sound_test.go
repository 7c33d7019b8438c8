package abbreviation

import "testing"

func TestSounds(t *testing.T) {
	t.Parallel()
	for w, want := range map[string]bool{
		"STOP": true, "FREE": true, "MUST": true, "HELP": true, "WORLD": true, "BIRTH": true, "RIGHT": true, "CHECK": true, "WATCH": true,
		"EXTRA": true, "WRITE": true, "TODAY": true, "FIRST": true, "ALERT": true, "ÇOK": true, "MÁS": true, "ВСЕМ": true, "СКОРО": true, "NEVER": true,
		"ANGST": true, "SEHR": true, "GRATIS": true, "NEXT": true, "SALE": true, "ONLY": true, "ΠΟΛΥ": true, "QUICK": true, "THANK": true,
		"CBSE": false, "UPSC": false, "IFSC": false, "ISBN": false, "ESPN": false, "HTML": false, "NCERT": false, "IRCTC": false, "GSTIN": false,
		"IPTV": false, "UNDP": false, "LTTE": false, "OECD": false, "ICMR": false, "IEEE": false, "ГИБДД": false, "ЕГРН": false, "КПСС": false,
	} {
		if len([]rune(w)) > 5 {
			continue
		}
		if got := sounds(w, false).possible; got != want {
			t.Errorf("sounds(%q) says possible: %v, want %v", w, got, want)
		}
	}
}
