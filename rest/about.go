package rest

import (
	"github.com/danielgtaylor/huma/v2"

	"vaak/rest/frame"
)

// apiVersion is the version of the interface; it changes when the interface
// does, not with every build.
const apiVersion = "1.0.0"

const apiDoc = `Text to speech in 80 languages with 320 voices, and those that the operator has added.

Send the API key as ` + "`Authorization: Bearer KEY`" + ` or as ` + "`xi-api-key: KEY`" + `. In request bodies, null is the same
as leaving a property out, and unknown properties are ignored; answers to requests to speak name them in ` + "`x-ignored-parameters`" + `. Every answer carries ` + "`x-request-id`" + `; one that was sent is echoed.

Requests and streams of a key are limited by the plan, and requests without a key by their address: the ` + "`x-ratelimit-`" + ` headers of
every answer tell how things stand. They are left out where there is no limit.
Live speech, over WebSocket, is described in [/asyncapi.json](/asyncapi.json).
Paths are also served with the version twice (` + "`/v1/v1/...`" + `), for clients that add it to a base address that has it.`

// about returns the head of a description: of both services, or of the catalogue alone.
func about(speech bool) *huma.Info {
	info := &huma.Info{
		Title: "Vaak catalogue", Version: catalogueVersion, Description: catalogueDoc,
		License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
	}
	if speech {
		info.Title, info.Version, info.Description = "Vaak", apiVersion, apiDoc
	}
	return info
}

// tags returns the groups of operations in a description.
func tags(speech bool) []*huma.Tag {
	all := []*huma.Tag{{Name: frame.TagCatalogue, Description: "Datasets of speech that can be licensed: what was measured of them, and what is not known."}}
	if !speech {
		return all
	}
	return append([]*huma.Tag{
		{Name: frame.TagSpeech, Description: "Text in, audio out."},
		{Name: frame.TagEleven, Description: "The same, as the clients of that service ask for it: they work after changing base address and key."},
		{Name: frame.TagDictionaries, Description: "How words of your organisation are to be written to be read. Rules are letters, never phonetics."},
		{Name: frame.TagVoices, Description: "Who speaks."},
		{Name: frame.TagModels, Description: "What is spoken."},
		{Name: frame.TagUsage, Description: "What was spoken, and what can be."},
		{Name: frame.TagWebhooks, Description: "What happens, sent to an address of yours."},
		{Name: frame.TagHealth, Description: "What this deployment does."},
	}, all...)
}

// catalogueVersion is the version of the catalogue's interface.
const catalogueVersion = "0.1.0"

const catalogueDoc = `Datasets of conversational speech that can be licensed. Each is described by what
was measured of its files, what its owner declares, and a list of what is not known.

No key is needed. Records are JSON; null means that nobody knows, and ` + "`gaps`" + ` names every null field.
Errors have a stable ` + "`error`" + ` and a ` + "`message`" + ` that says what is wrong, what is allowed and what was sent; of a bad enquiry ` + "`error`" + ` is that sentence, and ` + "`code`" + ` the stable word.`
