package catalogue

import "time"

// Profile says how a recording sounds and how its speakers talk to each other.
type Profile struct {
	Method        Method         `json:"method"`
	Audio         []Channel      `json:"audio" nullable:"false" doc:"How each channel sounds."`
	Pair          *Pair          `json:"pair,omitempty" doc:"How two channels differ; absent of other numbers of channels."`
	Speech        SpeechTime     `json:"speech"`
	Lexical       *Lexical       `json:"lexical" doc:"What the transcript tells of words; null without a transcript that has words."`
	TurnTaking    *TurnTaking    `json:"turnTaking,omitempty" doc:"How speakers take turns; absent unless each channel holds one speaker."`
	SpeakerLabels *SpeakerLabels `json:"speakerLabels,omitempty" doc:"What the transcript tells of turns where speakers share a channel."`
}

// Method says how figures were measured.
type Method struct {
	Name       string             `json:"name" doc:"Of the method: conv is that of conversations."`
	Version    string             `json:"version"`
	VAD        string             `json:"vad,omitempty" doc:"Voice activity detection."`
	Params     map[string]float64 `json:"params,omitempty"`
	MeasuredAt *time.Time         `json:"measuredAt,omitempty"`
	Tool       string             `json:"tool,omitempty"`
}

// DrySpeechS is the reverberation time of a [Channel] in seconds up to which the decays may be those
// of the speech itself, without a room.
const DrySpeechS = 0.3

// Channel says how one channel sounds. Levels are relative to full scale. A figure without a
// value, such as the noise of a silent channel, is left out.
type Channel struct {
	LoudnessLUFS         *float64 `json:"loudnessLufs,omitempty" doc:"Integrated loudness, ITU-R BS.1770-4, in LUFS."`
	LoudnessRangeLU      *float64 `json:"loudnessRangeLu,omitempty" doc:"Loudness range, EBU Tech 3342, in LU."`
	TruePeakDBTP         *float64 `json:"truePeakDbtp,omitempty"`
	RMSDBFS              *float64 `json:"rmsDbfs,omitempty"`
	NoiseFloorDBFS       *float64 `json:"noiseFloorDbfs,omitempty"`
	SNRDB                *float64 `json:"snrDb,omitempty" doc:"10 lg((speech - noise)/noise) of the energies, in dB."`
	VADSpanDB            *float64 `json:"vadSpanDb,omitempty" doc:"From the noise floor to the peaks of speech, in dB."`
	SpeechLevelDBFS      *float64 `json:"speechLevelDbfs,omitempty" doc:"Level of what counts as speech, 200 to 3,400 Hz, in dBFS."`
	UnlikeSpeechRatio    *float64 `json:"unlikeSpeechRatio,omitempty" doc:"Share of what counts as speech that does not sound like it, 0 to 1: its level stands still, it has no pitch, or holds one, or it never pauses."`
	LowConfidence        bool     `json:"lowConfidence" doc:"Speech shares, pauses and turns are doubtful: vadSpanDb is under 25, speechLevelDbfs under -45, unlikeSpeechRatio over 0.06 (and 0.8 s), or no speech was found under sound above -45 dBFS."`
	ClippingRatio        float64  `json:"clippingRatio" doc:"Share of samples that are clipped: three or more in a row at full scale."`
	DCOffset             float64  `json:"dcOffset" doc:"Mean of the samples, -1 to 1."`
	DigitalSilenceRatio  float64  `json:"digitalSilenceRatio" doc:"Share of samples in stretches of zeros."`
	EffectiveBandwidthHz *float64 `json:"effectiveBandwidthHz,omitempty"`
	Upsampled            bool     `json:"upsampled" doc:"effectiveBandwidthHz is under 0.6 of half the sample rate, and what lies above is cut off, not faded."`
	HasSpeech            bool     `json:"hasSpeech"`

	ReverbTimeS    *float64 `json:"reverbTimeS,omitempty" doc:"Time in which sound falls by 60 dB after it ends, median of all decays, in seconds: a blind estimate from speech, of which about 0.25 s are the speech itself. Up to 0.3 it says only that the room is dry, or the microphone near."`
	Band           string   `json:"band,omitempty" doc:"Band that the sound fills: telephone (cut off near 3,400 Hz, with little below 300 Hz, as telephone lines leave it), narrow (to 4 kHz), wide (to 8 kHz), super-wide (to 16 kHz), full."`
	LowCutHz       *float64 `json:"lowCutHz,omitempty" doc:"Frequency under which there is hardly any sound: a filter, or a high voice."`
	CutoffHz       *float64 `json:"cutoffHz,omitempty" doc:"Where the band ends at a cliff, under 0.9 of half the sample rate: a telephone line, a resampler or a lossy codec."`
	Companding     string   `json:"companding,omitempty" doc:"mulaw or alaw: all samples are values of ITU-T G.711, though the file has linear samples of 13 bits or more."`
	UsedBits       int      `json:"usedBits,omitempty" doc:"Bits that the samples of a lossless file use; fewer than bitsPerSample where the lower ones are always 0."`
	FlattenedRatio *float64 `json:"flattenedRatio,omitempty" doc:"Share of samples in runs at the channel's own highest level, if that is under full scale: clipping before the level was reduced."`
	FlattenedDBFS  *float64 `json:"flattenedDbfs,omitempty" doc:"That level."`
	Dead           bool     `json:"dead,omitempty" doc:"The channel holds nothing: all its samples are the same but for the two lowest of 16 bits."`
	ToneRatio      *float64 `json:"toneRatio,omitempty" doc:"Share of the time with a tone, such as ringing, 0 to 1."`
	MusicRatio     *float64 `json:"musicRatio,omitempty" doc:"Share of the time with music, such as that on hold, 0 to 1."`
}

// Pair compares two channels.
type Pair struct {
	Correlation       float64   `json:"interChannelCorrelation" doc:"Of the two waveforms, -1 to 1."`
	LeakageDB         []float64 `json:"leakageDb,omitempty" doc:"How much of the other speaker is heard on each channel, in dB."`
	EchoDelayMs       []float64 `json:"echoDelayMs,omitempty" doc:"By how much the other speaker is heard late on each channel, in ms: an echo. Absent without one."`
	LevelDifferenceDB *float64  `json:"levelDifferenceDb,omitempty" doc:"Level of the first less that of the second, in dB."`
	Layout            string    `json:"layout" doc:"What was measured: dual, a speaker on each channel, or stereo, a mix."`
}

// SpeechTime says how much speech there is.
type SpeechTime struct {
	SpeechS      float64   `json:"speechSeconds" doc:"Speech of all speakers together, in seconds."`
	SpeechShare  []float64 `json:"speechShare,omitempty" doc:"Share of each channel in speechSeconds; absent unless each holds one speaker."`
	SilenceRatio float64   `json:"silenceRatio" doc:"Share of the duration in which nobody speaks."`
	LeadS        *float64  `json:"leadS,omitempty" doc:"Time before the first speech on any channel, in seconds; absent without speech."`
	TrailS       *float64  `json:"trailS,omitempty" doc:"Time after the last speech."`
}

// TurnTaking says how two speakers take turns, measured on the audio of their channels. Times
// are in milliseconds, unless the name says otherwise.
type TurnTaking struct {
	Method                 string       `json:"method" doc:"audio-vad: told from the audio, never from a transcript."`
	OverlapRatio           float64      `json:"overlapRatio" doc:"Time in which both speak, of the time in which anybody does."`
	FTO                    FTO          `json:"ftoMs"`
	GapMs                  *float64     `json:"gapMs,omitempty" doc:"Median of offsets above 0."`
	OverlapMs              *float64     `json:"overlapMs,omitempty" doc:"Median of offsets below 0, as a positive number."`
	ResponseMs             []float64    `json:"responseLatencyMs,omitempty" doc:"Median offset by who answers: first when the first channel answers the second."`
	TurnCount              int          `json:"turnCount"`
	TurnsPerMin            float64      `json:"turnsPerMin"`
	TurnLengthS            *Quantiles   `json:"turnLengthS,omitempty"`
	IPULengthS             *Quantiles   `json:"ipuLengthS,omitempty" doc:"Inter-pausal units."`
	PauseMs                *Quantiles   `json:"pauseMs,omitempty" doc:"Silences inside a turn while the other is silent, too, in ms."`
	PausesPerMin           float64      `json:"pausesPerMin"`
	BackchannelCount       int          `json:"backchannelCount"`
	BackchannelsPerMin     float64      `json:"backchannelsPerMin"`
	OverlappedStartsPerMin float64      `json:"overlappedStartsPerMin"`
	Turns                  []Turn       `json:"turns,omitempty" doc:"The turns themselves."`
	Overlaps               [][2]float64 `json:"overlaps,omitempty" doc:"Stretches in which both speak, as start and end in seconds."`
}

// Turn is one turn of one speaker.
type Turn struct {
	Channel int     `json:"channel" doc:"From 1."`
	StartS  float64 `json:"startS"`
	EndS    float64 `json:"endS"`
}

// FTO summarizes floor-transfer offsets in milliseconds. An offset is the start of a turn minus the
// end of the other speaker's turn before it; it is negative if they overlap.
type FTO struct {
	Count     int        `json:"n"`
	Median    *float64   `json:"median,omitempty"`
	Mean      *float64   `json:"mean,omitempty"`
	P10       *float64   `json:"p10,omitempty"`
	P90       *float64   `json:"p90,omitempty"`
	Histogram *Histogram `json:"histogram,omitempty"`
	Shares    *FTOShares `json:"shares,omitempty"`
}

// FTOShares are the shares of offsets by size. They add up to 1.
type FTOShares struct {
	Under0  float64 `json:"under0"`
	To200   float64 `json:"from0to200"`
	To700   float64 `json:"from200to700"`
	Over700 float64 `json:"over700"`
}

// Histogram counts values in bins of equal width. Values outside count in the first or last bin.
type Histogram struct {
	From  float64 `json:"from"`
	Width float64 `json:"width"`
	Bins  []int   `json:"bins" nullable:"false"`
}

// Quantiles are the median and the 90th percentile of a figure.
type Quantiles struct {
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
}

// Spread is the distribution of a figure over files.
type Spread struct {
	Count  int     `json:"n" doc:"Files that have it."`
	Min    float64 `json:"min"`
	P10    float64 `json:"p10"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Max    float64 `json:"max"`
	Mean   float64 `json:"mean"`
}

// Lexical has the figures of the words in a transcript. A word is a token of UAX 29 with a letter;
// tags and numbers do not count. The record of a transcript without words has no Lexical,
// because zeros would mean that nobody speaks. Transcribed time is the time of the segments
// that have text.
type Lexical struct {
	Method         string             `json:"method" doc:"transcript: told from its text and times."`
	Words          int                `json:"words"`
	Types          int                `json:"types" doc:"Different words."`
	TypeToken      *float64           `json:"typeTokenRatio,omitempty" doc:"Different words of the first 1,000; absent of shorter transcripts."`
	WordsPerMin    *float64           `json:"wordsPerMin" doc:"Words a minute of transcribed time: what segments with text hold. Null when they hold no time."`
	Articulation   *float64           `json:"wordsPerSpeechMin,omitempty" doc:"Words a minute of the speech that was measured in transcribed time."`
	EnglishShare   float64            `json:"englishShare" doc:"Share of words in Latin letters alone, 0 to 1."`
	ScriptShare    map[string]float64 `json:"scriptShare" nullable:"false" doc:"Share of words by script (ISO 15924)."`
	CodeMixIndex   *float64           `json:"codeMixIndex" doc:"0 to 100, Das and Gambäck 2014, languages told by script. Null when no word has a script that can be told."`
	SwitchesPer100 *float64           `json:"switchPointsPer100Words" doc:"Words in another script than the word before them. Null as codeMixIndex."`
	Segments       int                `json:"segments"`
	EmptySegments  int                `json:"emptySegments"`
	TimeErrors     int                `json:"timestampErrors" doc:"Segments that end after the audio, or before they start."`
	Numerals       int                `json:"numerals,omitempty" doc:"Numbers in digits, which are no words."`
	// Languages are told by the words: see docs/measurements.md for how well.
	LanguageShare       map[string]float64   `json:"languageShare,omitempty" doc:"Share of words by language (ISO 639), told by 20 words of a script at a time: of the languages that the dataset names, and of English. und is any other."`
	ChannelLanguages    []map[string]float64 `json:"channelLanguageShare,omitempty" doc:"The same for each channel; absent unless segments name several."`
	OutsideShare        *float64             `json:"outsideAlphabetRatio,omitempty" doc:"Signs that do not belong in the text, per letter: of another alphabet, of private use, not assigned."`
	OutsideSigns        map[string]int       `json:"outsideAlphabet,omitempty" doc:"Those signs by code point, at most 20."`
	ImplausibleSegments int                  `json:"implausibleSegments,omitempty" doc:"Segments with more or less text than can be spoken in their time."`
	UnheardSegments     int                  `json:"unheardSegments,omitempty" doc:"Segments with words in which hardly any speech was measured."`
	AlignmentLagMs      *float64             `json:"alignmentLagMs,omitempty" doc:"By how much segments are late compared with the speech, in ms; absent if that cannot be told."`

	Coverage *float64 `json:"coverage,omitempty" doc:"Share of the speech that lies in segments, 0 to 1."`
	IoU      *float64 `json:"overlapWithAudioIou,omitempty" doc:"Of segments and speech: intersection over union, 0 to 1."`
}

// SpeakerLabels says how labelled speakers take turns, from the times in a transcript. Its figures
// must not be compared with those of [TurnTaking].
type SpeakerLabels struct {
	Method       string    `json:"method" doc:"transcript: told from its text and times."`
	Speakers     []string  `json:"speakers" nullable:"false"`
	SpeechShare  []float64 `json:"speechShare" nullable:"false" doc:"Of each of Speakers."`
	OverlapRatio float64   `json:"overlapRatio"`
	TurnCount    int       `json:"turnCount"`
	FTO          FTO       `json:"ftoMs"`
}
