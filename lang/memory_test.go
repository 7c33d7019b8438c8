package lang_test

import (
	"testing"

	"vaak/lang"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	type turn struct {
		text string
		want lang.Code
	}
	for name, turns := range map[string][]turn{
		"nothing told yet": {{"123", "en"}, {"मी शाळेत जातो आणि घरी येतो", "mr"}, {"42", "mr"}, {"", "mr"}, {"…", "mr"}},
		"short text":       {{"मी शाळेत जातो आणि घरी येतो", "mr"}, {"काम", "mr"}, {"नमस्ते, तुम कैसे हो? मैं घर जा रहा हूँ और खाना खाऊँगा", "hi"}},
		"a loanword":       {{"मैं घर जा रहा हूँ", "hi"}, {"OK", "hi"}, {"Please send me the report by tomorrow", "en"}, {"हाँ", "hi"}},
		"unique script":    {{"मैं घर जा रहा हूँ", "hi"}, {"ஆம்", "ta"}, {"OK", "ta"}, {"3 😀", "ta"}},
		"Norwegian, Danish": {
			{"Jeg vet ikke hva du snakker om, men det går nok bra etter hvert", "nb"}, {"Hun er her", "nb"},
			{"Jeg ved ikke, hvad du taler om, men det går nok, når vi kommer hjem igen af os selv", "da"}, {"Hun er her", "da"},
		},
		"unknown script": {{"Bonjour, comment allez-vous aujourd'hui ?", "fr"}, {"ไทย", "fr"}, {"\xff", "fr"}},
		"names and numbers": {
			{"मैं घर जा रहा हूँ", "hi"}, {"Priya Sharma", "hi"}, {"राहुल", "hi"}, {"10", "hi"}, {"Anushka Ramanathan", "hi"},
			{"WhatsApp Business", "en"}, {"राहुल", "hi"},
		},
		"a small language": {{"मी शाळेत जातो आणि घरी येतो", "mr"}, {"दिल्ली", "mr"}, {"पानी", "mr"}, {"नमस्ते", "mr"}},
		"German, a name":   {{"Ich gehe jetzt nach Hause", "de"}, {"Samsung", "de"}, {"John Smith", "de"}, {"OK", "de"}},
	} {
		var m lang.Memory
		for _, turn := range turns {
			if got := m.Detect(turn.text); got != turn.want {
				t.Errorf("%s: Detect(%q) = %s, want %s", name, turn.text, got, turn.want)
			}
		}
	}
}

// A session of a deployment detects no language that is not offered, and a hint helps its first
// text.
func TestMemoryPrior(t *testing.T) {
	t.Parallel()
	m := lang.Memory{Prior: lang.Offering("hi", "en").Voiced("en")}
	for _, turn := range []struct {
		text string
		want lang.Code
	}{{"7", "hi"}, {"मी शाळेत जातो", "hi"}, {"Guten Morgen zusammen", "en"}, {"நன்றி", "en"}, {"घर", "hi"}} {
		if got := m.Detect(turn.text); got != turn.want {
			t.Errorf("Detect(%q) = %s, want %s", turn.text, got, turn.want)
		}
	}
}
