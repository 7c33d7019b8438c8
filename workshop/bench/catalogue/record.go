package catalogue

import (
	"cmp"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/lang"
)

// sampledEvery is how many records there are for each that has a sample, and with
// it about 20 kB.
const sampledEvery = 50

// mostHours is how long a dataset is at most. Half of all have less than the root
// of it.
const mostHours = 2000

// recordLanguages are in how many languages the records are.
const recordLanguages = 40

var (
	recordDomains = []string{"banking", "insurance", "healthcare", "travel", "everyday life"}
	recordPlaces  = []string{"Mumbai", "Chennai", "Kolkata", "Hyderabad", "Pune", "Jaipur", "Lucknow", "Kochi", "Guwahati", "Bhopal",
		"Nairobi", "Lagos", "Cairo", "Istanbul", "Madrid", "São Paulo", "Kyiv", "Hanoi", "Osaka", "Taipei"}
	recordStyles = []string{"spontaneous", "role-played", "scripted", "agent and caller", "two friends", "family"}
	// nativeTitles are words for conversations on the telephone, by script.
	nativeTitles = map[string][]string{
		"Deva": {"टेलीफ़ोन पर बातचीत", "ग्राहक सेवा की बातचीत", "घर की बातें"},
		"Taml": {"தொலைபேசி உரையாடல்கள்", "வாடிக்கையாளர் சேவை உரையாடல்"},
		"Telu": {"ఫోన్ సంభాషణలు", "వినియోగదారుల సేవ సంభాషణలు"},
		"Beng": {"টেলিফোনে কথোপকথন", "গ্রাহক সেবার কথোপকথন"},
		"Arab": {"محادثات هاتفية", "مكالمات خدمة العملاء"},
		"Cyrl": {"телефонные разговоры", "беседы с клиентами"},
		"Grek": {"τηλεφωνικές συνομιλίες"},
		"Hans": {"电话对话", "客户服务通话录音"},
		"Jpan": {"電話での会話", "お客様窓口の通話"},
		"Latn": {"telephone conversations", "customer calls"},
	}
)

// recordMaker makes records of datasets, each from its number alone.
type recordMaker struct{ languages []lang.Language }

func newRecordMaker() recordMaker {
	all := lang.All()
	var m recordMaker
	for i := range recordLanguages {
		m.languages = append(m.languages, all[i*len(all)/recordLanguages])
	}
	return m
}

// random is what the record is drawn from.
func (recordMaker) random(n int) *rand.Rand { return rand.New(rand.NewPCG(uint64(n), 7)) }

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// language returns that of a record. The first ones have the most records.
func (m recordMaker) language(r *rand.Rand) lang.Language {
	return m.languages[int(float64(len(m.languages))*r.Float64()*r.Float64())]
}

// make returns a published record.
func (m recordMaker) make(n int) catalogue.Stored {
	r := m.random(n)
	l := m.language(r)
	d := catalogue.Dataset{
		ID: recordID(n), Version: "1.0.0", Status: catalogue.Published,
		Language: catalogue.Language{Name: l.Name, NativeName: &l.Native, ISO6393: l.ISO6393, BCP47: l.BCP47}, BCP47: l.BCP47,
		OtherLanguages: []string{}, Hours: drawHours(r), Recordings: 1 + r.IntN(4000),
		Channels: new(catalogue.Dual), Collection: new(catalogue.CallCentre), Transcribed: r.IntN(3) > 0,
		DatePublished: new("2026-01-02"), DateModified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	if r.IntN(3) == 0 {
		d.Channels, d.Collection = new(catalogue.Mono), new(catalogue.GeneralConversation)
	}
	domain := pick(r, recordDomains)
	d.Domain, d.Domains = &domain, []string{domain}
	d.Slug = fmt.Sprintf("%s-%s-%06d", l.Code, strings.ReplaceAll(domain, " ", "-"), n)
	d.Title = m.title(r, l, d, n)
	describeRecord(r, &d)
	files := []catalogue.File{recordFile(catalogue.ManifestFile, "text/csv", n)}
	if n%sampledEvery == 0 {
		d.HasSample, d.Sample, d.EnglishShare = true, recordSample(r, l), new(0.187)
		files = append(files, recordFile("sample/sample.wav", "audio/wav", n), recordFile("sample/transcript.csv", "text/csv", n))
	}
	return catalogue.Stored{Dataset: d, Files: files}
}

// title is English, or one in three in the language's own script; one in five ends
// with the number of a delivery, which few others have.
func (recordMaker) title(r *rand.Rand, l lang.Language, d catalogue.Dataset, n int) string {
	title := fmt.Sprintf("%s %s conversations, %s, %s, %s", l.Name, *d.Collection, *d.Domain, pick(r, recordStyles), pick(r, recordPlaces))
	if native := nativeTitles[l.Scripts[0]]; native != nil && r.IntN(3) == 0 {
		title = fmt.Sprintf("%s %s, %s", l.Native, pick(r, native), pick(r, recordPlaces))
	}
	if r.IntN(5) == 0 {
		title += fmt.Sprintf(", delivery %d", n/3)
	}
	return title
}

// drawHours draws from 1 to mostHours, as many below a tenth as below ten times
// as much.
func drawHours(r *rand.Rand) float64 {
	return math.Round(100*math.Pow(mostHours, r.Float64())) / 100
}

// recordID is the id of the nth record.
func recordID(n int) string {
	var b [10]byte
	binary.BigEndian.PutUint64(b[2:], uint64(n)*0x9e3779b97f4a7c15)
	return "ds_" + strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}

func recordFile(name, contentType string, n int) catalogue.File {
	sum := fmt.Sprintf("%064x", n)
	return catalogue.File{Name: name, ContentType: contentType, Key: "sha256/" + sum, SHA256: sum, SizeBytes: 1 << 20}
}

// describeRecord fills in what every card and every folder of audio has.
func describeRecord(r *rand.Rand, d *catalogue.Dataset) {
	d.Description = strings.Repeat("Unscripted telephone conversations of two people who know what they talk about. ", 4)
	d.Speakers, d.Conversations = new(2+r.IntN(900)), new(d.Recordings)
	spread := &catalogue.Spread{Count: d.Recordings, Min: -31.2, P10: -27.25, Median: -23.125, P90: -20.5, Max: -18.75, Mean: -23.25}
	files := map[string]int{"flac": d.Recordings}
	d.Specification = &catalogue.Specification{
		Container: files, Codec: files, SampleRateHz: map[string]int{"8000": d.Recordings}, BitsPerSample: map[string]int{"16": d.Recordings},
		Channels: map[string]int{"2": d.Recordings}, Layout: map[string]int{"dual": d.Recordings}, SizeBytes: 1 << 33,
		LoudnessLUFS: spread, TruePeakDBTP: spread, SNRDB: spread, EffectiveBandwidthHz: spread, LeakageDB: spread,
		ChannelsMeasured: *d.Channels, Method: catalogue.Method{Name: "vaak-audio", Version: "1.0", Tool: "vaak"},
	}
	d.Licence = &catalogue.Licence{Name: "Commercial licence", Summary: new("For training and evaluating models.")}
	d.Consent = &catalogue.Consent{Summary: new("Each speaker agreed in writing."), Purposes: []string{"training", "evaluation"}}
	d.Contact = &catalogue.Contact{Name: new("Licensing"), Email: new("licensing@example.org")}
}

// recordSample is a sample with its transcript and profile.
func recordSample(r *rand.Rand, l lang.Language) *catalogue.Sample {
	peaks := [][]float64{make([]float64, 200), make([]float64, 200)}
	for _, channel := range peaks {
		for i := range channel {
			channel[i] = math.Round(1000*r.Float64()) / 1000
		}
	}
	talk := &catalogue.TurnTaking{Method: "audio-vad", TurnCount: 120, OverlapRatio: 0.081}
	var segments []catalogue.Segment
	for i := range 50 {
		from := 3.2 * float64(i)
		talk.Turns = append(talk.Turns, catalogue.Turn{Channel: 1 + i%2, StartS: from, EndS: from + 3.1})
		segments = append(segments, catalogue.Segment{
			StartS: from, EndS: from + 3.1, Channel: 1 + i%2, Speaker: fmt.Sprint("speaker-", i%2), Role: "agent",
			Text: strings.Repeat(pick(r, nativeTitles[cmp.Or(known(l.Scripts[0]), "Latn")])+" ", 3),
		})
	}
	return &catalogue.Sample{
		Recording: "r0001", URL: "sample/sample.wav", DurationS: 160, SampleRateHz: 8000, Codec: "pcm_s16le", Channels: 2, SizeBytes: 5 << 20,
		Streams: []catalogue.Stream{}, Waveform: catalogue.Waveform{Points: 200, Peaks: peaks},
		Transcript: &catalogue.SampleTranscript{URL: "sample/transcript.csv", Format: "csv", Source: "textgrid", Count: 120, Segments: segments},
		Metrics:    catalogue.Profile{Method: catalogue.Method{Name: "conv", Version: "1.0"}, Audio: make([]catalogue.Channel, 2), TurnTaking: talk},
	}
}

// known returns the script if there are words in it, else "".
func known(script string) string {
	if nativeTitles[script] == nil {
		return ""
	}
	return script
}

// inOrder sorts lines as the list does.
func inOrder(lines []catalogue.Brief) {
	slices.SortFunc(lines, func(a, b catalogue.Brief) int {
		return cmp.Or(cmp.Compare(b.Hours, a.Hours), cmp.Compare(a.Title, b.Title), cmp.Compare(a.Slug, b.Slug))
	})
}
