package catalogue

import (
	"cmp"
	"slices"
	"strings"

	"vaak/internal/fault"
)

// maxSimilar is how many slugs are suggested at most.
const maxSimilar = 3

// Similar returns up to three slugs of published datasets that have the most words or beginnings
// of words in common with slug.
func (s *Service) Similar(slug string) []string { return s.current.Load().similar(slug) }

// SimilarOfAny is [Service.Similar] for datasets of every status, for callers that may see all of
// them. It builds an index for each call.
func (s *Service) SimilarOfAny(slug string) []string {
	all := slices.Collect(s.All)
	for i := range all {
		all[i].Status = Published // an index contains only these
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
	shared := map[int]int{} // position to number of common words
	for _, w := range words {
		n := 0
		for i := range x.find(w).in[inName].from(0) {
			shared[i]++
			// Words such as "call" are in most slugs; counting all of them would take long and say nothing.
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

// noFile returns the error for a file that a dataset does not have.
func noFile(s *Stored, name string) error {
	names := make([]string, len(s.Files))
	for i, f := range s.Files {
		names[i] = f.Name
	}
	return fault.New(fault.NotFound, fault.CodeNotFound, "name",
		"dataset %s has no file %.90q; it has: %s", s.Dataset.Slug, name, strings.Join(names, ", "))
}
