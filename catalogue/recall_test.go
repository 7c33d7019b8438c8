package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
)

// tongue is a language of the records of this test, with the words that its own titles use.
// The words are written by hand, so that they share nothing with the search.
type tongue struct {
	tag, name, native, iso3, script string
	calls                           string   // telephone conversations
	topics                          []string // in the order of topicNames; none where all titles are English
}

var topicNames = []string{"banking", "insurance", "health", "travel", "cooking", "football", "school", "weather"}

var tongues = []tongue{
	{"hi-IN", "Hindi", "हिन्दी", "hin", "Deva", "टेलीफ़ोन पर बातचीत", []string{"बैंकिंग", "बीमा", "स्वास्थ्य", "यात्रा", "खाना पकाना", "फ़ुटबॉल", "विद्यालय", "मौसम"}},
	{"mr-IN", "Marathi", "मराठी", "mar", "Deva", "दूरध्वनी संभाषणे", []string{"बँकिंग", "विमा", "आरोग्य", "प्रवास", "स्वयंपाक", "फुटबॉल", "शाळा", "हवामान"}},
	{"bn-IN", "Bengali", "বাংলা", "ben", "Beng", "টেলিফোন কথোপকথন", []string{"ব্যাংকিং", "বীমা", "স্বাস্থ্য", "ভ্রমণ", "রান্না", "ফুটবল", "বিদ্যালয়", "আবহাওয়া"}},
	{"bn-BD", "Bengali", "বাংলা", "ben", "Beng", "টেলিফোন কথোপকথন", []string{"ব্যাংকিং", "বীমা", "স্বাস্থ্য", "ভ্রমণ", "রান্না", "ফুটবল", "বিদ্যালয়", "আবহাওয়া"}},
	{"ta-IN", "Tamil", "தமிழ்", "tam", "Taml", "தொலைபேசி உரையாடல்கள்", []string{"வங்கி", "காப்பீடு", "மருத்துவம்", "பயணம்", "சமையல்", "கால்பந்து", "பள்ளி", "வானிலை"}},
	{"te-IN", "Telugu", "తెలుగు", "tel", "Telu", "ఫోన్ సంభాషణలు", []string{"బ్యాంకింగ్", "బీమా", "ఆరోగ్యం", "ప్రయాణం", "వంట", "ఫుట్\u200cబాల్", "పాఠశాల", "వాతావరణం"}},
	{"kn-IN", "Kannada", "ಕನ್ನಡ", "kan", "Knda", "ದೂರವಾಣಿ ಸಂಭಾಷಣೆಗಳು", []string{"ಬ್ಯಾಂಕಿಂಗ್", "ವಿಮೆ", "ಆರೋಗ್ಯ", "ಪ್ರಯಾಣ", "ಅಡುಗೆ", "ಫುಟ್ಬಾಲ್", "ಶಾಲೆ", "ಹವಾಮಾನ"}},
	{"ar-EG", "Arabic", "العربية", "ara", "Arab", "محادثات هاتفية", []string{"المصارف", "التأمين", "الصحة", "السفر", "الطبخ", "كرة القدم", "المدرسة", "الطقس"}},
	{"fa-IR", "Persian", "فارسی", "fas", "Arab", "گفتگوهای تلفنی", []string{"بانکداری", "بیمه", "سلامت", "سفر", "آشپزی", "فوتبال", "مدرسه", "آب و هوا"}},
	{"ru-RU", "Russian", "русский", "rus", "Cyrl", "телефонные разговоры", []string{"банковские услуги", "страхование", "здоровье", "путешествия", "кулинария", "футбол", "школа", "погода"}},
	{"el-GR", "Greek", "Ελληνικά", "ell", "Grek", "τηλεφωνικές συνομιλίες", []string{"τράπεζες", "ασφάλειες", "υγεία", "ταξίδια", "μαγειρική", "ποδόσφαιρο", "σχολείο", "καιρός"}},
	{"zh-CN", "Chinese", "中文", "zho", "Hans", "电话对话", []string{"银行业务", "保险", "医疗健康", "旅行", "烹饪", "足球", "学校", "天气预报"}},
	{"ja-JP", "Japanese", "日本語", "jpn", "Jpan", "電話での会話", []string{"銀行取引", "保険契約", "健康相談", "海外旅行", "家庭料理", "サッカー", "学校生活", "天気予報"}},
	{"ko-KR", "Korean", "한국어", "kor", "Kore", "전화 통화", []string{"은행 업무", "보험", "건강 상담", "여행", "요리", "축구", "학교", "날씨"}},
	{"th-TH", "Thai", "ไทย", "tha", "Thai", "การสนทนาทางโทรศัพท์", []string{"ธนาคาร", "ประกันภัย", "สุขภาพ", "ท่องเที่ยว", "ทำอาหาร", "ฟุตบอล", "โรงเรียน", "พยากรณ์อากาศ"}},
	{"he-IL", "Hebrew", "עברית", "heb", "Hebr", "שיחות טלפון", []string{"בנקאות", "ביטוח", "בריאות", "נסיעות", "בישול", "כדורגל", "בית ספר", "מזג אוויר"}},
	{"de-DE", "German", "Deutsch", "deu", "Latn", "Telefongespräche", []string{"Bankgeschäfte", "Versicherung", "Gesundheit", "Reisen", "Kochen", "Fußball", "Schule", "Wetter"}},
	{"es-ES", "Spanish", "español", "spa", "Latn", "conversaciones telefónicas", []string{"banca", "seguros", "salud", "viajes", "cocina", "fútbol", "educación", "clima"}},
	{"tr-TR", "Turkish", "Türkçe", "tur", "Latn", "telefon görüşmeleri", []string{"bankacılık", "sigorta", "sağlık", "seyahat", "yemek tarifleri", "futbol", "okul", "hava durumu"}},
	{"en-IN", "English", "English", "eng", "Latn", "", nil},
	{"en-US", "English", "English", "eng", "Latn", "", nil},
	{"gu-IN", "Gujarati", "ગુજરાતી", "guj", "Gujr", "", nil},
	{"ml-IN", "Malayalam", "മലയാളം", "mal", "Mlym", "", nil},
	{"pa-IN", "Punjabi", "ਪੰਜਾਬੀ", "pan", "Guru", "", nil},
	{"or-IN", "Odia", "ଓଡ଼ିଆ", "ori", "Orya", "", nil},
	{"ur-PK", "Urdu", "اردو", "urd", "Arab", "", nil},
	{"sw-KE", "Swahili", "Kiswahili", "swa", "Latn", "", nil},
	{"fil-PH", "Filipino", "Filipino", "fil", "Latn", "", nil}, // not one of the languages that are spoken here
}

var (
	places   = []string{"Mumbai", "Chennai", "Kolkata", "Hyderabad", "Lucknow", "Guwahati", "Nairobi", "Cairo", "Istanbul", "Barcelona", "Thessaloniki", "Osaka", "Busan", "Chiang Mai", "Rotterdam"}
	gear     = []string{"landline handsets", "mobile phones", "wired headsets", "smart speakers", "conference microphones"}
	manners  = []string{"role-played by professional actors", "spontaneous and unscripted", "read from prepared scripts", "recorded between relatives"}
	licences = []string{"Commercial licence", "CC BY 4.0", "CC BY-NC 4.0", "Evaluation only", "Open Database License"}
)

// made is a record as it was drawn, which is what answers are known from.
type made struct {
	catalogue.Dataset
	tongue                            tongue
	topic, place, gear, manner, terms string
	native                            bool // title and description are in its own language
	calls                             bool // of a call centre
	speakers, rate                    int
}

// drawRecords returns n records, the same ones each time.
func drawRecords(n int) []made {
	out := make([]made, n)
	for i := range out {
		out[i] = drawRecord(i)
	}
	return out
}

// drawRecord returns the record of a number.
func drawRecord(i int) made {
	r := rand.New(rand.NewPCG(30, uint64(i)))
	topic := r.IntN(len(topicNames))
	m := made{
		tongue: tongues[r.IntN(len(tongues))], topic: topicNames[topic], place: places[r.IntN(len(places))], gear: gear[r.IntN(len(gear))],
		manner: manners[r.IntN(len(manners))], terms: licences[r.IntN(len(licences))], calls: r.IntN(2) == 0,
		speakers: 2 + r.IntN(1500), rate: []int{8000, 16000, 44100, 48000}[r.IntN(4)],
	}
	m.native = m.tongue.topics != nil && r.IntN(2) == 0
	kind, channels, collection := "everyday conversations", catalogue.Mono, catalogue.GeneralConversation
	if m.calls {
		kind, channels, collection = "customer support calls", catalogue.Dual, catalogue.CallCentre
	}
	t := m.tongue
	m.Dataset = catalogue.Dataset{
		ID: fmt.Sprintf("ds_%016d", i), Slug: fmt.Sprintf("set-%05d", i), Version: "1.0.0", Status: catalogue.Published,
		Title:       fmt.Sprintf("%s %s about %s", t.name, kind, m.topic),
		Description: fmt.Sprintf("People from %s talk about %s. The recordings are %s, on %s.", m.place, m.topic, m.manner, m.gear),
		Language:    catalogue.Language{Name: t.name, NativeName: &t.native, ISO6393: t.iso3, BCP47: t.tag, Script: &t.script}, BCP47: t.tag,
		OtherLanguages: []string{}, Hours: float64(1+r.IntN(99_999)) / 100, Recordings: 10, Speakers: &m.speakers,
		Channels: &channels, Collection: &collection, Domain: &m.topic, Domains: []string{m.topic},
		Licence:       &catalogue.Licence{Name: m.terms},
		Specification: &catalogue.Specification{SampleRateHz: map[string]int{fmt.Sprint(m.rate): 10}},
		DateModified:  time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC),
	}
	if m.native {
		m.Title = fmt.Sprintf("%s %s: %s", t.native, t.calls, t.topics[topic])
		m.Description = fmt.Sprintf("%s. %s, %s.", t.calls, t.topics[topic], m.place)
	}
	if i%rareEvery == 7 {
		m.Description += " Collected by " + rareWord(i) + "."
	}
	return m
}

// rareEvery is how many records there are for each with a word that no other has.
const rareEvery = 200

// shelf is a store of records that never change.
type shelf struct {
	cataloguetest.Memory
	entries []catalogue.Entry
}

func (s *shelf) Entries(_ context.Context, after int64, limit int) ([]catalogue.Entry, error) {
	rest := s.entries[min(int(after), len(s.entries)):]
	return rest[:min(len(rest), limit)], nil
}

func (s *shelf) PutDataset(context.Context, catalogue.Stored) (int64, error) {
	return 0, errors.New("the shelf is full")
}

// newShelf returns a catalogue of records.
func newShelf(t testing.TB, records []made) *catalogue.Service {
	t.Helper()
	s := &shelf{entries: make([]catalogue.Entry, len(records))}
	for i := range records {
		s.entries[i] = catalogue.Stored{Revision: int64(i + 1), Dataset: records[i].Dataset}.Entry()
	}
	c, err := catalogue.New(t.Context(), catalogue.Config{Store: s, Files: s, PublicURL: "https://x.test"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// question is what a buyer types, and which records answer it.
type question struct {
	script string // of what is typed
	ask    catalogue.Query
	fits   func(m made) bool
}

// in says that records are in a language, given by the beginning of its tag.
func in(tag string) func(made) bool {
	return func(m made) bool { return m.BCP47 == tag || strings.HasPrefix(m.BCP47, tag+"-") }
}

func about(topic string) func(made) bool { return func(m made) bool { return m.topic == topic } }
func own(m made) bool                    { return m.native }
func support(m made) bool                { return m.calls && !m.native }
func from(place string) func(made) bool  { return func(m made) bool { return m.place == place } }
func on(words string) func(made) bool {
	return func(m made) bool { return !m.native && m.gear == words }
}
func how(words string) func(made) bool {
	return func(m made) bool { return !m.native && m.manner == words }
}
func licensed(terms string) func(made) bool { return func(m made) bool { return m.terms == terms } }

func all(of ...func(made) bool) func(made) bool {
	return func(m made) bool { return !slices.ContainsFunc(of, func(f func(made) bool) bool { return !f(m) }) }
}

func words(q string) catalogue.Query { return catalogue.Query{Q: q} }

// questions were written before the search was tuned. Half of them are misspelt.
var questions = []question{
	// English, as it is typed.
	{"Latn", words("Hindi customer support calls"), all(in("hi"), support)},
	{"Latn", words("hindi custmer suport calls"), all(in("hi"), support)},
	{"Latn", words("insurence calls in marathi"), all(in("mr"), about("insurance"))},
	{"Latn", words("Tamil banking"), all(in("ta"), about("banking"))},
	{"Latn", words("tamil bankng"), all(in("ta"), about("banking"))},
	{"Latn", words("cooking malayalm"), all(in("ml"), about("cooking"))},
	{"Latn", words("fotball swahili"), all(in("sw"), about("football"))},
	{"Latn", words("wether english"), all(in("en"), about("weather"))},
	{"Latn", words("filipino school"), all(in("fil"), about("school"))},
	{"Latn", words("everday conversatons about helth in gujarati"), all(in("gu"), about("health"), func(m made) bool { return !m.calls })},
	{"Latn", words("punjabi travl"), all(in("pa"), about("travel"))},
	{"Latn", words("odia set insu"), all(in("or"), about("insurance"))},
	// Words of descriptions.
	{"Latn", words("smart speakers Urdu"), all(in("ur"), on("smart speakers"))},
	{"Latn", words("profesional actors kannada"), all(in("kn"), how("role-played by professional actors"))},
	{"Latn", words("Thessaloniki greek"), all(in("el"), from("Thessaloniki"))},
	{"Latn", words("thesaloniki football"), all(from("Thessaloniki"), about("football"))},
	{"Latn", words("chiang mai insurance"), all(from("Chiang Mai"), about("insurance"))},
	{"Latn", words("landline handset bengali"), all(in("bn"), on("landline handsets"))},
	// Names of languages in every form.
	{"Latn", words("bangla travel"), all(in("bn"), about("travel"))},
	{"Latn", words("angrezi cooking"), all(in("en"), about("cooking"))},
	{"Latn", words("farsi insurance"), all(in("fa"), about("insurance"))},
	{"Latn", words("Panjabi health"), all(in("pa"), about("health"))},
	{"Latn", words("hi_IN football"), all(in("hi-IN"), about("football"))},
	{"Latn", words("bn-BD weather"), all(in("bn-BD"), about("weather"))},
	{"Latn", words("hindii school"), all(in("hi"), about("school"))},
	{"Latn", words("oriya banking"), all(in("or"), about("banking"))},
	{"Latn", words("castilian cooking"), all(in("es"), about("cooking"))},
	{"Latn", words("indian english banking"), all(in("en-IN"), about("banking"))},
	{"Latn", catalogue.Query{Languages: []string{"Bangla"}, Q: "insurance"}, all(in("bn"), about("insurance"))},
	{"Latn", catalogue.Query{Languages: []string{"hi-Deva"}, Domains: []string{"Football"}}, all(in("hi"), about("football"))},
	{"Deva", catalogue.Query{Languages: []string{"बंगाली"}, Q: "cooking"}, all(in("bn"), about("cooking"))},
	// Filters.
	{"Latn", catalogue.Query{Q: "greek", SampleRates: []int{48000}, MinSpeakers: 800}, all(in("el"), func(m made) bool { return m.rate == 48000 && m.speakers >= 800 })},
	{"Latn", catalogue.Query{Q: "swahili", Licences: []string{"cc-by-4.0"}, Domains: []string{"travel"}}, all(in("sw"), about("travel"), licensed("CC BY 4.0"))},
	// Other languages in Latin letters.
	{"Latn", words("versicherung"), all(in("de"), about("insurance"), own)},
	{"Latn", words("fussball telefongesprache"), all(in("de"), about("football"), own)},
	{"Latn", words("conversaciones futbol"), all(in("es"), about("football"), own)},
	{"Latn", words("bankacilik"), all(in("tr"), about("banking"), own)},
	{"Latn", words("saglik görüsmeleri"), all(in("tr"), about("health"), own)},
	// Other scripts.
	{"Deva", words("हिंदी बीमा"), all(in("hi"), about("insurance"), own)},
	{"Deva", words("फुटबाल टेलीफोन"), all(in("hi"), about("football"), own)},
	{"Deva", words("स्वास्थ बातचीत"), all(in("hi"), about("health"), own)},
	{"Deva", words("आरोग्य दुरध्वनी"), all(in("mr"), about("health"), own)},
	{"Beng", words("ব্যাঙ্কিং কথোপকথন"), all(in("bn"), about("banking"), own)},
	{"Beng", words("বাংলা ভ্রমন"), all(in("bn"), about("travel"), own)},
	{"Taml", words("வங்கி உரையாடல்"), all(in("ta"), about("banking"), own)},
	{"Taml", words("கால்பந்து தமிழ"), all(in("ta"), about("football"), own)},
	{"Telu", words("ఆరోగ్యం సంభాషణ"), all(in("te"), about("health"), own)},
	{"Telu", words("ఫుట్బాల్"), all(in("te"), about("football"), own)},
	{"Knda", words("ಕನ್ನಡ ಅಡುಗೆ"), all(in("kn"), about("cooking"), own)},
	{"Knda", words("ಬ್ಯಾಂಕಿಗ್"), all(in("kn"), about("banking"), own)},
	{"Arab", words("محادثات التامين"), all(in("ar"), about("insurance"), own)},
	{"Arab", words("تأمين"), all(in("ar"), about("insurance"), own)},
	{"Arab", words("صحة محادثات"), all(in("ar"), about("health"), own)},
	{"Arab", words("كره القدم"), all(in("ar"), about("football"), own)},
	{"Arab", words("گفتگو بانكداري"), all(in("fa"), about("banking"), own)},
	{"Cyrl", words("страховане разговоры"), all(in("ru"), about("insurance"), own)},
	{"Cyrl", words("русский футбол"), all(in("ru"), about("football"), own)},
	{"Grek", words("ποδοσφαιρο"), all(in("el"), about("football"), own)},
	{"Grek", words("ελληνικα ταξιδα"), all(in("el"), about("travel"), own)},
	{"Hans", words("银行业务 电话对话"), all(in("zh"), about("banking"), own)},
	{"Hans", words("天气予报"), all(in("zh"), about("weather"), own)},
	{"Jpan", words("サツカー 会話"), all(in("ja"), about("football"), own)},
	{"Jpan", words("海外旅行"), all(in("ja"), about("travel"), own)},
	{"Kore", words("축구 전화"), all(in("ko"), about("football"), own)},
	{"Kore", words("건강 샹담"), all(in("ko"), about("health"), own)},
	{"Thai", words("โรงเรียน"), all(in("th"), about("school"), own)},
	{"Thai", words("ประกันไภย"), all(in("th"), about("insurance"), own)},
	{"Hebr", words("ביטוח שיחות"), all(in("he"), about("insurance"), own)},
	{"Hebr", words("כדורגלל"), all(in("he"), about("football"), own)},
}

// TestRecall asks what buyers ask of 10,000 records. Of the first ten answers, or of as many as
// there are records that fit, nearly all must fit.
func TestRecall(t *testing.T) {
	t.Parallel()
	records := drawRecords(10_000)
	c := newShelf(t, records)
	bySlug := map[string]made{}
	for _, m := range records {
		bySlug[m.Slug] = m
	}
	scripts, sum := map[string]bool{}, 0.0
	for _, q := range questions {
		scripts[q.script] = true
		fitting := 0
		for _, m := range records {
			if q.fits(m) {
				fitting++
			}
		}
		q.ask.Limit = 10
		page, err := c.List(q.ask)
		if err != nil {
			t.Fatalf("%+v: %v", q.ask, err)
		}
		found := 0
		for _, b := range page.Datasets {
			if q.fits(bySlug[b.Slug]) {
				found++
			}
		}
		if fitting == 0 {
			t.Fatalf("no record fits %+v", q.ask)
		}
		recall := float64(found) / float64(min(10, fitting))
		if sum += recall; recall < 1 {
			first := ""
			if len(page.Datasets) > 0 {
				first = page.Datasets[0].Title
			}
			t.Logf("%-45q %v: recall %.2f of %d that fit; %d found, the first is %q", q.ask.Q, q.ask.Languages, recall, fitting, page.Count, first)
		}
	}
	mean := sum / float64(len(questions))
	t.Logf("%d questions in %d scripts: recall at 10 is %.3f", len(questions), len(scripts), mean)
	if mean < 0.95 || len(questions) < 60 || len(scripts) < 12 {
		t.Errorf("recall at 10 is %.3f with %d questions in %d scripts; want 0.95 of 60 in 12", mean, len(questions), len(scripts))
	}
	checkRare(t, c, records)
}

// wrong are questions to which no record is an answer, though some are near.
var wrong = []string{
	"klingon banking", "xhosa insurance", "quantum chromodynamics", "क्वांटम यांत्रिकी", "hindi chromodynamics", "量子力学講義", "ฟิสิกส์ควอนตัม", "set-99999", "hindi klingon", "التعدين",
}

// checkRare asks for words that one record has, as they are, mistyped, and together with a word of
// another field; and for what nobody has.
func checkRare(t *testing.T, c *catalogue.Service, records []made) {
	asked, found := 0, 0
	for i := 7; i < len(records); i += rareEvery {
		word := []byte(rareWord(i))
		mistyped := string(append(append([]byte(nil), word[:3]...), word[4:]...)) // a letter is missing
		for _, q := range []string{string(word), mistyped, string(word) + " " + records[i].Language.Name} {
			page, err := c.List(catalogue.Query{Q: q, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			asked++
			if slices.ContainsFunc(page.Datasets, func(b catalogue.Brief) bool { return b.Slug == records[i].Slug }) {
				found++
			} else {
				t.Logf("%q (%s) does not find %s", q, word, records[i].Slug)
			}
		}
	}
	if recall := float64(found) / float64(asked); recall < 0.95 {
		t.Errorf("recall at 10 of rare words is %.3f of %d questions, want 0.95", recall, asked)
	}
	for _, q := range wrong {
		if page, err := c.List(catalogue.Query{Q: q, Limit: 3}); err != nil || page.Count > 0 {
			t.Errorf("q=%q finds %d, %v; want nothing", q, page.Count, err)
		}
	}
}
