package mcp

import (
	"fmt"
	"slices"

	"vaak/lang"
	"vaak/voice"
)

// speechInstructions are what a host may show its model about the speech
// tools as a whole.
func speechInstructions(dictionaries bool) string {
	words := ""
	if dictionaries {
		words = "\nWords that are read wrongly: spell them otherwise, once and for all, with create_pronunciation_dictionary. list_pronunciation_dictionaries has those there are."
	}
	return fmt.Sprintf(`Text to speech in %d languages with %d voices.
synthesize_speech turns text into audio; with text alone it finds the language and picks a voice of it. Give the person the link or the file that it answers with.
search_voices finds a voice_id: every voice speaks every language. list_languages gives the language codes. preview_spoken_text shows how a text will be read.
Send plain text as a person would write it: numbers and dates are read out in the language, SSML and phonemes are not. Texts of several languages need no splitting.%s
A call that fails says what to change. Only what synthesize_speech speaks is charged.`, len(lang.All()), len(voice.All()), words)
}

// offerSpeech is the offer of the speech service.
func (s *Server) offerSpeech(f Face) (offer, error) {
	words := dictionaries{s.cfg.Dictionaries}
	t := synthesis{
		speaker: metered{s.cfg.Speech, s.cfg.Accounts}, reports: s.cfg.Reports, words: words, formats: slices.Clone(s.cfg.Formats),
		public: s.cfg.PublicURL, log: s.log,
	}
	if f == HTTP {
		t.clips = s.clips()
	} else {
		t.output, t.dir = s.output, s.cfg.OutputDir
	}
	synth, err := newSynthesis(t)
	if err != nil {
		return offer{}, err
	}
	tools := append([]entry{listLanguages(), searchVoices(s.public), synth.tool(), previewSpokenText(s.cfg.Speech, words)}, words.tools()...)
	if s.cfg.Reports != nil {
		tools = append(tools, getUsage(s.cfg.Reports))
	}
	return offer{
		title:        "Vaak speech",
		instructions: speechInstructions(words.service != nil),
		tools:        tools,
		resources:    []resource{},
		templates:    s.speechTemplates(f),
		prompts:      speechPrompts(),
	}, nil
}

// clips are those of the deployment; nil where links cannot be made.
func (s *Server) clips() Clips {
	if s.public == nil {
		return nil
	}
	return s.cfg.Clips
}
