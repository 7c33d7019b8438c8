package quantity

import (
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// wholeRange reads the second half of a range whose ends both name what they count: 5 km
// – 7 km. It gets the words for q and returns the words for both, and the token after
// them.
func (qr *Recognizer) wholeRange(in *scan.View, w string, q amount) (string, int) {
	j := in.Skip(q.end)
	if in.Kind(j) != scan.Sign || !scan.IsDash(in.Rune(j)) || q.ranged || qr.say.Span == "" {
		return w, q.end
	}
	k := in.Skip(j + 1)
	// Spaces on both sides of the dash or on none. With one space it is a minus or a pause.
	if (j > q.end) != (k > j+1) || in.Kind(k) != scan.Digits && !qr.money.is(in, k) && !negativeEnd(in, in.Rune(j), k) {
		return w, q.end
	}
	to, ok := qr.quantity(in, k)
	// The currency before the first amount is that of both: Rp 15rb-20rb.
	scaled := q.scale != "" && to.scale != "" || q.shifted && to.shifted
	if ok && scaled && q.money != "" && to.money == "" && to.unit == nil && !to.ranged && in.Kind(q.end) == scan.Sign {
		to.money = q.money
		q.money = ""
		if first, ok := qr.sayQuantity(in, q); ok {
			w = first
		}
		q.money = to.money
	}
	if plain := q.unit == nil && q.money == ""; !ok || to.ranged || !plain && (to.unit != q.unit || to.money != q.money) || plain && to.scale == "" && !to.shifted {
		return w, q.end
	}
	to.genitive = q.genitive
	v, ok := qr.sayQuantity(in, to)
	if !ok {
		return w, q.end
	}
	return qr.say.Range(w, v), to.end
}

// rangeEnd takes the other end of a range into an amount, if there is one. A dash has
// spaces on both sides or on none.
func (qr *Recognizer) rangeEnd(in *scan.View, q *amount) {
	j := q.end
	if in.Is(j, '%') {
		j++
	}
	spaced := in.Kind(j) == scan.Space
	j = in.Skip(j)
	r := in.Rune(j)
	if in.Kind(j) != scan.Sign || !scan.IsDash(r) || spaced && r != '–' && (r != '-' || in.Kind(j+1) != scan.Space) {
		return
	}
	k := in.Skip(j + 1)
	if spaced != (k > j+1) {
		return
	}
	// "$5-$10": the second sign is that of the first and is not spoken again.
	if code, n := qr.money.signs.Match(in, k); n > 0 && code == q.money && in.Kind(k) == scan.Sign {
		k += n
	}
	minus := negativeEnd(in, r, k)
	if minus {
		k++
	}
	b, ok := qr.numbers.at(in, k)
	b.Minus = minus
	if !ok || !spaced && qr.plain.results.Numbers(in, q.a.Start) || in.IsOperator(in.Skip(b.End)) || in.IsOperator(in.Back(q.a.Start-1)) || dashed(in, b.End) || len(q.a.Whole) > speak.Most {
		return
	}
	if len(b.Whole) > speak.Most || b.Frac == "" && len(b.Whole) > 1 && b.Whole[0] == '0' || q.a.Whole == "" && q.a.Above == "" {
		return
	}
	if spaced && r == '-' && in.Kind(q.end) == scan.Space && !plainRange(in, b) {
		return
	}
	q.b, q.ranged, q.end, q.span = b, true, b.End, qr.say.SpanAfter(in, q.a.Start)
	q.falls = spaced && r == '-' && q.a.Above == "" && b.Above == "" && scan.Atoi(q.a.Whole) > scan.Atoi(b.Whole) && in.Kind(in.Skip(b.End)) != scan.Word
}

// negativeEnd reports whether a minus and a digit stand at k after the sign r of a
// range, which is no hyphen itself: -10〜-5.
func negativeEnd(in *scan.View, r rune, k int) bool {
	return (r == '~' || r == '〜' || r == '–') && (in.Is(k, '-') || in.Is(k, '−')) && in.Kind(k+1) == scan.Digits
}

// plainRange reports whether no word touches the number after a spaced hyphen, so that
// it ends a range and does not begin the next item.
func plainRange(in *scan.View, b scan.Number) bool {
	return in.Kind(b.End) != scan.Word
}

// dashed reports whether another dash and digit follow. Then the numbers are no range.
func dashed(in *scan.View, j int) bool {
	return in.Kind(j) == scan.Sign && (in.Token(j).R == '-' || in.Token(j).R == '/') && in.Kind(j+1) == scan.Digits
}
