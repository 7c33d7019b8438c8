package frame

// Tags group the operations in the description.
const (
	TagSpeech = "Speech"
	TagEleven = "Speech, in the ElevenLabs dialect"
	TagVoices = "Voices"
	TagModels = "Models and languages"
	TagUsage  = "Usage"
	TagHealth = "Health"

	TagDictionaries = "Pronunciation dictionaries"
	TagWebhooks     = "Webhooks"

	TagCatalogue = "Catalogue"
)
