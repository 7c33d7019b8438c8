package measure

import (
	"slices"

	"vaak/catalogue"
)

// Summarize returns the distribution of the figures of files over a dataset. lexical has an
// element per file, nil if the file has no transcript.
func Summarize(all []Recording, lexical []*catalogue.Lexical) catalogue.Measurements {
	m := catalogue.Measurements{
		Files:      len(all),
		TurnTaking: turns(all),
		Words:      wordsOf(lexical),
		Method:     catalogue.Method{Name: ProfileMethod, Version: ProfileVersion, Tool: Tool},
	}
	if len(all) > 0 {
		m.Method = all[0].Profile.Method
	}
	m.SilenceRatio = spreadOf(all, func(r *Recording) []float64 { return []float64{r.Profile.Speech.SilenceRatio} })
	for i := range all {
		m.SpeechSeconds += all[i].Profile.Speech.SpeechS
	}
	m.SpeechSeconds = round(m.SpeechSeconds)
	return m
}

// turns summarizes turn-taking; nil if no file has one speaker on each channel.
func turns(all []Recording) *catalogue.Turns {
	dual := slices.DeleteFunc(slices.Clone(all), func(r Recording) bool { return !r.isDual() || r.Profile.TurnTaking == nil })
	if len(dual) == 0 {
		return nil
	}
	t := &catalogue.Turns{
		Files:        len(dual),
		Balance:      turnSpread(dual, balance),
		OverlapRatio: turnSpread(dual, func(r *Recording) *float64 { return &r.Profile.TurnTaking.OverlapRatio }),
		FTOMedianMs:  turnSpread(dual, func(r *Recording) *float64 { return r.Profile.TurnTaking.FTO.Median }),
		TurnsPerMin:  turnSpread(dual, func(r *Recording) *float64 { return &r.Profile.TurnTaking.TurnsPerMin }),
		BackchannelsPerMin: turnSpread(dual, func(r *Recording) *float64 {
			return &r.Profile.TurnTaking.BackchannelsPerMin
		}),
	}
	for i := range dual {
		one := dual[i].Profile.TurnTaking
		t.TurnCount += one.TurnCount
		t.FTO = addHistogram(t.FTO, one.FTO.Histogram)
	}
	t.FTOShares = shares(dual)
	return t
}

func turnSpread(dual []Recording, figure func(*Recording) *float64) *catalogue.Spread {
	return spreadOf(dual, func(r *Recording) []float64 {
		if v := figure(r); v != nil {
			return []float64{*v}
		}
		return nil
	})
}

// balance returns the share of the speaker who speaks less: 0.5 is even.
func balance(r *Recording) *float64 {
	if len(r.Profile.Speech.SpeechShare) != 2 {
		return nil
	}
	lesser := slices.Min(r.Profile.Speech.SpeechShare)
	return &lesser
}

// addHistogram adds the counts of h to sum; both must have bins of the same width.
func addHistogram(sum, h *catalogue.Histogram) *catalogue.Histogram {
	if h == nil {
		return sum
	}
	if sum == nil {
		return &catalogue.Histogram{From: h.From, Width: h.Width, Bins: slices.Clone(h.Bins)}
	}
	for i := range min(len(sum.Bins), len(h.Bins)) {
		sum.Bins[i] += h.Bins[i]
	}
	return sum
}

// shares returns the shares of the floor-transfer offsets of all files together.
func shares(dual []Recording) *catalogue.FTOShares {
	var s catalogue.FTOShares
	n := 0.0
	for i := range dual {
		fto := dual[i].Profile.TurnTaking.FTO
		if fto.Shares == nil {
			continue
		}
		// Shares of files are weighted by their number of offsets, which gives the shares
		// of all offsets together.
		k := float64(fto.Count)
		n += k
		s.Under0 += k * fto.Shares.Under0
		s.To200 += k * fto.Shares.To200
		s.To700 += k * fto.Shares.To700
		s.Over700 += k * fto.Shares.Over700
	}
	if n == 0 {
		return nil
	}
	for _, v := range []*float64{&s.Under0, &s.To200, &s.To700, &s.Over700} {
		*v = round(*v / n)
	}
	return &s
}

// wordsOf summarizes the transcripts that have words; nil if there are none.
func wordsOf(lexical []*catalogue.Lexical) *catalogue.Words {
	lexical = slices.DeleteFunc(slices.Clone(lexical), func(l *catalogue.Lexical) bool { return l == nil || l.Words == 0 })
	if len(lexical) == 0 {
		return nil
	}
	w := &catalogue.Words{
		Files:        len(lexical),
		WordsPerMin:  lexicalSpread(lexical, func(l *catalogue.Lexical) *float64 { return l.WordsPerMin }),
		EnglishShare: lexicalSpread(lexical, func(l *catalogue.Lexical) *float64 { return &l.EnglishShare }),
		CodeMixIndex: lexicalSpread(lexical, func(l *catalogue.Lexical) *float64 { return l.CodeMixIndex }),
	}
	for _, l := range lexical {
		w.Words += l.Words
	}
	return w
}
