package translit_test

import (
	"strings"
	"testing"

	"vaak/lang"
	"vaak/text/translit"
)

// written are words as they are typed and as they are written, a language a row.
var written = []struct {
	code  lang.Code
	words string
}{
	{"hi",
		"kya=क्या kyaa=क्या nahi=नहीं nahin=नहीं nahee=नहीं hoon=हूँ " +
			"hun=हूँ hu=हूँ mujhe=मुझे achha=अच्छा acha=अच्छा accha=अच्छा " +
			"bahut=बहुत bohot=बहुत zindagi=ज़िंदगी jindagi=ज़िंदगी " +
			"pyaar=प्यार shukriya=शुक्रिया chahiye=चाहिए ladki=लड़की " +
			"padhai=पढ़ाई thoda=थोड़ा dhanyavaad=धन्यवाद namaste=नमस्ते " +
			"samay=समय bolunga=बोलूंगा karenge=करेंगे jaaoge=जाओगे " +
			"likhte=लिखते samjha=समझा samjhaya=समझाया kitabein=किताबें " +
			"logon=लोगों kahaniyan=कहानियाँ dosti=दोस्ती mushkil=मुश्किल " +
			"kursi=कुर्सी gardan=गर्दन sapna=सपना raja=राजा jawani=जवानी " +
			"diya=दिया jao=जाओ kaam=काम kam=कम theek=ठीक KYA=क्या Kya12=क्या12 " +
			"thanda=ठंडा garmi=गर्मी tumhara=तुम्हारा isliye=इसलिए " +
			"kyunki=क्योंकि hamesha=हमेशा"},
	{"ta",
		"vanakkam=வணக்கம் epdi=எப்படி irukka=இருக்கா enna=என்ன " +
			"panra=பண்ற romba=ரொம்ப nalla=நல்ல seri=சரி poganum=போகணும் " +
			"nandri=நன்றி saptiya=சாப்பிட்டியா theriyum=தெரியும் " +
			"veedu=வீடு tamil=தமிழ் thambi=தம்பி kovil=கோவில் vandi=வண்டி " +
			"kathal=காதல் thamizhan=தமிழன் pazham=பழம் sollunga=சொல்லுங்க " +
			"kannu=கண்ணு"},
	{"te",
		"ela=ఎలా unnaru=ఉన్నారు em=ఏం chestunnav=చేస్తున్నావు " +
			"bagunnara=బాగున్నారా cheppandi=చెప్పండి namaskaram=నమస్కారం " +
			"telugu=తెలుగు ekkada=ఎక్కడ endhuku=ఎందుకు vastanu=వస్తాను " +
			"manchi=మంచి intiki=ఇంటికి gudiki=గుడికి amma=అమ్మ bandi=బండి"},
	{"bn",
		"ami=আমি bhalo=ভালো achi=আছি kemon=কেমন acho=আছো tumi=তুমি " +
			"kothay=কোথায় amake=আমাকে korbo=করব bolchi=বলছি bangla=বাংলা " +
			"jonno=জন্য dhonnobad=ধন্যবাদ bondhu=বন্ধু rastay=রাস্তায় " +
			"dekhte=দেখতে notun=নতুন"},
	{"mr",
		"kasa=कसा ahes=आहेस kuthe=कुठे majha=माझा kay=काय pahije=पाहिजे " +
			"zala=झाला chhan=छान udya=उद्या karaycha=करायचं tumhi=तुम्ही " +
			"namaskar=नमस्कार dhanyavad=धन्यवाद"},
	{"gu",
		"kem=કેમ cho=છો majama=મજામાં tamaru=તમારું naam=નામ " +
			"shu=શું che=છે kyare=ક્યારે saru=સારું joiye=જોઈએ gujarati=ગુજરાતી"},
	{"kn",
		"hegiddira=ಹೇಗಿದ್ದೀರಾ nanage=ನನಗೆ kannada=ಕನ್ನಡ gottilla=ಗೊತ್ತಿಲ್ಲ " +
			"beku=ಬೇಕು madi=ಮಾಡಿ oota=ಊಟ namaskara=ನಮಸ್ಕಾರ kelasa=ಕೆಲಸ " +
			"hudugi=ಹುಡುಗಿ banni=ಬನ್ನಿ elli=ಎಲ್ಲಿ"},
	{"ml",
		"sukhamano=സുഖമാണോ njan=ഞാൻ evide=എവിടെ enthu=എന്ത് veedu=വീട് " +
			"malayalam=മലയാളം nanni=നന്ദി aanu=ആണ് illa=ഇല്ല pokunnu=പോകുന്നു " +
			"vannu=വന്നു athu=അത് chechi=ചേച്ചി kuttikal=കുട്ടികൾ"},
	{"pa",
		"ki=ਕੀ haal=ਹਾਲ hai=ਹੈ tuhanu=ਤੁਹਾਨੂੰ changa=ਚੰਗਾ munde=ਮੁੰਡੇ " +
			"sat=ਸਤਿ sri=ਸ੍ਰੀ akal=ਅਕਾਲ kithe=ਕਿੱਥੇ puttar=ਪੁੱਤਰ " +
			"mainu=ਮੈਨੂੰ nahi=ਨਹੀਂ karda=ਕਰਦਾ"},
	{"ur", "shukriya=شکریہ aap=آپ"},
}

func TestWrite(t *testing.T) {
	t.Parallel()
	for _, row := range written {
		for pair := range strings.FieldsSeq(row.words) {
			word, want, _ := strings.Cut(pair, "=")
			if got := translit.Write(row.code, word); got != want {
				t.Errorf("Write(%q, %q) = %q, want %q", row.code, word, got, want)
			}
		}
	}
}

func TestWriteLeavesOtherSigns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code       lang.Code
		word, want string
	}{
		{"hi", "", ""},
		{"hi", "nahi,", "नहीं,"},
		{"hi", "2-baar", "2-बार"},
		{"hi", "घर", "घर"},
		{"hi", "घरmein", "घरमें"},
		{"hi", "nahī", "नहीं"},
		{"hi", "nahi\u0304", "नहीं"},
		{"fr", "bonjour", "bonjour"},
		{"", "kya", "kya"},
	} {
		if got := translit.Write(tt.code, tt.word); got != tt.want {
			t.Errorf("Write(%q, %q) = %q, want %q", tt.code, tt.word, got, tt.want)
		}
	}
}
