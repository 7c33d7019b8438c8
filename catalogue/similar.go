package catalogue

import (
	"cmp"
	"slices"
	"strings"

	"vaak/internal/fault"
)

// maxSimilar is how many slugs are suggested.
const maxSimilar = 3

// Similar returns up to three slugs of published datasets that share most words
// with s, or begin as it does.
func (s *Service) Similar(slug string) []string { return s.current.Load().similar(slug) }

// SimilarOfAny is [Service.Similar] among the datasets of every status, for those who may
// see them all. It makes an index for one question.
func (s *Service) SimilarOfAny(slug string) []string {
	all := slices.Collect(s.All)
	for i := range all {
		all[i].Status = Published // an index has no others
	}
	return newIndex(all, s.at).similar(slug)
}

func (x *index) similar(s string) []string {
	if len(s) > 4*MaxSlug {
		s = s[:4*MaxSlug]
	}
	words := wordsOf(strings.ToValidUTF8(s, ""))
	if len(words) > MaxTerms {
		words = words[:MaxTerms]
	}
	shared := map[int]int{} // words by position
	for _, w := range words {
		n := 0
		for i := range x.find(w).in[inName].from(0) {
			shared[i]++
			if n++; n == 1000 {
				break
			}
		}
	}
	at := make([]int, 0, len(shared))
	for i := range shared {
		at = append(at, i)
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(a, b)) })
	out := []string{}
	for _, i := range at[:min(len(at), maxSimilar)] {
		out = append(out, x.briefs[i].Slug)
	}
	return out
}

// noFile is the error of a file that a dataset does not have.
func noFile(s *Stored, name string) error {
	names := make([]string, len(s.Files))
	for i, f := range s.Files {
		names[i] = f.Name
	}
	return fault.New(fault.NotFound, fault.CodeNotFound, "name",
		"dataset %s has no file %.90q; it has: %s", s.Dataset.Slug, name, strings.Join(names, ", "))
}
