package segment_test

import (
	"iter"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/text"
	"vaak/text/segment"
)

// cut writes the pieces of a text with bars between them.
func cut(s string, pieces iter.Seq[text.Span]) string {
	var parts []string
	for p := range pieces {
		parts = append(parts, p.In(s))
	}
	return strings.Join(parts, "|")
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, want string }{
		{"nothing", ""},
		{"no mark", "Hello"},
		{"en", "Hello there. |How are you? |I am well! |Good"},
		{"en title", "Dr. Smith met Mrs. Jones. |They spoke."},
		{"en decimal", "It is 3.5 metres. |Good."},
		{"en e.g.", "Use fruit, e.g. Apples or i.e. Pears. |Then mix."},
		{"en U.S.", "The U.S. Army came. |It left."},
		{"en initials", "J. K. Rowling wrote it. |She did."},
		{"en link", "See www.x.com for more. |Or a.b@c.com. |Fine."},
		{"en ellipsis", "Well… I think so. |Wait... What?"},
		{"en ellipsis at the end of a line", "Well...\n|What?"},
		{"en quotes", "He said, “Go.” |She went. |“Come,” he said."},
		{"en plain quotes", `He said "go." |"Come!" |She did.`},
		{"en asked", "“Really?” he asked. |Yes."},
		{"en brackets", "It rained (a lot.) |We left. |(He stayed.) |Then."},
		{"en list", "1. First thing. |2. Second thing. |Done."},
		{"en number", "See No. 5 and p. 7 and Fig. 3. Then"},
		{"en before a number", "Go to the main str. 5 now. |Twenty went outside. |20 stayed.\n|3 left."},
		{"en no", "I said no. |Then left."},
		{"en money", "It costs $25. |Buy it."},
		{"en year", "It was 1990. |Then came war."},
		{"en etc", "Cats, dogs, etc. are here. |Birds etc. |They fly."},
		{"en degree", "She has a Ph.D. in law. |He has none."},
		{"en time", "Come at 5 p.m. on Monday. |Or later."},
		{"en marks", "What?! |No!!! |Yes."},
		{"en paragraph", "A title\n\n|Text here\nand there.\n|More"},
		{"en dash", "“Stop!” – he ran. |End."},
		{"en list of lines", "Buy it now.\n|- One.\n|- Two."},
		{"en version", "Use v2.0. |Then 2.5.1. |Go."},
		{"hi", "वह घर गया। |क्या हुआ? |कुछ नहीं।|फिर मिलेंगे॥ |हाँ."},
		{"hi title", "डॉ. शर्मा आए। |प्रो. वर्मा गए। |रु. 500 दो।"},
		{"sa", "धर्मक्षेत्रे कुरुक्षेत्रे। |मामकाः पाण्डवाः॥ |सञ्जय"},
		{"mr", "तो घरी आला. |मी गेलो. |डॉ. पाटील आले."},
		{"bn", "আমি যাই। |তুমি কি যাবে? |ডা. রহমান এলেন। |মো. করিম।"},
		{"ta", "நான் வந்தேன். |நீ போ. |திரு. கண்ணன் வந்தார். |க. அன்பழகன் சொன்னார்."},
		{"te", "నేను వచ్చాను. |డా. రావు వచ్చారు. |సరే!"},
		{"kn", "ನಾನು ಬಂದೆ. |ಡಾ. ರಾವ್ ಬಂದರು."},
		{"ml", "ഞാൻ വന്നു. |ഡോ. നായർ വന്നു."},
		{"gu", "હું આવ્યો. |ડૉ. પટેલ આવ્યા."},
		{"pa", "ਮੈਂ ਆਇਆ। |ਡਾ. ਸਿੰਘ ਆਏ।"},
		{"or", "ମୁଁ ଆସିଲି। |ତୁମେ?"},
		{"ur", "وہ آیا۔ |کیا ہوا؟ |اچھا!"},
		{"ar", "ذهب الولد. |هل رأيت؟ |د. أحمد هنا."},
		{"fa", "او آمد. |چرا؟ |خوب."},
		{"he", "הוא בא. |מה קרה? |א. כהן בא."},
		{"ru", "Он пришёл. |Это г. Москва, ул. Ленина. |А. С. Пушкин писал и т.д. и т.п. Это я. |Да!"},
		{"uk", "Він прийшов. |Це вул. Франка. |Т. Шевченко писав."},
		{"bg", "Той дойде. |Г-н Иванов е тук."},
		{"el", "Ήρθε. |Τι έγινε; |Ο κ. Παπαδόπουλος ήρθε π.χ. Δευτέρα. |Ναι"},
		{"hy", "Նա եկավ։ |Լավ։"},
		{"ka", "ის მოვიდა. |ი. ჭავჭავაძე წერდა."},
		{"am", "መጣ። |ማን ነው፧ |እሱ።"},
		{"zh", "他来了。|你呢？|“好！”|他说。|“走吧。”|完"},
		{"zh plain marks", "好吗?|我走了!|再见"},
		{"ja", "行きます。|本当？|「はい。」|終わり。"},
		{"ko", "갔어요. |정말? |네."},
		{"yue", "佢嚟咗。|係咩？|係。"},
		{"de", "Am 3. Mai kam er. |Z. B. Berlin ist groß. |Dr. Müller, d. h. Hans, kam. |„Gut.“ |Ja."},
		{"de quotes", "Er sagte: »Komm.« |Dann ging er."},
		{"fr", "« Il part. » |Puis M. Dupont vint ! |Mme Curie ? |Oui."},
		{"es", "Vino la Sra. López. |¿Qué pasó? |¡Nada! |Fin."},
		{"pt", "Veio o Dr. Silva. |Pág. 5 é boa. |Fim."},
		{"it", "Venne il sig. Rossi. |Bene."},
		{"nl", "Hij zag mevr. De Vries. |Goed."},
		{"sv", "Han kom kl. 5, t.ex. Nu. |Bra."},
		{"pl", "Przyszedł inż. Kowalski. |Na ul. Długiej. |Tak."},
		{"cs", "Přišel 3. května. |Dobře."},
		{"fi", "Hän tuli 3. toukokuuta. |Hyvä."},
		{"hu", "Eljött 3. május. |Jó."},
		{"tr", "Doç. Yılmaz geldi. |Evet."},
		{"vi", "Anh ấy đến. |Được không? |Được."},
		{"id", "Dia datang. |Benarkah? |Ya."},
		{"mni", "ꯑꯩ ꯆꯠꯀꯅꯤ꯫ |ꯍꯣꯏ꯫"},
		{"sat", "ᱤᱧ ᱪᱟᱞᱟᱜᱟ᱾ |ᱦᱮᱸ᱾"},
		{"si", "මම ආවා. |හොඳයි."},
		{"digits", strings.Repeat("7", 5000)},
	} {
		s := strings.ReplaceAll(tt.want, "|", "")
		if diff := cmp.Diff(tt.want, cut(s, segment.Sentences(s, nil))); diff != "" {
			t.Errorf("%s: Sentences(%q) (-want +got):\n%s", tt.name, s, diff)
		}
	}
}

func TestSentencesAbbreviation(t *testing.T) {
	t.Parallel()
	var asked []string
	known := func(w string) bool {
		asked = append(asked, w)
		return w == "Abk." || w == "45."
	}
	const want = "Das ist Abk. Eins und 45. Platz. |Dr. Gut."
	s := strings.ReplaceAll(want, "|", "")
	if diff := cmp.Diff(want, cut(s, segment.Sentences(s, known))); diff != "" {
		t.Errorf("Sentences(%q) (-want +got):\n%s", s, diff)
	}
	if diff := cmp.Diff([]string{"Abk.", "45.", "Platz.", "Gut."}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestClauses(t *testing.T) {
	t.Parallel()
	for _, want := range []string{
		"",
		"One, |two; |three: |four – |five. |Six",
		"It is 1,000 or 10:30, |well-known a-b c—d.",
		"He came ... |then left. |“Yes,” |he said.",
		"घर, |बाहर; |और। |फिर",
		"نعم، |لا؛ |ربما.",
		"我来，|你走；|好、|是：|对。|完",
		"ሰላም፣ |ደህና፤ |እሺ።",
		"Այո, |ոչ՝ |լավ։",
		"Ναι· |όχι, |ίσως; |Ναι",
		"Dr. No, |e.g. this.",
		"l'il·lusió, |bé",
	} {
		s := strings.ReplaceAll(want, "|", "")
		if diff := cmp.Diff(want, cut(s, segment.Clauses(s, nil))); diff != "" {
			t.Errorf("Clauses(%q) (-want +got):\n%s", s, diff)
		}
	}
}

// covers checks the laws of sentences and clauses.
func covers(t testing.TB, s string) {
	t.Helper()
	ends := map[int]bool{len(s): true}
	at := 0
	for c := range segment.Clauses(s, nil) {
		if c.Start != at || c.End <= c.Start {
			t.Fatalf("Clauses(%q): %v follows %d", s, c, at)
		}
		at = c.End
		ends[at] = true
	}
	if at != len(s) {
		t.Fatalf("Clauses(%q) cover %d bytes of %d", s, at, len(s))
	}
	at = 0
	for p := range segment.Sentences(s, nil) {
		if p.Start != at || p.End <= p.Start || !ends[p.End] {
			t.Fatalf("Sentences(%q): %v follows %d", s, p, at)
		}
		if p.End < len(s) && !segment.EndsSentence(p.In(s)) && len(strings.FieldsFunc(p.In(s)+".", isLineEnd)) < 2 {
			t.Fatalf("Sentences(%q): %q does not end", s, p.In(s))
		}
		at = p.End
	}
	if at != len(s) {
		t.Fatalf("Sentences(%q) cover %d bytes of %d", s, at, len(s))
	}
}

func isLineEnd(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }

func TestSentenceLaws(t *testing.T) {
	t.Parallel()
	pieces := rapid.SampledFrom([]string{
		"a", "B", "word", "क", "का", "中", "Α", "я", "1", "25", ".", "...", "…", "!", "?", ";", ",", "、", "。", "।", "॥", "۔", "؟", "：",
		" ", "\u00a0", "\n", "\r\n", "\"", "“", "”", "«", "»", "(", ")", "-", "–", "'", "\u0301", "\u200d", "\xff", "$", "Dr", "e.g", "😀",
	})
	rapid.Check(t, func(rt *rapid.T) {
		covers(t, strings.Join(rapid.SliceOfN(pieces, 0, 40).Draw(rt, "pieces"), ""))
	})
}

func FuzzSentences(f *testing.F) {
	for _, s := range []string{"Dr. No. Yes! «Oui. » 1. A", "है।“好。”Τι; ναι", "\xff. \n\n A", "U.S. $25. J. K."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { covers(t, s) })
}

func TestSentencesDoNotAllocate(t *testing.T) {
	s := strings.Repeat("The U.S. Army and Dr. Smith met, see p. 5. वह घर गया। 好。", 50)
	if n := testing.AllocsPerRun(5, func() {
		for range segment.Clauses(s, nil) {
		}
	}); n > 5 {
		t.Errorf("%v allocations for %d bytes, want at most 5", n, len(s))
	}
}

func BenchmarkSentences(b *testing.B) {
	for name, s := range map[string]string{
		"latin": "The quick brown fox jumps over it. ", "devanagari": "मैं आज स्कूल जा रहा हूँ। ", "russian": "Съешь же ещё этих булок. ",
	} {
		whole := string([]rune(strings.Repeat(s, 300))[:5000])
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(utf8.RuneCountInString(whole)))
			for b.Loop() {
				for range segment.Sentences(whole, nil) {
				}
			}
		})
	}
}
