package catalogue

import (
	"cmp"
	"slices"
	"strings"

	"vaak/catalogue/spelling"
	"vaak/internal/fault"
)

// maxSimilar is how many slugs are suggested at most.
const maxSimilar = 3

// Similar returns up to three slugs of published datasets that have the most words or beginnings
// of words in common with slug, mistyped ones too.
func (s *Service) Similar(slug string) []string { return s.current.Load().similar(slug) }

// SimilarOfAny is [Service.Similar] for datasets of every status, for callers that may see all of
// them. It goes through all datasets for each call.
func (s *Service) SimilarOfAny(slug string) []string {
	asked := slugWords(slug)
	shared := map[string]int{}
	for e := range s.All {
		for _, has := range strings.Split(e.Brief.Slug, "-") {
			if slices.ContainsFunc(asked, func(w string) bool { return strings.HasPrefix(has, w) || mistyped(w, has) }) {
				shared[e.Brief.Slug]++
			}
		}
	}
	return mostShared(shared, func(a, b string) int { return cmp.Compare(a, b) }, func(slug string) string { return slug })
}

// slugWords returns the words of what was sent for a slug.
func slugWords(slug string) (words []string) {
	if len(slug) > 4*MaxSlug {
		slug = slug[:4*MaxSlug]
	}
	for _, w := range spelling.Words(strings.ToValidUTF8(slug, "")) {
		words = append(words, w.Text)
	}
	return words[:min(len(words), MaxTerms)]
}

// mistyped reports whether a word may be meant by another.
func mistyped(typed, word string) bool {
	letters := spelling.Letters(typed)
	most := spelling.Tolerated(len(letters))
	return most > 0 && spelling.Edits(letters, spelling.Letters(word), most, false) <= most
}

// mostShared returns the slugs of what shares most; ties are in an order.
func mostShared[K comparable](shared map[K]int, order func(a, b K) int, slug func(K) string) []string {
	all := make([]K, 0, len(shared))
	for k := range shared {
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b K) int { return cmp.Or(cmp.Compare(shared[b], shared[a]), order(a, b)) })
	out := []string{}
	for _, k := range all[:min(len(all), maxSimilar)] {
		out = append(out, slug(k))
	}
	return out
}

// maxCounted is how many datasets with a word are counted. Words such as "call" are in most slugs;
// counting all of them would take long and say nothing.
const maxCounted = 1000

func (x *index) similar(slug string) []string {
	v := x.vocabulary
	shared := map[uint32]int{} // position to number of common words
	looked := 0
	for _, w := range slugWords(slug) {
		seen := map[uint32]bool{}
		count := func(places []uint32) {
			for _, p := range places[:min(len(places), maxCounted)] {
				if at := p >> tierBits; !seen[at] && len(seen) < maxCounted {
					seen[at] = true
					shared[at]++
				}
			}
		}
		from, to := v.beginning(w)
		count(v.fields.between(from, to))
		if letters := spelling.Letters(w); len(seen) == 0 && spelling.Tolerated(len(letters)) > 0 && !hasDigit(w) && looked < maxMistyped {
			looked++
			for _, n := range x.near(letters).words {
				count(v.fields.of(n.rank))
			}
		}
	}
	return mostShared(shared, func(a, b uint32) int { return cmp.Compare(a, b) }, func(at uint32) string { return x.listed[at].slug() })
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
