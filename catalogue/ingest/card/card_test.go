package card

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goodCard is a card with what is required.
const goodCard = "title: A title\ndescription: What it is.\nlanguage:\n  tag: hi\n"

// TestHugeCards reads long cards that make a parser of YAML work: each is
// refused in the time of a look at its tokens.
func TestHugeCards(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"[", "{", "- ", "? ", "a:\n", "- a: b\n", "&a ", "*a ", "---\n", "%A\n", "!a ", "\"", "a: 1\n"} {
		src := strings.Repeat(unit, MaxBytes/4/len(unit))
		_, _, faults := Parse([]byte(src), false)
		if len(faults) == 0 || len(faults) > maxFaults {
			t.Errorf("Parse of many %q has %d faults, want 1 to %d", unit, len(faults), maxFaults)
		}
	}
	src := "{" + strings.Repeat(`"sampel":1,`, MaxBytes/44-1) + `"b":1}`
	if _, _, faults := Parse([]byte(src), true); len(faults) == 0 || len(faults) > maxFaults+3 {
		t.Errorf("Parse of many keys in JSON has %d faults", len(faults))
	}
}

// TestMeasuredKeys checks that figures cannot be declared, however their names are
// written, and that the card's own keys can.
func TestMeasuredKeys(t *testing.T) {
	t.Parallel()
	const names = `hours recordings conversations speakers transcribed hasSample has_sample englishShare english_share
specification measurements transcripts splits durationS duration_s duration sampleRateHz sample_rate_hz sample_rate
sampleRate codec container bitsPerSample bits_per_sample channels_measured channelsMeasured channels_claimed layout
sizeBytes size_bytes sha256 loudnessLufs loudness_lufs truePeakDbtp true_peak_dbtp snrDb snr_db snr SNR
noise_floor_dbfs noiseFloorDbfs clippingRatio clipping_ratio effectiveBandwidthHz effective_bandwidth_hz upsampled
upsampledFiles clipped_files silentChannels leakageDb leakage_db interChannelCorrelation speechShare speech_share
speech_seconds silenceRatio silence_ratio overlapRatio overlap_ratio ftoMs fto_ms turnCount turn_count turnsPerMin
backchannelsPerMin backchannels_per_min turnTaking turn_taking speakerLabels wordsPerMin words_per_min words
codeMixIndex code_mix_index scriptShare coverage typeTokenRatio waveform metrics Hours Sample-Rate-Hz`
	for name := range strings.FieldsSeq(names) {
		_, _, faults := Parse([]byte(goodCard+name+": 1\n"), false)
		if len(faults) != 1 || !strings.Contains(faults[0].Error(), "measured fields cannot be declared") {
			t.Errorf("a card with %s: %v, want that measured fields cannot be declared", name, faults)
		}
	}
	for _, name := range []string{"title", "channels", "sample", "domains", "participants", "count", "summary", "language"} {
		if measuredKeys()[name] {
			t.Errorf("%s counts as measured, and is a key of the card", name)
		}
	}
}

// TestNearest checks which key a wrong one is told to be near.
func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"collection", "collection_method", "contact", "licence", "title"}
	for s, want := range map[string]string{"license": "licence", "Titel": "title", "collectionMethod": "collection_method", "contacts": "contact"} {
		if got := Nearest(s, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", s, got, want)
		}
	}
}

// TestCardValues reads a card with everything in it, in YAML and in JSON.
func TestCardValues(t *testing.T) {
	t.Parallel()
	const yamlCard = `# A card.
slug: hi-calls
title: "Calls: हिन्दी"
description: |
  Two lines
  of it.
version: 2.1.0
language: {tag: hi-IN, family: Indo-Aryan, varieties: [Awadhi, Braj]}
other_languages: [en-IN, tlh]
channels: dual
collection: call-centre
domains:
  - banking
  - insurance
participants:
  count: 12
  gender: {female: 6, male: 6}
  age_range: [18, 65]
privacy:
  personal_data: false
  anonymised:
contact:
  email: data@example.org
`
	const jsonCard = `{"slug": "hi-calls", "title": "Calls: हिन्दी", "description": "Two lines\nof it.\n", "version": "2.1.0",
 "language": {"tag": "hi-IN", "family": "Indo-Aryan", "varieties": ["Awadhi", "Braj"]}, "other_languages": ["en-IN", "tlh"],
 "channels": "dual", "collection": "call-centre", "domains": ["banking", "insurance"],
 "participants": {"count": 12, "gender": {"female": 6, "male": 6}, "age_range": [18, 65]},
 "privacy": {"personal_data": false, "anonymised": null}, "contact": {"email": "data@example.org"}}`
	fromYAML, lines, faults := Parse([]byte(yamlCard), false)
	if len(faults) > 0 {
		t.Fatalf("Parse(YAML) = %v", faults)
	}
	fromJSON, _, faults := Parse([]byte(jsonCard), true)
	if len(faults) > 0 {
		t.Fatalf("Parse(JSON) = %v", faults)
	}
	if diff := cmp.Diff(fromYAML, fromJSON); diff != "" {
		t.Errorf("the cards differ (-YAML +JSON):\n%s", diff)
	}
	if fromYAML.Description != "Two lines\nof it." || *fromYAML.Participants.Count != 12 || fromYAML.Privacy.Anonymised != nil {
		t.Errorf("Parse = %+v", fromYAML)
	}
	if lines["participants.count"] != 16 || lines["domains[1]"] != 14 {
		t.Errorf("lines = %v, want participants.count in 16 and domains[1] in 14", lines)
	}
}

// TestLanguages checks what tags of all kinds become in a record.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tag, name, bcp47, iso3, script, region string }{
		{"hi", "Hindi", "hi-IN", "hin", "", "IN"},
		{"Hindi", "Hindi", "hi-IN", "hin", "", "IN"},
		{"hi-Latn", "Hindi", "hi-Latn-IN", "hin", "Latn", "IN"},
		{"en-GB", "English", "en-GB", "eng", "", "GB"},
		{"eo", "Esperanto", "eo-001", "epo", "", ""},
		{"lg-UG", "Ganda", "lg-UG", "lug", "", "UG"},
		{"tlh", "Klingon", "tlh", "tlh", "", ""},
	} {
		l, err := LanguageOf(tt.tag)
		if err != nil {
			t.Errorf("LanguageOf(%q) = %v", tt.tag, err)
			continue
		}
		got := strings.Join([]string{l.Name, l.BCP47, l.ISO6393, text(l.Script), text(l.Region)}, " ")
		if want := strings.Join([]string{tt.name, tt.bcp47, tt.iso3, tt.script, tt.region}, " "); got != want {
			t.Errorf("LanguageOf(%q) = %q, want %q", tt.tag, got, want)
		}
	}
	for _, tag := range []string{"", "und", "mul", "zxx", "qq", "a b", "hi-IN-u-co-phonebk-x", "x-private"} {
		if l, err := LanguageOf(tag); err == nil {
			t.Errorf("LanguageOf(%q) = %+v, want an error", tag, l)
		}
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
