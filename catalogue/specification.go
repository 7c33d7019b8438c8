package catalogue

// Specification says what the files are, measured on all of them. Maps count files by value.
type Specification struct {
	MeasuredFrom  Extent         `json:"measuredFrom"`
	Container     map[string]int `json:"container" nullable:"false"`
	Codec         map[string]int `json:"codec" nullable:"false"`
	SampleRateHz  map[string]int `json:"sampleRateHz" nullable:"false"`
	BitsPerSample map[string]int `json:"bitsPerSample,omitempty" doc:"Of lossless files."`
	Channels      map[string]int `json:"channels" nullable:"false"`
	Layout        map[string]int `json:"layout" nullable:"false" doc:"\"dual\", \"stereo\", \"mono\"."`
	DurationS     Durations      `json:"durationS"`
	SizeBytes     int64          `json:"sizeBytes"`

	LoudnessLUFS         *Spread `json:"loudnessLufs,omitempty"`
	TruePeakDBTP         *Spread `json:"truePeakDbtp,omitempty"`
	SNRDB                *Spread `json:"snrDb,omitempty"`
	EffectiveBandwidthHz *Spread `json:"effectiveBandwidthHz,omitempty"`
	LeakageDB            *Spread `json:"leakageDb,omitempty"`
	TranscriptCoverage   *Spread `json:"transcriptCoverage,omitempty"`

	ReverbTimeS    *Spread        `json:"reverbTimeS,omitempty"`
	LeadS          *Spread        `json:"leadS,omitempty" doc:"Before the first speech, in seconds."`
	TrailS         *Spread        `json:"trailS,omitempty" doc:"After the last speech, in seconds."`
	AlignmentLagMs *Spread        `json:"alignmentLagMs,omitempty" doc:"Of transcripts whose lag can be told."`
	Band           map[string]int `json:"band,omitempty" doc:"Files by the widest band of a channel."`
	CompandedFiles int            `json:"compandedFiles,omitempty" doc:"Of linear samples that were G.711 once."`
	CutOffFiles    int            `json:"cutOffFiles,omitempty" doc:"With a channel that has a cutoffHz."`
	FewBitsFiles   int            `json:"fewBitsFiles,omitempty" doc:"That use fewer bits than they have."`
	FlattenedFiles int            `json:"flattenedFiles,omitempty" doc:"With a flattened ratio above 0.0001 on a channel."`
	DeadChannels   int            `json:"deadChannels,omitempty"`
	ToneFiles      int            `json:"toneFiles,omitempty" doc:"With tones on a channel."`
	MusicFiles     int            `json:"musicFiles,omitempty" doc:"With music on a channel."`
	Duplicates     *Copies        `json:"duplicates,omitempty" doc:"Files with the same sound as an earlier one; absent if fingerprints were not made."`

	ClippedFiles     int    `json:"clippedFiles" doc:"With a clipping ratio above 0.0001."`
	UpsampledFiles   int    `json:"upsampledFiles"`
	SilentChannels   int    `json:"silentChannels"`
	ChannelsClaimed  string `json:"channelsClaimed,omitempty" doc:"ChannelsClaimed is what the card says, where measurement says otherwise."`
	ChannelsMeasured string `json:"channelsMeasured" doc:"Of most files: \"dual\", \"stereo\", \"mono\"."`
	Method           Method `json:"method"`
}

// Extent says how much of a dataset was measured.
type Extent struct {
	Files int     `json:"files"`
	Hours float64 `json:"hours"`
	Share float64 `json:"share" doc:"Of the files of the dataset, 0..1."`
}

// Copies counts the files of a dataset that hold the sound of another of its files.
type Copies struct {
	ExactFiles    int     `json:"exactFiles" doc:"The same as an earlier file, byte for byte."`
	AcousticFiles int     `json:"acousticFiles" doc:"Others of whose sound an earlier file has at least half, over all channels."`
	Seconds       float64 `json:"seconds" doc:"Sound of both kinds that the dataset holds twice."`
}

// Durations are the lengths of files in seconds.
type Durations struct {
	Min    float64 `json:"min"`
	P10    float64 `json:"p10"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Max    float64 `json:"max"`
	Total  float64 `json:"total"`
}

// Measurements is the conversation profile of the whole dataset: the distribution over files of
// each figure.
type Measurements struct {
	Files         int     `json:"files" doc:"Measured."`
	SilenceRatio  *Spread `json:"silenceRatio,omitempty"`
	SpeechSeconds float64 `json:"speechSeconds" doc:"In all."`
	TurnTaking    *Turns  `json:"turnTaking,omitempty" doc:"Of files with a speaker on each channel."`
	Words         *Words  `json:"lexical" doc:"What transcripts tell of words; null when none has any."`

	Speakers *SpeakerBalance `json:"speakers,omitempty" doc:"How speech is divided among the speakers that manifests name; absent unless all speech is of named speakers."`

	Method Method `json:"method"`
}

// SpeakerBalance says how the speech of a dataset is divided among its speakers, whom its manifests
// name. Times are measured on the audio.
type SpeakerBalance struct {
	Count        int     `json:"count" doc:"Different names."`
	Effective    float64 `json:"effective" doc:"How many speakers with an equal share would be as diverse: the exponential of the entropy of the shares."`
	TopShare     float64 `json:"topShare" doc:"Share of the speech of whoever speaks most, 0 to 1."`
	SecondsEach  *Spread `json:"secondsEach" doc:"Speech of a speaker, in seconds; n counts speakers."`
	PerRecording *Spread `json:"perRecording" doc:"Named speakers of a file."`
}

// Turns is [TurnTaking] over all files.
type Turns struct {
	Files              int        `json:"files"`
	Balance            *Spread    `json:"balance,omitempty" doc:"The lesser speaker's share."`
	OverlapRatio       *Spread    `json:"overlapRatio,omitempty"`
	FTOMedianMs        *Spread    `json:"ftoMedianMs,omitempty"`
	FTO                *Histogram `json:"ftoMs,omitempty" doc:"All offsets together."`
	FTOShares          *FTOShares `json:"ftoShares,omitempty"`
	TurnCount          int        `json:"turnCount" doc:"In all."`
	TurnsPerMin        *Spread    `json:"turnsPerMin,omitempty"`
	BackchannelsPerMin *Spread    `json:"backchannelsPerMin,omitempty"`
}

// Words is [Lexical] over the files whose transcript has words. Transcripts without words, which
// have times only, are in none of its figures.
type Words struct {
	Files        int     `json:"files" doc:"Whose transcript has words."`
	Words        int     `json:"words"`
	WordsPerMin  *Spread `json:"wordsPerMin"`
	EnglishShare *Spread `json:"englishShare"`
	CodeMixIndex *Spread `json:"codeMixIndex"`
}
