package form

import "strings"

// This file has what the library does not read of kana: it spells out a whole
// word over a small vowel in a place where it does not know one.

// put writes one code point of the form.
func (w *japaneseWriter) put(r rune) {
	switch r {
	case 'ヲ':
		r = 'オ'
	case 'ヷ', 'ヸ', 'ヹ', 'ヺ':
		w.write('ヴ')
		r = [...]rune{'ァ', 'ィ', 'ェ', 'ォ'}[r-'ヷ']
	case 'ヽ', 'ヾ':
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
		r = [...]rune{'ワ', 0, 0, 0, 0, 0, 0, 'カ', 'ケ'}[r-'ヮ']
	}
	if i := strings.IndexRune("ァィゥェォャュョ", r); i >= 0 && !strings.ContainsRune(beforeSmall[i/len("ァ")], w.last) {
		r++ // the large one
	}
	w.write(r)
}

func (w *japaneseWriter) write(r rune) {
	w.out.WriteRune(r)
	w.last = r
}

// beforeSmall are the kana behind which the library reads the small ones, in
// the order of ァィゥェォャュョ.
var beforeSmall = [...]string{
	"カクサタツナハフマヤラワガグザダバパヴ",
	"イウキクシチツテニヒフミリヰギグジヂデビピヴヸ",
	"ウクスツトヌフムユルグズヅドブプヴ",
	"イウエクケシセチツテネフヘメレヱグゲジゼデベペヴヹ",
	"ウクオコソツトノフホモヨロヲグゴゾドボポヴヺ",
	yodh, yodh, yodh,
}

// yodh are the kana before a small ya, yu or yo: those in i, and some of foreign
// words.
const yodh = "キシチニヒミリギジヂビピテデフヴ"

// isKana says whether r is a katakana, its long mark or one that repeats it.
func isKana(r rune) bool { return 'ァ' <= r && r <= 'ヺ' || 'ー' <= r && r <= 'ヾ' }

// katakana returns the katakana of a hiragana, and any other code point as it is.
func katakana(r rune) rune {
	const shift = 'ア' - 'あ'
	if 'ぁ' <= r && r <= 'ゖ' || r == 'ゝ' || r == 'ゞ' {
		return r + shift
	}
	return r
}

// symbol returns what the library reads in place of a sign of Japanese.
func symbol(r rune) rune {
	switch r {
	case '゠', '　':
		return ' '
	case '〜', '～', '〇', '々':
		return ' '
	}
	return r
}
