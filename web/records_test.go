package web_test

import (
	"math"

	"vaak/catalogue"
)

// said is a turn of a sample: who, from when to when, what.
type said struct {
	channel  int
	from, to float64
	text     string
}

var hindiTurns = []said{
	{1, 0.4, 2.6, "नमस्ते, भारत बैंक में आपका स्वागत है। मैं आपकी क्या सहायता कर सकती हूँ?"},
	{2, 2.8, 5.9, "नमस्ते, मेरा debit card कल से काम नहीं कर रहा है।"},
	{1, 5.7, 6.2, "जी।"},
	{2, 6.3, 8.4, "ATM में डालते ही error आ जाता है।"},
	{1, 8.6, 11.8, "मुझे खेद है। कृपया अपने कार्ड के आख़िरी चार अंक बताइए।"},
	{2, 12.1, 13.4, "चार, सात, दो, नौ।"},
	{1, 13.3, 16.9, "धन्यवाद। आपका कार्ड सुरक्षा कारणों से block हो गया है, मैं उसे अभी चालू कर देती हूँ।"},
	{2, 17.2, 18.6, "बहुत अच्छा, धन्यवाद।"},
	{1, 18.5, 20.9, "क्या मैं आपकी और कोई सहायता कर सकती हूँ?"},
	{2, 21.4, 23.2, "नहीं, बस इतना ही।"},
}

func hindi() *catalogue.Dataset {
	d := base("hindi-bank-calls", "Hindi bank calls", catalogue.Language{
		Name: "Hindi", NativeName: new("हिन्दी"), ISO6393: "hin", ISO6391: new("hi"), BCP47: "hi-IN", Script: new("Deva"),
		Region: new("IN"), Family: new("Indo-Aryan"), Varieties: []string{"Awadhi-accented", "Delhi"},
	}, 1204.5)
	d.Description = "Calls of customers to the help line of a bank, each speaker on a channel of their own.\n\nThe calls were role-played from cards that name a problem, not a text."
	d.Recordings, d.Conversations, d.Speakers = 5214, new(5214), new(412)
	d.Channels, d.Collection, d.Domain, d.Domains = new(catalogue.Dual), new(catalogue.CallCentre), new("banking"), []string{"banking", "insurance"}
	d.OtherLanguages, d.Transcribed, d.HasSample, d.EnglishShare = []string{"en-IN"}, true, true, new(0.083)
	d.Sample = sample(d, hindiTurns, 24, 16000, "Priya", "agent", "Arjun", "customer")
	d.Sample.Metrics.TurnTaking = turnTaking()
	d.Sample.Metrics.Lexical = lexical(map[string]float64{"Deva": 0.917, "Latn": 0.083})
	d.Specification, d.Measurements = specified(), measured()
	d.Transcripts = &catalogue.Transcripts{
		Formats: []string{"TextGrid", "csv"}, Recordings: 5214, Segments: 402118, Words: new(9120044), WordTimes: true, Script: new("Deva"),
		Coverage: spreadOf(.91, .97, .99), Protocol: new("Two passes by people, the second by another."), Agreement: spreadOf(.8, .9, .95),
	}
	d.Participants = &catalogue.Participants{
		Count: new(412), Gender: map[string]int{"female": 205, "male": 207}, AgeRange: []int{19, 64}, Regions: []string{"Delhi", "Uttar Pradesh"},
		Summary: new("Adults who grew up with Hindi."),
	}
	d.CollectionMethod = &catalogue.CollectionMethod{
		Summary: new("Pairs called each other on their own phones."), Style: new("role-played"), Setting: new("at home"), Equipment: new("mobile phones"),
		From: new("2025-02-01"), To: new("2025-09-30"),
	}
	d.Consent = &catalogue.Consent{Summary: new("Written consent of every speaker, who may withdraw it."), Purposes: []string{"training", "evaluation"}}
	d.Privacy = &catalogue.Privacy{Summary: new("Names and numbers are invented."), PersonalData: new(false), Anonymised: new(true)}
	d.Licence = &catalogue.Licence{
		Name: "Vaak Commercial Licence 1.0", URL: new("https://example.org/licence"), Summary: new("Training and evaluation of models, no redistribution of audio."),
		Evaluation: &catalogue.Terms{Name: "Evaluation Licence", URL: "https://example.org/evaluation"},
	}
	d.Access = &catalogue.Access{Conditions: new("A signed licence.")}
	d.Splits = []catalogue.Split{{Name: "train", Recordings: 5000, Hours: 1155}, {Name: "test", Recordings: 214, Hours: 49.5}}
	d.Provenance = &catalogue.Provenance{
		Creator: &catalogue.Organisation{Name: "Example Speech", URL: "https://example.org"}, Publisher: &catalogue.Organisation{Name: "Vaak"}, Created: new("2025-10-12"),
	}
	d.Citation = new("Example Speech (2025). Hindi bank calls, version 1.0.0. " + d.URL)
	d.DatePublished = new("2026-01-15")
	d.Contact = &catalogue.Contact{Name: new("Data desk"), Email: new("data@example.org"), URL: new("https://example.org/ask")}
	d.Gaps = []string{"measurements.turnTaking.note", "sample.licence", "transcripts.lexical"}
	return d
}

func hinglish() *catalogue.Dataset {
	d := base("hinglish-chat", "Hinglish kitchen talk (synthetic)", catalogue.Language{Name: "Hindi", NativeName: new("हिन्दी"), ISO6393: "hin", BCP47: "hi-Latn"}, 38.25)
	d.Channels, d.Collection, d.Domain, d.Domains = new(catalogue.Mono), new(catalogue.GeneralConversation), new("cooking"), []string{"cooking"}
	d.Transcribed, d.HasSample, d.EnglishShare = true, true, new(0.46)
	turns := []said{
		{1, 0.3, 2.4, "Aaj dinner mein kya banayein, any ideas?"},
		{2, 2.6, 4.9, "Let's try something simple, jaise dal chawal."},
		{1, 5.0, 5.4, "Hmm."},
		{3, 5.2, 7.8, "Main toh pasta chahti thi, but okay."},
	}
	d.Sample = sample(d, turns, 9, 24000, "Asha", "", "Ravi", "")
	s := d.Sample
	s.Channels, s.Streams, s.Waveform.Peaks = 1, s.Streams[:1], s.Waveform.Peaks[:1]
	names := []string{"", "Asha", "Ravi", "Meera"}
	for i := range s.Transcript.Segments {
		seg := &s.Transcript.Segments[i]
		seg.Speaker, seg.Role, seg.Channel = names[turns[i].channel], "", 1
	}
	s.Metrics.Audio, s.Metrics.Pair, s.Metrics.Speech.SpeechShare = s.Metrics.Audio[:1], nil, nil
	s.Metrics.Lexical = lexical(map[string]float64{"Latn": 1})
	s.Metrics.SpeakerLabels = &catalogue.SpeakerLabels{
		Method: "transcript", Speakers: names[1:], SpeechShare: []float64{.35, .32, .33}, OverlapRatio: .03, TurnCount: 4, FTO: turnTaking().FTO,
	}
	d.Provenance = &catalogue.Provenance{Synthetic: true, Generator: "vaak demo 1.0", Creator: &catalogue.Organisation{Name: "Vaak"}}
	d.Licence = &catalogue.Licence{Name: "CC0 1.0"}
	d.Access = &catalogue.Access{Free: true}
	d.Gaps = []string{"consent", "contact", "licence.url", "participants", "privacy"}
	return d
}

func tamil() *catalogue.Dataset {
	d := base("tamil-telephony", "Tamil telephony, 8 kHz", catalogue.Language{Name: "Tamil", NativeName: new("தமிழ்"), ISO6393: "tam", BCP47: "ta-IN"}, 210)
	d.Channels, d.Collection, d.HasSample = new(catalogue.Dual), new(catalogue.CallCentre), true
	d.Domain, d.Domains = new("railway enquiries"), []string{"railway enquiries"}
	d.Sample = sample(d, hindiTurns, 24, 8000, "", "", "", "")
	d.Sample.Transcript = nil
	d.Sample.Metrics.TurnTaking = turnTaking()
	d.Specification = specified()
	d.Specification.SampleRateHz = map[string]int{"8000": 900, "16000": 100}
	d.Specification.UpsampledFiles, d.Specification.ChannelsClaimed, d.Specification.ChannelsMeasured = 100, "dual", "stereo"
	d.Gaps = []string{"consent", "sample.transcript", "transcripts"}
	return d
}

// sample makes a sample whose two channels hold turns.
func sample(d *catalogue.Dataset, turns []said, seconds float64, rate int, speaker1, role1, speaker2, role2 string) *catalogue.Sample {
	at := d.URL + "/sample/"
	s := &catalogue.Sample{
		Recording: "rec-0001", URL: at + "sample.wav", DurationS: seconds, SampleRateHz: rate, Codec: "wav", Channels: 2, SizeBytes: int64(44 + seconds*float64(rate)*4),
		SHA256: "00", Bundle: catalogue.Bundle{Available: true, How: "Ask for the sample with its licence."}, Licence: &catalogue.Terms{Name: "Evaluation Licence"},
		Streams:    []catalogue.Stream{{Channel: 1, URL: at + "channel-1.wav", Speaker: speaker1, Role: role1}, {Channel: 2, URL: at + "channel-2.wav", Speaker: speaker2, Role: role2}},
		Transcript: &catalogue.SampleTranscript{URL: at + "transcript.csv", Format: "csv", Source: "TextGrid", Count: len(turns) + 24},
	}
	for _, t := range turns {
		seg := catalogue.Segment{StartS: t.from, EndS: t.to, Channel: t.channel, Text: t.text}
		s.Transcript.Segments = append(s.Transcript.Segments, seg)
	}
	s.Waveform = catalogue.Waveform{Points: 200, Peaks: make([][]float64, 2)}
	for c := range 2 {
		for i := range 200 {
			s.Waveform.Peaks[c] = append(s.Waveform.Peaks[c], level(turns, c+1, (float64(i)+.5)*seconds/200))
		}
	}
	s.Metrics = catalogue.Profile{
		Method: catalogue.Method{Name: "conv", Version: "1.0", VAD: "energy-hyst/1"},
		Audio:  []catalogue.Channel{channel(-23.1, false), channel(-25.4, rate == 8000)},
		Pair:   &catalogue.Pair{Correlation: .01, LeakageDB: []float64{-41.2, -38.7}, Layout: "dual"},
		Speech: catalogue.SpeechTime{SpeechS: 20.4, SpeechShare: []float64{.58, .42}, SilenceRatio: .14},
	}
	return s
}

// level is how loud a channel is at a time: syllables while its speaker speaks.
func level(turns []said, channel int, t float64) float64 {
	for _, turn := range turns {
		if (turn.channel-1)%2+1 == channel && turn.from <= t && t < turn.to {
			return .25 + .6*math.Abs(math.Sin(t*9)*math.Cos(t*2.3))
		}
	}
	return .01
}

func channel(loudness float64, upsampled bool) catalogue.Channel {
	return catalogue.Channel{
		LoudnessLUFS: &loudness, TruePeakDBTP: new(-3.2), SNRDB: new(34.5), NoiseFloorDBFS: new(-61.0), EffectiveBandwidthHz: new(3875.0),
		HasSpeech: true, Upsampled: upsampled, LowConfidence: upsampled,
	}
}

func turnTaking() *catalogue.TurnTaking {
	t := &catalogue.TurnTaking{
		Method: "audio-vad", OverlapRatio: .041, TurnCount: 9, TurnsPerMin: 22.5, BackchannelCount: 1, BackchannelsPerMin: 2.5, OverlappedStartsPerMin: 0,
		TurnLengthS: &catalogue.Quantiles{Median: 2.2, P90: 3.6}, PauseMs: &catalogue.Quantiles{Median: 310, P90: 640}, PausesPerMin: 6.1,
		FTO: catalogue.FTO{
			Count: 212, Median: new(180.0), Mean: new(201.5), Histogram: histogram(), Shares: &catalogue.FTOShares{Under0: .31, To200: .24, To700: .33, Over700: .12},
		},
	}
	for i, turn := range hindiTurns {
		t.Turns = append(t.Turns, catalogue.Turn{Channel: turn.channel, StartS: turn.from, EndS: turn.to})
		if i > 0 && turn.from < hindiTurns[i-1].to {
			t.Overlaps = append(t.Overlaps, [2]float64{turn.from, hindiTurns[i-1].to})
		}
	}
	return t
}

func histogram() *catalogue.Histogram {
	h := &catalogue.Histogram{From: -2000, Width: 100}
	for i := range 40 {
		x := (float64(i) - 21.5) / 4.5
		h.Bins = append(h.Bins, int(40*math.Exp(-x*x/2)))
	}
	return h
}

func lexical(scripts map[string]float64) *catalogue.Lexical {
	return &catalogue.Lexical{
		Method: "transcript", Words: 1312, Types: 640, TypeToken: new(.52), WordsPerMin: new(148.0), Articulation: new(176.0), EnglishShare: scripts["Latn"],
		ScriptShare: scripts, CodeMixIndex: new(8.3), SwitchesPer100: new(11.2), Segments: 34, Coverage: new(.97), TimeErrors: 1,
	}
}

func spreadOf(p10, median, p90 float64) *catalogue.Spread {
	return &catalogue.Spread{Count: 5214, Min: p10, P10: p10, Median: median, P90: p90, Max: p90, Mean: median}
}

func specified() *catalogue.Specification {
	return &catalogue.Specification{
		MeasuredFrom: catalogue.Extent{Files: 5214, Hours: 1204.5, Share: 1}, Container: map[string]int{"flac": 5214}, Codec: map[string]int{"flac": 5214},
		SampleRateHz: map[string]int{"16000": 5214}, BitsPerSample: map[string]int{"16": 5214}, Channels: map[string]int{"2": 5214}, Layout: map[string]int{"dual": 5210, "stereo": 4},
		DurationS: catalogue.Durations{Min: 61, P10: 312, Median: 811, P90: 1520, Max: 3810, Total: 4336200}, SizeBytes: 93_412_000_000,
		LoudnessLUFS: spreadOf(-27.4, -23.1, -20), TruePeakDBTP: spreadOf(-6, -3, -1), SNRDB: spreadOf(21, 34.5, 42), EffectiveBandwidthHz: spreadOf(3800, 7400, 7900),
		LeakageDB: spreadOf(-55, -41, -30), TranscriptCoverage: spreadOf(.91, .97, .99), ClippedFiles: 3, ChannelsMeasured: "dual",
		Method: catalogue.Method{Name: "vaak-audio", Version: "1.0"},
	}
}

func measured() *catalogue.Measurements {
	return &catalogue.Measurements{
		Files: 5214, SilenceRatio: spreadOf(.1, .18, .3), SpeechSeconds: 3_600_000, Method: catalogue.Method{Name: "conv", Version: "1.0", VAD: "energy-hyst/1"},
		TurnTaking: &catalogue.Turns{
			Files: 5210, Balance: spreadOf(.31, .42, .49), OverlapRatio: spreadOf(.02, .045, .09), FTOMedianMs: spreadOf(40, 190, 420), TurnCount: 812004,
			TurnsPerMin: spreadOf(9, 14.2, 22), BackchannelsPerMin: spreadOf(1, 3.1, 6),
		},
		Words: &catalogue.Words{Files: 5214, Words: 9120044, WordsPerMin: spreadOf(101, 132, 160), EnglishShare: spreadOf(.02, .083, .2), CodeMixIndex: spreadOf(2, 8, 19)},
	}
}
