package translit_test

import (
	"strings"
	"testing"

	"vaak/lang"
	"vaak/text/translit"
)

// marked joins words with their labels: "kya/hi plan hai/hi".
func marked(words []string, labels []lang.Code) string {
	out := make([]string, len(words))
	for k, w := range words {
		if out[k] = w; labels[k] != "" {
			out[k] += "/" + string(labels[k])
		}
	}
	return strings.Join(out, " ")
}

func TestLabel(t *testing.T) {
	t.Parallel()
	hindi := lang.Tag{Code: "hi", Script: "Latn"}
	for _, tt := range []struct {
		name, want string
		hint       lang.Tag
	}{
		{"shared words in a Hindi sentence", "main/hi ghar/hi ja/hi raha/hi hoon/hi", lang.Tag{}},
		{"shared words in an English sentence", "the main door is open", lang.Tag{}},
		{"English words in a Hindi sentence", "aaj/hi office mein/hi bahut/hi kaam/hi tha/hi", lang.Tag{}},
		{"English verbs", "meeting cancel ho/hi gayi/hi hai/hi yaar/hi", lang.Tag{}},
		{"a name goes with English", "Rahul Sharma lives in Mumbai", lang.Tag{}},
		{"a name goes with Hindi", "Rahul/hi ghar/hi nahi/hi aaya/hi", lang.Tag{}},
		{"a sure word", "she said namaste/hi and smiled", lang.Tag{}},
		{"one unsure word", "she said ghar and smiled", lang.Tag{}},
		{"one unsure word when asked", "ghar/hi", hindi},
		{"one shared word when asked", "main/hi", hindi},
		{"English when asked", "please send the report today", hindi},
		{"asked for another language", "kya/ur tum/ur theek/ur ho/ur", lang.Tag{Code: "ur", Script: "Latn"}},
		{"an acronym", "mera/hi OTP nahi/hi aaya/hi", lang.Tag{}},
		{"a name of the web", "mera/hi naam/hi foo@bar.in hai/hi", lang.Tag{}},
		{"shouting", "MERA/hi NAAM/hi KYA/hi HAI/hi", lang.Tag{}},
		{"a hint from elsewhere", "mera naam kya hai", lang.Tag{Code: "id"}},
		{"laughter", "ha ha ha ha", lang.Tag{}},
		{"Tamil", "naan/ta office poganum/ta", lang.Tag{}},
		{"Telugu", "meeru/te ela/te unnaru/te", lang.Tag{}},
		{"Bengali", "tumi/bn kemon/bn acho/bn", lang.Tag{}},
		{"Marathi", "tumhi/mr kase/mr aahat/mr", lang.Tag{}},
		{"Gujarati", "tame/gu kem/gu cho/gu", lang.Tag{}},
		{"Kannada", "neevu/kn hegiddira/kn", lang.Tag{}},
		{"Malayalam", "enikku/ml malayalam/ml ariyam/ml", lang.Tag{}},
		{"Odia", "mo/or order kebe/or asiba/or", lang.Tag{}},
		{"Assamese", "mok/as kailoi/as leave lage/as", lang.Tag{}},
		{"Urdu by its words", "meharbani/ur kar/ur ke/ur account check karein/ur", lang.Tag{}},
		{"Urdu asked for", "mera/ur phone band/ur hai/ur", lang.Tag{Code: "ur"}},
		{"English nouns and verbs", "mere/hi timer ko/hi pause karo/hi", lang.Tag{}},
		{"an English clause", "Noah/hi ko/hi batao/hi ki/hi I will be there at nine", lang.Tag{}},
		{"dropped vowels", "kya/hi kr/hi rhe/hi ho/hi bhai/hi", lang.Tag{}},
		{"a hint without a script", "order abhi/hi tak/hi nahi/hi aaya/hi", lang.Tag{Code: "hi"}},
		{"English under a hint", "please call my sister in Pune", lang.Tag{Code: "mr"}},
		{"dishes", "masala dosa and filter coffee at the corner shop", lang.Tag{}},
		{"names", "Bengaluru 560 001 Karnataka", lang.Tag{Code: "en"}},
		{"Punjabi", "tuhada/pa ki/pa haal/pa hai/pa", lang.Tag{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var words []string
			for w := range strings.FieldsSeq(tt.want) {
				word, _, _ := strings.Cut(w, "/")
				words = append(words, word)
			}
			if got := marked(words, translit.Label(words, tt.hint)); got != tt.want {
				t.Errorf("Label(%q, %v) = %q, want %q", words, tt.hint, got, tt.want)
			}
		})
	}
}

func TestLabelNothing(t *testing.T) {
	t.Parallel()
	for _, words := range [][]string{nil, {}, {""}, {"\xff"}, {"", "'", "12"}} {
		if got := translit.Label(words, lang.Tag{Code: "hi", Script: "Latn"}); len(got) != len(words) {
			t.Errorf("Label(%q) has %d labels", words, len(got))
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want lang.Code
	}{
		{"Mera naam Rahul hai. Main Pune mein rehta hoon!", "hi"},
		{"Kal office mein meeting hai, please time par aana.", "hi"},
		{"Enna panra? Saptiya illaya?", "ta"},
		{"Ela unnaru meeru? Nenu bagunnanu.", "te"},
		{"Ami bhalo achi, tumi kemon acho?", "bn"},
		{"The main door is open and the man is in.", ""},
		{"He said namaste to everyone in the room.", ""},
		{"saya tidak tahu apa yang kamu mau makan hari ini", ""},
		{"la maison est belle et le chat est sur la table", ""},
		{"no se que quieres comer hoy mi amor", ""},
		{"watashi wa anata ga daisuki desu", ""},
		{"मेरा नाम", ""},
		{"", ""},
		{"12 + 3", ""},
	} {
		if got, share := translit.Detect(tt.text); got != tt.want || (share > 0) != (tt.want != "") {
			t.Errorf("Detect(%q) = %q, %v, want %q", tt.text, got, share, tt.want)
		}
	}
}
