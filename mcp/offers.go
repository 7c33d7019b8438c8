package mcp

import (
	"fmt"

	"vaak/mcp/catalogue"
	"vaak/mcp/croissant"
	"vaak/mcp/dictionaries"
	"vaak/mcp/enquiries"
	"vaak/mcp/speech"
	"vaak/mcp/tool"
	"vaak/mcp/usage"
	"vaak/mcp/voices"
	"vaak/oauth"
)

// offerCatalogue returns the offer of the catalogue on a face.
func (s *Server) offerCatalogue(f Face) (tool.Offer, error) {
	datasets := catalogue.New(s.cfg.Catalogue)
	o := tool.Offer{Title: "Vaak catalogue"}.With(datasets.Offer(), croissant.Offer(datasets, s.cfg.Croissant)).Needing(oauth.CatalogueRead, oauth.CatalogueRead)
	if f == Stdio {
		samples, err := catalogue.OfferSamples(datasets, s.output, s.cfg.OutputDir)
		if err != nil {
			return tool.Offer{}, err
		}
		o = o.With(samples.Needing(oauth.CatalogueRead, oauth.CatalogueRead))
	}
	if s.cfg.Enquiries != nil {
		o = o.With(enquiries.Offer(s.cfg.Enquiries, datasets).Needing(oauth.CatalogueRead, oauth.EnquiriesWrite))
	}
	return o, nil
}

// speechInstructions returns what a host may show its model about all speech tools together. It
// tells of as many voices as there are when the server starts.
func (s *Server) speechInstructions() string {
	words := ""
	if s.cfg.Dictionaries != nil {
		words = "\nWords that are read wrongly: spell them otherwise, once and for all, with create_pronunciation_dictionary. list_pronunciation_dictionaries has those there are."
	}
	return fmt.Sprintf(`Text to speech in %d languages with %d voices.
synthesize_speech turns text into audio; with text alone it finds the language and picks a voice of it. Give the person the link or the file that it answers with.
search_voices finds a voice_id; any voice takes any language. list_languages gives the language codes. preview_spoken_text shows how a text will be read.
Send plain text as a person would write it: numbers and dates are read out in the language, SSML and phonemes are not. Texts of several languages need no splitting.%s
A call that fails says what to change. Only what synthesize_speech speaks is charged.`, len(s.cfg.Offered.Languages()), s.cfg.Voices.Len(), words)
}

// offerSpeech returns the offer of the speech service on a face.
func (s *Server) offerSpeech(f Face) (tool.Offer, error) {
	words := dictionaries.Dictionaries{Service: s.cfg.Dictionaries}
	speaking := speech.Config{
		Speech: s.cfg.Speech, Accounts: s.cfg.Accounts, Reports: s.cfg.Reports, Dictionaries: words, Formats: s.cfg.Formats,
		PublicURL: s.cfg.PublicURL, Log: s.log,
	}
	switch {
	case f == Stdio:
		speaking.Output, speaking.OutputDir = s.output, s.cfg.OutputDir
	case s.public != nil: // links need a public address
		speaking.Clips = s.cfg.Clips
	}
	spoken, err := speech.Offer(speaking)
	if err != nil {
		return tool.Offer{}, err
	}
	o := tool.Offer{Title: "Vaak speech", Instructions: s.speechInstructions()}
	o = o.With(
		voices.Offer(s.cfg.Voices, s.cfg.Offered, s.public).Needing(oauth.VoicesRead, oauth.VoicesRead),
		spoken.Needing(oauth.Speech, oauth.Speech),
		words.Offer().Needing(oauth.DictionariesRead, oauth.DictionariesWrite))
	if s.cfg.Reports != nil {
		o = o.With(usage.Offer(s.cfg.Reports).Needing(oauth.UsageRead, oauth.UsageRead))
	}
	return o, nil
}
