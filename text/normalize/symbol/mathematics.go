package symbol

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// compares reports whether the angle bracket at i compares two things and is not part of
// a tag: it has spaces on both sides, or a number beside it.
func compares(in *scan.View, i int) bool {
	before, after := in.Kind(i-1), in.Kind(i+1)
	if before == scan.Space || after == scan.Space {
		return before == after
	}
	return before == scan.Digits || after == scan.Digits
}

// operatorAt reads a sign of mathematics that stands between operands.
func (sr *Recognizer) operatorAt(in *scan.View, i int) (string, int) {
	r := in.Rune(i)
	left, right := in.Back(i-1), in.Skip(i+1)
	// A root has no left side.
	if r == '√' {
		left = i
	}
	if r == '+' && in.Kind(i-1) == scan.Digits && in.Kind(i+1) == scan.Space && scan.RuneLen(in.Text(i+2)) > 1 && in.Kind(i+2) == scan.Word {
		return sr.word(in, i, sr.say.Signs.Lead(r)) // 30+ years
	}
	if !sr.operandAfter(in, right, r) || !operand(in, left, r) && !unmistakable(r) {
		return "", 0
	}
	if (r == '<' || r == '>') && !compares(in, i) {
		return "", 0
	}
	w := sr.say.Signs.Math(r)
	switch r {
	case '-':
		w = sr.say.Signs.Minus
		if !formula(in, left, right) {
			return "", 0
		}
	case '*':
		w = sr.say.Signs.Times
	case '×':
		if sr.measured(in, i, left, right) {
			w = sr.say.Signs.By
		}
	case '/':
		w = sr.say.Signs.Divided
		if !formula(in, left, right) {
			return "", 0
		}
	}
	if w == "" {
		return "", 0
	}
	return sr.word(in, i, w)
}

// Divides reports whether the colon at i divides one number by another in a formula, with
// spaces around it: 12 : 3 = 4.
func Divides(in *scan.View, i int) bool {
	if !in.Is(i, ':') || in.Kind(i-1) != scan.Space || in.Kind(i+1) != scan.Space || in.Kind(i-2) != scan.Digits || in.Kind(i+2) != scan.Digits {
		return false
	}
	return formula(in, i-2, pastNumber(in, i+2)-1)
}

// unmistakable reports whether a sign is of mathematics without an operand to its left.
func unmistakable(r rune) bool {
	switch r {
	case '×', '÷', '±', '≠', '≤', '≥', '≈', '√':
		return true
	}
	return false
}

// measured reports whether a multiplication sign at i stands between the sides of
// something: no formula is near, and a unit follows, or both numbers are large, as in
// 1920×1080.
func (sr *Recognizer) measured(in *scan.View, i, left, right int) bool {
	if before, after := in.Back(left-1), in.Skip(right+1); in.IsOperator(before) && !in.Is(before, '×') || in.IsOperator(after) && !in.Is(after, '×') {
		return false
	}
	if left == i-1 && right == i+1 && scan.RuneLen(in.Text(left)) > 2 && scan.RuneLen(in.Text(right)) > 2 {
		return true
	}
	// 10 × 15 × 20 cm: the unit stands after the last side.
	for k := right; k < right+8; k++ {
		if in.Kind(k) != scan.Digits {
			return false
		}
		k = in.Skip(pastNumber(in, k))
		if sr.quantities.Counted(in, k) && !in.Is(k, '×') {
			return !sr.quantities.CountsOther(in, k)
		}
		if !in.Is(k, '×') {
			return false
		}
		k = in.Skip(k+1) - 1
	}
	return false
}

// pastNumber returns the token after the digits at k, with a decimal part.
func pastNumber(in *scan.View, k int) int {
	if (in.Is(k+1, '.') || in.Is(k+1, ',')) && in.Kind(k+2) == scan.Digits {
		return k + 3
	}
	return k + 1
}

// Times reads the letter x between numbers: 1920x1080.
func (sr *Recognizer) Times(in *scan.View, i int) scan.Outcome {
	if t := in.Text(i); t != "x" && t != "X" && t != "х" || sr.say.Signs.Times == "" {
		return scan.Outcome{}
	}
	left, right := in.Back(i-1), in.Skip(i+1)
	if left == i-1 && in.Text(left) == "0" {
		return scan.Outcome{} // 0x1F
	}
	// 214 यूनिट x ₹6.50
	if left < i-1 && right > i+1 && sr.quantities.IsCurrency(in, right) && in.Kind(left) == scan.Word && sr.sized(in, left) {
		return scan.Said(sr.word(in, i, sr.say.Signs.Times))
	}
	if in.Kind(left) == scan.Digits && (left == i-1) == (right == i+1) && (sr.paid(in, left) || left < i-1 && sr.quantities.IsCurrency(in, right)) {
		return scan.Said(sr.word(in, i, sr.say.Signs.Times)) // ₹2,499 x 12, 2 x €3.50
	}
	if !sr.sized(in, left) || in.Kind(right) != scan.Digits || (left == i-1) != (right == i+1) {
		return scan.Outcome{}
	}
	if formula(in, left, right) || sr.quantities.CountsOther(in, in.Skip(pastNumber(in, right))) {
		return scan.Said(sr.word(in, i, sr.say.Signs.Times))
	}
	return scan.Said(sr.word(in, i, sr.say.Signs.By))
}

// paid reports whether the number that ends at i has a currency before it.
func (sr *Recognizer) paid(in *scan.View, i int) bool {
	k := i
	for ; k > i-8 && k >= 0 && (in.Kind(k) == scan.Digits || (in.Is(k, ',') || in.Is(k, '.')) && in.Kind(k-1) == scan.Digits); k-- {
		in.Step()
	}
	k = in.Back(k)
	if in.Is(k, '.') {
		k-- // Rs. 500
	}
	return k >= 0 && k < i && in.Kind(i) == scan.Digits && sr.quantities.IsCurrency(in, k)
}

// sized reports whether a number ends at i, or a unit or an inch sign after one.
func (sr *Recognizer) sized(in *scan.View, i int) bool {
	if in.Kind(i) == scan.Digits {
		return true
	}
	if in.Is(i, '"') {
		return in.Kind(in.Back(i-1)) == scan.Digits
	}
	// A unit may be several tokens: মি.লি.
	for k := i; k > i-4 && k > 0; k-- {
		if in.Kind(in.Back(k-1)) == scan.Digits {
			return sr.quantities.Unit(in, k) == i-k+1 || k == i && scan.IsIndic(in.Rune(i))
		}
	}
	return false
}

// operand reports whether the token at i may be the left side of a sign: a number, a
// bracket, or a short name in a formula.
func operand(in *scan.View, i int, r rune) bool {
	switch {
	case in.Kind(i) == scan.Digits:
		return true
	case in.Kind(i) == scan.Word:
		n := in.Token(i).End - in.Token(i).Start
		return n == 1 || in.Kind(i-1) == scan.Digits && n <= 3 && in.Token(i).R < 0x250 || r == '=' && n < 12
	case in.Kind(i) == scan.Sign:
		return strings.ContainsRune(")²³%½¼¾°", in.Rune(i))
	}
	return false
}

// operandAfter reports whether the token at i may be the right side of a sign.
func (sr *Recognizer) operandAfter(in *scan.View, i int, r rune) bool {
	if in.Kind(i) == scan.Sign {
		return strings.ContainsRune("(-−+√½¼¾∞", in.Rune(i)) && in.Rune(i) != r || sr.quantities.IsCurrency(in, i)
	}
	return operand(in, i, r)
}

// formula reports whether a hyphen or slash is part of a formula: another sign of
// mathematics is near.
func formula(in *scan.View, left, right int) bool {
	return in.IsOperator(in.Skip(right+1)) || in.IsOperator(in.Back(left-1))
}

// raised reads the power of two or three after its base.
func (sr *Recognizer) raised(in *scan.View, i int) (string, int) {
	p := sr.say.Signs.Squared
	if in.Rune(i) == '³' {
		p = sr.say.Signs.Cubed
	}
	if p == "" || in.Kind(i-1) != scan.Word && in.Kind(i-1) != scan.Digits && !in.Is(i-1, ')') {
		return "", 0
	}
	w := strings.TrimSpace(speak.Fill1(p, "{n}", ""))
	return sr.word(in, i, w)
}
