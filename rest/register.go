package rest

import (
	"errors"

	"github.com/danielgtaylor/huma/v2"

	"vaak/lang"
	"vaak/rest/catalogue"
	"vaak/rest/croissant"
	"vaak/rest/dictionaries"
	"vaak/rest/enquiries"
	"vaak/rest/export"
	"vaak/rest/frame"
	"vaak/rest/models"
	"vaak/rest/speech"
	"vaak/rest/tokens"
	"vaak/rest/usage"
	"vaak/rest/voices"
)

// parts says which capabilities are served. Clips and dictionaries need speech.
type parts struct{ speech, clips, dictionaries, catalogue bool }

// register declares the operations of the services. Services may be nil where they are
// only described.
func (s *server) register(desc huma.API, p parts) error {
	defer frame.AllowEmpty(desc.OpenAPI())
	if p.catalogue {
		catalogue.Register(desc, s.Catalogue)
		croissant.Register(desc, s.Croissant, s.Catalogue, s.Reports)
		export.Register(desc, s.Exports, s.Catalogue)
		enquiries.Register(desc, s.Enquiries, s.Catalogue)
	}
	if !p.speech {
		return nil
	}
	speaking := speech.Config{Accounts: s.Accounts, Speech: s.Speech, Dictionaries: s.Dictionaries, Clips: s.Clips}
	speech.Register(desc, speaking)
	if p.clips {
		speech.RegisterClips(desc, speaking)
	}
	if p.dictionaries {
		dictionaries.Register(desc, s.Dictionaries)
	}
	tokens.Register(desc, s.Tokens)
	usage.Register(desc, s.Accounts, s.Voices)
	s.registerHealth(desc)
	return errors.Join(
		voices.Register(desc, voices.Config{Voices: s.Voices, Previews: s.Speech}),
		models.Register(desc, s.Voices, s.offered()),
	)
}

// offered returns the languages that are offered. A description without a service offers all.
func (s *server) offered() lang.Prior {
	if s.Speech == nil {
		return lang.Prior{}
	}
	return s.Speech.Health().Offered
}
