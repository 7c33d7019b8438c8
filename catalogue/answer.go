package catalogue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"vaak/internal/document"
	"vaak/internal/recent"
)

// Text is a record as it is stored, in JSON, with what is stored beside it.
type Text struct {
	Revision int64
	Status   Status // the one that counts; that in Record may be older
	Record   []byte // a [Dataset] as [json.Marshal] writes it
	Files    []byte // of type []File, the same
}

// Stored decodes a record.
func (t Text) Stored() (s Stored, err error) {
	if err := json.Unmarshal(t.Record, &s.Dataset); err != nil {
		return s, fmt.Errorf("decode record: %w", err)
	}
	if err := json.Unmarshal(t.Files, &s.Files); err != nil {
		return s, fmt.Errorf("decode files: %w", err)
	}
	s.Revision, s.Dataset.Status = t.Revision, t.Status
	return s, nil
}

// Answer is the record of a dataset as clients get it. It is shared and must not be changed.
type Answer struct {
	Slug      string
	Croissant string // address of the record in Croissant
	JSON      []byte // the record, in one line
	Tag       string // changes with every byte of JSON

	revision int64
	status   Status
}

func (a *Answer) rev() int64 { return a.revision }

// answers is the answers that were given last, by slug.
type answers = recent.Memory[string, *Answer]

// maxAnswers bounds the answers in memory, in bytes. One takes from 3 to some tens of KiB.
const maxAnswers = 32 << 20

func newAnswers() *answers {
	return recent.New(maxAnswers, func(_ string, a *Answer) int { return len(a.JSON) })
}

// Answer returns what [Service.Dataset] does, in JSON. It keeps the bytes of answers, and makes them
// from the stored text without decoding it where it can.
func (s *Service) Answer(ctx context.Context, slugOrID string) (*Answer, error) {
	x := s.current.Load()
	known := x.named(slugOrID)
	if known == nil {
		return nil, notFound(slugOrID)
	}
	a, err := newest(x.answers, known, (*Answer).rev, func() (*Answer, bool, error) {
		text, ok, err := s.store.Text(ctx, known.slug())
		if err != nil || !ok {
			return nil, false, err
		}
		a, err := s.answer(known.slug(), text)
		return a, true, err
	})
	if err != nil {
		return nil, err
	}
	if a == nil || !a.status.Visible() {
		return nil, notFound(slugOrID) // gone or hidden since the index was built
	}
	return a, nil
}

// answer makes the answer of a stored record.
func (s *Service) answer(slug string, t Text) (*Answer, error) {
	text, ok := s.at.spliced(slug, t)
	if !ok {
		stored, err := t.Stored()
		if err != nil {
			return nil, err
		}
		s.fill(&stored)
		if text, err = document.Encode(&stored.Dataset); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(text)
	return &Answer{
		Slug: slug, Croissant: s.at.croissant(slug), JSON: text, Tag: hex.EncodeToString(sum[:12]),
		revision: t.Revision, status: t.Status,
	}, nil
}
