package speech

import (
	"net/url"
	"strings"
	"testing"

	"vaak/voice"
)

func TestVoiceNamed(t *testing.T) {
	t.Parallel()
	for _, v := range voice.All() {
		for _, words := range []string{voiceWords(nil, v.ID), v.Name, strings.ToUpper(v.Name), string(v.ID)} {
			if got := voiceNamed(nil, words); got != v.ID {
				t.Errorf("voiceNamed(%q) = %s, want %s", words, got, v.ID)
			}
		}
	}
	if got, want := voiceNamed(nil, "Alloy"), voice.BuiltInAliases()[0]; got != want.Voice {
		t.Errorf("voiceNamed(Alloy) = %s, want %s, as %s", got, want.Voice, want.Name)
	}
	for _, words := range []string{"", "nobody", " · ", "sv_"} {
		if got := voiceNamed(nil, words); string(got) != words {
			t.Errorf("voiceNamed(%q) = %q, want it as it is", words, got)
		}
	}
}

func FuzzChoice(f *testing.F) {
	f.Add("input=a&voice=Hannah+%C2%B7+English&speed=1&response_format=mp3&sample_rate=8000&lang=auto")
	f.Add("speed=1e309&sample_rate=-1&voice=%00")
	f.Fuzz(func(t *testing.T, query string) {
		sent, _ := url.ParseQuery(query)
		c := choiceOf(nil, sent)
		if c.sample(nil) == "" {
			t.Errorf("%+v has no sample", c)
		}
		if got, err := c.format(); err == nil && got.SampleRate == 0 {
			t.Errorf("%+v has no sample rate", got)
		}
	})
}
