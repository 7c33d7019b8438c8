package notation_test

import (
	"strings"
	"testing"

	"vaak/lang"
	"vaak/text/respell"
)

// refused are notations by their family: values that are no spelling.
var refused = map[string][]string{
	"IPA": {
		"ˈɛn.dʒɪn ˈɛks", "həˈləʊ", "kəmˈpjuːtər", "kəmpjʊtɚ", "ɪnˈdʒɪnəs", "wɜːld", "θɪŋk", "ðə kwɪk bɹaʊn fɒks", "bætʃ", "siːkwəl", // English
		"kæt", "bæk", "mæn", "hænd", "strænd", "æp", "plæn", "flæt", "græf", // with ASCII letters beside æ
		"naːməsteː", "bʱaːɾət̪", "d̪ɪlliː", "ɦɪndiː", "t͡ʃəmpaːrən", "ʈɦiːk", // Hindi
		"t̪amiɻ", "maɭajaːɭam", "kaɳɳaɖa", // Tamil, Malayalam, Kannada
		"bɔ̃ʒuʁ", "ʒə nə sɛ pa", "paʁi", // French
		"ˈbaɪɐn", "ˈmʏnçn̩", "ʃtʁaːsə", "tsvaɪ̯", // German
		"ˈɲoki", "spaˈɡetti", "t͡ʃao", // Italian
		"ˈxaβi", "ˈt͡ʃiko", "ˈʎuβja", "ɡwaðalaˈxaɾa", // Spanish
		"sɐ̃w ˈpawlu", "ʒuˈɐ̃w", // Portuguese
		"mɐˈskva", "spɐˈsʲibə", "ˈtʲetʲɪ", // Russian
		"ʂɨ", "t͡ɕɛɕt͡ɕ", "vroˈt͡swaf", // Polish
		"pei˨˩˦ tɕiŋ˥", "ʈʂʊŋ˥ ku̯o˧˥", "ɕi˥˩", // Chinese
		"toːkʲoː", "ɸɯ̥d͡ʑisaɴ", "sɯɕi", // Japanese
		"tʰaɾaŋ", "sʌul", "k͈ot̚", // Korean
		"ʔanaː", "alʕarabijja", "qɑːhirɑ", "mˤaħmuːd", // Arabic
		"iʃˈtanbuɫ", "jɑɾɯm", // Turkish
		"suːr̥ˈœ", "ˈfjœːr̥ðʏr̥", "ˈpʰaːpɪ", // Icelandic
		"bet˧˨˧ viət˧˨ʔ", // Vietnamese
		"bɛt", "dɔg", "kɔfi", "ɔpɛn", "ɲami", "əθ", "θin", "maθa", "aβa", "loχa", "bænənə", "wəz", "bæθ", "ðeθ", "θæŋk", "səŋ wə", "a‿b", "nʷa", "ǀxam", "n̩",
		"the word həˈləʊ in text", "HELLO (həˈloʊ)", "ˈBOLD", "prəˌnʌnsiˈeɪʃən",
	},
	"slashes and brackets": {
		"/ˈneɪtʃər/", "[ˈneɪtʃə]", "⟨ʃ⟩", "/kat/", "/ kat /", "//kat//", "/r/", "/nature/", "[[h@l'oU]]", "[[kat]]", "say [[n'eItS@]] now",
		"[hello]", "[kat]", "[tomato]", "[niːm]", "[bonjour]", "[namaste]", `\tomato\`, `\kat\`, `\ hello \`, `\tomayto\`,
		"[h@loU]", "[neItS@]", "['neitʃə]", "[t_h]", "[ʃ]", "[r\\]", "⟨θ⟩", "/प/", "[Kokoro](/kokoro/)", "[əli]", "[pIn]", "[pju:]",
	},
	"ARPAbet": {
		"HH AH0 L OW1", "HH AH L OW", "HH AH0 L OW1 W ER1 L D", "hh ah0 l ow1", "EH1 N JH AH0 N", "{HH AH0 L OW1}", "HH|AH0|L|OW1", "HH-AH0-L-OW1", "HH AH0 L OW1.",
		"K AH0 M P Y UW1 T ER0", "EY1 P IY1 AY1", "[N EY1 CH ER0]", "DH AH K", "D EY1 T AH2", "K AH M P Y UW T ER",
	},
	"X-SAMPA": {
		`k@m"pju:t@`, `h@"l@U`, `h@"loU`, `"neItS@`, `neItS@`, `"r\EdI`, `k{t`, `b{n{n@`, `p@"teIt@U`, `%Eksp@`, `D@ "kwIk braUn`, `"h{p_hi`, `m@Si:n`, `@"baUt`, `b@"nA:n@`, `v@"nIl@`,
		`r\Ed`, `Tr\i:`, `say r\Ed now`, `ber\i:z`, `@'baUt`, "dZVdZ", "tSItS", "dZVdZ.", "p_ha", "k_hat", `"p_hIn`, "n_=", "bVtn_=", "D@", "D@ kwik", "{k@t}", "say {h@loU}.",
	},
	"Kirshenbaum": {`h@l'oU`, `k@mp'ju:t@`, `n'eItS@`, `m@S'i:n`, `p@t'eItoU`},
	"markup": {
		`<phoneme alphabet="ipa" ph="təˈmeɪtoʊ">tomato</phoneme>`, `<phoneme alphabet='x-sampa' ph='t@"meItoU'>tomato</phoneme>`, `<phoneme ph="T AH0">`,
		`<say-as interpret-as="characters">API</say-as>`, `<say-as interpret-as='digits'>`, `<sub alias="World Wide Web">WWW</sub>`, `<speak>API</speak>`, `a<break time="1s"/>b`, `<break/>`,
		`&lt;phoneme&gt;`, `&lt;speak>`, `&#60;b>`, `h&#601;lo`, `&#x259;`, `&#X2C8;a`, `<PHONEME ALPHABET="IPA">`, `<emphasis>A</emphasis>`, `</prosody>`, `<prosody rate="slow"`, `<b>A</b>`, `A<br>B`, `<br />`,
		`ph="kat"`, `ph='kat'`, `alphabet="ipa"`, `alphabet=ipa kat`, `interpret-as="date"`, `<?xml version="1.0"?>`, `<!-- no -->`,
		`<lexeme><grapheme>API</grapheme><alias>A P I</alias></lexeme>`, `<lexicon version="1.0"`, `<lexeme>`, `<alias>A P I</alias>`, `<amazon:effect name="whispered">`, `<mstts:express-as style="sad">`,
	},
}

// passing are respellings and names by what might be mistaken in them.
var passing = map[string][]string{
	"respellings": {
		"A P I", "engine x", "ए पी आई", "G P T 4", "sequel", "jif", "post gress", "koo-ber-NET-eez", "KOO-ber-net-eez", "en-jin-EKS", "ay pee eye", "AY", "OK", "A", "T W O 1", "K P M G",
		"B M W", "S Q L", "I B M", "T V", "N G O", "D H L", "A W S", "AW S", "P AY T M", "M P 3", "doctor", "Doctor Who", "w w w", "three D", "e-mail", "Wi Fi", "nay-cher", "hello, world", "...", ",", "—", "!", "123", "4.5",
	},
	"slashes":  {"and/or", "km/h", "24/7", "1/2", "A/B", "his/her", "TCP/IP", "/etc", "/etc/hosts", "/usr/bin/", "c/o", "/24/", "w/", "//", "/", "1/1/2026", "http://a.example/b/"},
	"brackets": {"[pause]", "[1]", "[...]", "[sic]", "(A P I)", "{name}", "[ ]", "f(x)", "a[i]", "⟨html⟩", "[Ω]", "[laughs softly]", "[iOS]", "[abc1]", "[user_name]", "[U.S.]", "[don't]"},
	"signs": {
		"user@example.org", "mail: user@example.org", "git@github.com:vaak/vaak", "@home", "@user_name", "@user.name!", "me @ home", "50%", "100 % sure", "a=b", "x = y", `C:\dir`, `C:\Program Files`, `\\server\share`,
		"10:30", "std::string", "foo_bar", "snake_case_name", "__init__", "EU:n", "USA:ssa ja EU:n", "PhD:n", "MP3:n", "S:t Eriksgatan", "k:a", `"hello"`, `say "hello" now`, `5" pipe`, `rock"n"roll`, "AC/DC", `AC\DC`, "P@ssword", "E@syNet", "{first name}", "{name}", "{user@example.org}", `{"user@example.org"}.`, "{@index}", "@'home'", "@'macOS'", `@"macOS"`, "T@", "n_=5", "column_=x", "R@", "snake_house", "top_hat", "p_house_1", "x_h", "max_=5", "n_1", "getStringSetSize", "startStop", "dZ", "mtDNA", "eNOS", "k@t?", `tools\Main`, `src\UI`, `tools\UI`, `corp\Bob`, `a\b`, "f(x) {foo", `"quoted words here"`, "50%ige", "git@github.com:a_B/c", "P@ssw0rd",
		"{{name}}", "${HOME}", "%d", "%s items", "key=value", "a:b:c", "TikTok", "YouTube", "eBay", "iPhone", "kWh", "mAh", "PhD", "LaTeX", "JavaScript", "OpenAI", "macOS", "dNTPs", "https://example.org/a_b?c=d&e=f",
		"R&D", "AT&T", "A & B", "C++", "C#", "F♯", "€5", "°C", "№ 5", "§ 3", "½", "x²", "14ʰ", "1ˢᵗ", "XIXᵉ", "Mᵐᵉ", "2ⁿ", "H₂O",
	},
	"comparisons": {"<3", "->", "<-", "=>", "x < y", "a<b", "a<b and c>d", "1 < 2", "<<", ">", "<>", "i <3 you", "pH=7", "pH = 7.4", "alphabet", "alphabet = 26", "ph", "say as", "say-as"},
	"romanisations": {
		"Běijīng", "běi jīng", "bei3 jing1", "zhong1guo2", "nǚ", "lü4", "hoeng1 gong2", "jyut6 ping3", "Tōkyō", "shōgun", "Kyūshū", "rāma", "kṛṣṇa", "kr̥ṣṇa", "saṃskṛtam", "ñāṇa", "ṭhīk", "ḷ", "l̥", "ʿarab", "ʾalif", "Qurʾān", "Ḥalab",
		"Sŏul", "Pha̍k-fa-sṳ", "Tiếng Việt", "Nguyễn", "Yorùbá", "Ọ̀yọ́", "ẹ̀kọ́", "e̩ o̩ s̩", "Moscʹva", "Hawaiʻi", "ㄅㄧˇ ㄐㄧˋ",
	},
	"names with borrowed letters": {
		"Əliyev", "səkkiz", "azərbaycan dili", "Bəxtiyar Vahabzadə", "ƏLİYEV", "oʻzbek", "gʻoyat", "maʼno", "Kɔfi", "Ɛsi", "Wɔfa Yaw", "Ɓaure", "Ɗangote", "Ŋmampuli", "ǃKung", "ǂKhomani", "Björk Guðmundsdóttir", "ðæt", "Þórður", "norðragøta",
		"Føroyar", "smørrebrød", "Ærø", "œuvre", "Ħamrun", "għaqda ħafna", "ça va", "Kárášjohka", "siŋká", "teŋge", "β-carotene", "β blocker", "sinθ", "dθ", "Δθ", "IFNβ", "TGFβx", "α", "χ²", "θ", "βeta", "loχ", "Θεσσαλονίκη", "βιβλίο", "χθες", "Đặng", "điện", "Đorđe", "ırmak", "Łódź", "ß", "Straße",
	},
	"languages": {
		"English words", "नमस्ते दुनिया", "বাংলাদেশ", "தமிழ்", "తెలుగు", "महाराष्ट्र", "ગુજરાતી", "ಕನ್ನಡ", "മലയാളം", "ਪੰਜਾਬੀ", "ଓଡ଼ିଆ", "অসমীয়া", "اردو", "नेपाली", "سنڌي", "कोंकणी", "संस्कृतम्", "मैथिली", "डोगरी", "बर'", "کٲشُر", "ꯃꯩꯇꯩꯂꯣꯟ", "ᱥᱟᱱᱛᱟᱲᱤ", "भोजपुरी", "සිංහල",
		"العربية", "می\u200cخواهم", "Türkçe ığşçöü", "çğöşüıə", "қазақ тілі", "кыргызча ңөү", "oʻzbekcha gʻ", "עִבְרִית", `צה"ל`, "አማርኛ", "ქართული", "հայերեն", "Ελληνικά", "русский ёж", "українська ґ їжак пʼять", "беларуская ў", "български", "македонски ѓ ќ", "српски ђ ћ", "hrvatski čćđšž",
		"slovenščina", "slovenčina ľŕĺ", "čeština řůě", "polski ąęłńśźż", "magyar őű", "română ășțâî", "shqip ëç", "lietuvių ąčęėįšųūž", "latviešu āčēģīķļņšūž", "eesti õäöü", "suomi ääkköset", "svenska åäö", "bokmål æøå", "dansk rødgrød", "íslenska þæð",
		"Nederlands ĳ", "Deutsch äöüß", "Afrikaans ŉ sê", "français œuf ÿ", "italiano è", "español ñandú", "português ação", "català l·l", "euskara ñ", "Cymraeg ŵŷ", "Gaeilge ḃ á", "Malti ċġħż", "Indonesia", "Melayu", "Việt ưỡng", "한국어", "日本語カナ", "中文漢字", "粵語嘅", "Kiswahili", "Esperanto ĉĝĥĵŝŭ",
	},
}

func TestNotationsAreRefused(t *testing.T) {
	t.Parallel()
	for family, values := range refused {
		for _, v := range values {
			err := respell.Check([]respell.Rule{{Term: "API", Respelling: v}})
			r, ok := err.(*respell.Refusal)
			if !ok {
				t.Errorf("%s: Check(%q) = %v, want a refusal", family, v, err)
				continue
			}
			if f := r.Faults[0]; len(r.Faults) != 1 || f.Field != respell.FieldRespelling || f.Code != respell.CodePhonemes || !strings.Contains(f.Suggestion, `"A P I"`) {
				t.Errorf("%s: Check(%q) = %+v, want one fault of the alias with an example", family, v, r.Faults)
			}
		}
	}
	if n := count(refused); n < 60 {
		t.Errorf("%d notations, want more", n)
	}
}

func TestSpellingsPass(t *testing.T) {
	t.Parallel()
	for family, values := range passing {
		for _, v := range values {
			if err := respell.Check([]respell.Rule{{Term: v, Respelling: v}}); err != nil {
				t.Errorf("%s: Check(%q) = %v, want none", family, v, err)
			}
		}
	}
	if n := count(passing); n < 150 {
		t.Errorf("%d spellings, want more", n)
	}
	if n := len(passing["languages"]); n < len(lang.All()) {
		t.Errorf("spellings of %d languages, want %d", n, len(lang.All()))
	}
}

func count(m map[string][]string) (n int) {
	for _, values := range m {
		n += len(values)
	}
	return n
}

// What fires is said, with the sign and what was sent.
func TestMessageSaysWhatFired(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ respelling, want string }{
		{"kəmˈpjuːtər", `"kəmˈpjuːtər" holds "ˈ" (U+02C8), a sign of the International Phonetic Alphabet`},
		{"bɛt", `holds "ɛ" (U+025B)`},
		{"/kat/", `"/kat/" stands in / /, as phonemes do`},
		{"[[kat]]", `stands in [[ ]]`},
		{"[h@loU]", `stands in [ ]`},
		{"HH AH0 L OW1", "is in ARPAbet"},
		{`k@m"pju:t@`, "is in X-SAMPA"},
		{`<phoneme ph="x">A</phoneme>`, `holds markup, "<phoneme"`},
		{"&lt;b>", `holds markup, "&lt;"`},
	} {
		err := respell.Check([]respell.Rule{{Term: "API", Respelling: tt.respelling}})
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "the model reads letters") {
			t.Errorf("Check(%q) = %v, want %q in it", tt.respelling, err, tt.want)
		}
	}
}

// Letters of a rule's own languages pass where others would be signs.
func TestLettersOfTheRulesLanguages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		respelling string
		only       []string
		ok         bool
	}{
		{"kæp", []string{"da"}, true},
		{"træ", []string{"nb"}, true},
		{"sæng", []string{"is"}, true},
		{"kæt", []string{"en"}, false},
		{"Sæther", nil, true},
		{"være", nil, true},
		{"encyclopædia", nil, true},
		{"æ", nil, true},
		{"[applause]", nil, true},
		{"wəz", nil, false},
		{"wəz", []string{"az"}, true},
		{"wəz", []string{"English", "azərbaycan dili"}, true},
		{"wəz", []string{"en"}, false},
		{"maθβa", nil, false},
		{"maθβa", []string{"el"}, true},
		{"θin", nil, false},
		{"θin", []string{"hi"}, false},
		{"θin", []string{"el"}, true},
		{"ǥuʒʒ", nil, false},
		{"ǥuʒʒ", []string{"fi"}, true},
		{"ŋæθ", []string{"nb"}, true},
		{"wəˈz", []string{"az"}, false}, // the stress mark is nobody's letter
	} {
		if err := respell.Check([]respell.Rule{{Term: "x", Respelling: tt.respelling, Only: tt.only}}); (err == nil) != tt.ok {
			t.Errorf("Check(%q, only %q) = %v, want ok %t", tt.respelling, tt.only, err, tt.ok)
		}
	}
}

// Terms are what stands in texts: phonetic signs, tags that are not taken out of them.
func TestTermsMayBeNotations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		term string
		ok   bool
	}{
		{"həˈləʊ", true}, {"/dev/", true}, {"HH AH0 L OW1", true}, {"<3", true}, {"->", true}, {"<b>", true}, {"vector<int>", true}, {"List<String>", true}, {"&lt;", true}, {"x<y", true}, {"x<y>z", true},
		{`<phoneme alphabet="ipa" ph="x">API</phoneme>`, false}, {"<say-as>", false}, {"&lt;speak>", false}, {`ph="x"`, false}, {"<break/>", false},
	} {
		err := respell.Check([]respell.Rule{{Term: tt.term, Respelling: "x"}})
		if (err == nil) != tt.ok {
			t.Errorf("Check(term %q) = %v, want ok %t", tt.term, err, tt.ok)
		}
		if r, isRefusal := err.(*respell.Refusal); isRefusal && (r.Faults[0].Field != respell.FieldTerm || r.Faults[0].Code != respell.CodePhonemes) {
			t.Errorf("Check(term %q) = %+v, want phonemes in the term", tt.term, r.Faults)
		}
	}
}

func TestSuggestion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		term string
		only []string
		want string
	}{
		{"API", nil, `write the letters to read, for example "A P I", or in another script, for example "ए पी आई"`},
		{"API", []string{"hi"}, `write the letters to read, for example "A P I", or in Devanagari, for example "ए पी आई"`},
		{"API", []string{"bn"}, `write the letters to read, for example "A P I", or write it in the script of Bengali`},
		{"API", []string{"en"}, `write the letters to read, for example "A P I"`},
		{"GPT4", nil, `write the letters to read, for example "G P T 4", or write it in another script`},
		{"ChatGPT", []string{"en", "ru"}, `write the letters to read, for example "Chat G P T", or write it in the script of Russian`},
		{"PostgreSQL", []string{"de"}, `write the letters to read, for example "Postgre S Q L"`},
		{"H264", []string{"de"}, `write the letters to read, for example "engine x" for "nginx"`},
		{"MPEG4", []string{"de"}, `write the letters to read, for example "M P E G 4"`},
		{"HTTP11", []string{"de"}, `write the letters to read, for example "H T T P 11"`},
		{"APIs", []string{"de"}, `write the letters to read, for example "A P I s"`},
		{"OpenAIStudio", []string{"de"}, `write the letters to read, for example "Open A I Studio"`},
		{"nginx", nil, `write the letters to read, for example "engine x" for "nginx", or in another script, for example "ए पी आई" for "API"`},
		{"nginx", []string{"mr", "en"}, `write the letters to read, for example "engine x" for "nginx", or in Devanagari, for example "ए पी आई" for "API"`},
		{"Łódź", []string{"pl"}, `write the letters to read, for example "engine x" for "nginx"`},
		{strings.Repeat("ABC", 30), []string{"en"}, `write the letters to read, for example "engine x" for "nginx"`},
	} {
		r, ok := respell.Check([]respell.Rule{{Term: tt.term, Respelling: "ˈ", Only: tt.only}}).(*respell.Refusal)
		if !ok || r.Faults[0].Suggestion != tt.want {
			t.Errorf("suggestion for %q only %q = %+v, want %q", tt.term, tt.only, r, tt.want)
		}
	}
}
