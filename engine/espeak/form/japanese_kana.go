package form

import "strings"

// This file replaces kana that the library does not read. It spells out a whole word if a small
// vowel is in a place where it does not know one.

// putKana writes one code point of the form, as the library can read it.
func (w *japaneseWriter) putKana(r rune) {
	switch r {
	case 'ヲ':
		r = 'オ'
	case 'ヷ', 'ヸ', 'ヹ', 'ヺ':
		// va, vi, ve and vo are written as vu and a small vowel.
		w.write('ヴ')
		r = [...]rune{'ァ', 'ィ', 'ェ', 'ォ'}[r-'ヷ']
	case 'ヽ', 'ヾ':
		// An iteration mark repeats the kana before it; ヾ repeats it voiced, which is the next
		// code point.
		if !isKana(w.last) {
			return
		}
		voiced := r == 'ヾ' && strings.ContainsRune("カキクケコサシスセソタチツテトハヒフヘホ", w.last)
		if r = w.last; voiced {
			r++
		}
	case '・':
		r = ' '
	case 'ー':
		if !isKana(w.last) {
			return
		}
	case 'ヮ', 'ヵ', 'ヶ':
		// Small kana that are read like large ones. Seven code points lie between ヮ and ヵ.
		r = [...]rune{'ワ', 0, 0, 0, 0, 0, 0, 'カ', 'ケ'}[r-'ヮ']
	}
	if i := strings.IndexRune("ァィゥェォャュョ", r); i >= 0 && !strings.ContainsRune(beforeSmall[i/len("ァ")], w.last) {
		r++ // the large kana follows the small one in Unicode
	}
	w.write(r)
}

func (w *japaneseWriter) write(r rune) {
	w.out.WriteRune(r)
	w.last = r
}

// beforeSmall has the kana after which the library reads the small kana, in the order of ァィゥェォャュョ.
var beforeSmall = [...]string{
	"カクサタツナハフマヤラワガグザダバパヴ",
	"イウキクシチツテニヒフミリヰギグジヂデビピヴヸ",
	"ウクスツトヌフムユルグズヅドブプヴ",
	"イウエクケシセチツテネフヘメレヱグゲジゼデベペヴヹ",
	"ウクオコソツトノフホモヨロヲグゴゾドボポヴヺ",
	beforeYodh, beforeYodh, beforeYodh,
}

// beforeYodh has the kana that a small ya, yu or yo may follow: those in i, and some of loan words.
const beforeYodh = "キシチニヒミリギジヂビピテデフヴ"

// isKana reports whether r is a katakana, the long vowel mark or an iteration mark.
func isKana(r rune) bool { return 'ァ' <= r && r <= 'ヺ' || 'ー' <= r && r <= 'ヾ' }

// katakana returns the katakana for a hiragana, and any other code point unchanged.
func katakana(r rune) rune {
	const shift = 'ア' - 'あ'
	if 'ぁ' <= r && r <= 'ゖ' || r == 'ゝ' || r == 'ゞ' {
		return r + shift
	}
	return r
}

// symbol returns what to write for a Japanese sign so that the library reads or skips it correctly.
func symbol(r rune) rune {
	switch r {
	case '゠', '　':
		return ' '
	case '〜', '～', '〇', '々':
		return ' '
	}
	return r
}
