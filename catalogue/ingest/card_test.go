package ingest

import (
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestHugeCards reads long cards that make a parser of YAML work: each is
// refused in the time of a look at its tokens.
func TestHugeCards(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"[", "{", "- ", "? ", "a:\n", "- a: b\n", "&a ", "*a ", "---\n", "%A\n", "!a ", "\"", "a: 1\n"} {
		src := strings.Repeat(unit, maxCardBytes/4/len(unit))
		_, _, faults := parseCard([]byte(src), false)
		if len(faults) == 0 || len(faults) > maxCardFaults {
			t.Errorf("parseCard of many %q has %d faults, want 1 to %d", unit, len(faults), maxCardFaults)
		}
	}
	src := "{" + strings.Repeat(`"sampel":1,`, maxCardBytes/44-1) + `"b":1}`
	if _, _, faults := parseCard([]byte(src), true); len(faults) == 0 || len(faults) > maxCardFaults+3 {
		t.Errorf("parseCard of many keys in JSON has %d faults", len(faults))
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
		_, _, faults := parseCard([]byte(goodCard+name+": 1\n"), false)
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

// TestPathsStayInside checks that a path that is taken is local, whatever it is
// made of.
func TestPathsStayInside(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{"..", ".", "", "a", "a b", "/", "\\", "C:", "\x00", "\n", "\xff", "http://", "नमस्ते", "\u202E", "..."})
	rapid.Check(t, func(t *rapid.T) {
		p := strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "parts"), rapid.SampledFrom([]string{"/", ""}).Draw(t, "separator"))
		if badPath(p) != "" {
			return
		}
		if !filepath.IsLocal(filepath.FromSlash(path.Clean(p))) || !utf8.ValidString(p) || strings.ContainsAny(p, "\x00\\\n\u202E") {
			t.Errorf("badPath(%q) = \"\"", p)
		}
	})
}

// TestNearestName checks which key a wrong one is told to be near.
func TestNearestName(t *testing.T) {
	t.Parallel()
	names := []string{"collection", "collection_method", "contact", "licence", "title"}
	for s, want := range map[string]string{"license": "licence", "Titel": "title", "collectionMethod": "collection_method", "contacts": "contact"} {
		if got := nearestName(s, names); got != want {
			t.Errorf("nearestName(%q) = %q, want %q", s, got, want)
		}
	}
}
