package translit

import (
	"strings"
	"sync"
)

// sure are words that are Indian in any sentence, even in an English one: they
// are no names, no dictionary of common English has them, and an English voice
// reads them so that they are hard to understand.
var sure = sync.OnceValue(func() map[string]int {
	return map[string]int{
		"namaste": hindi, "namastey": hindi, "namaskar": hindi, "namaskaar": hindi,
		"dhanyavaad": hindi, "dhanyavad": hindi, "dhanyawad": hindi, "dhanyawaad": hindi,
		"shukriya": hindi, "accha": hindi, "achha": hindi, "achchha": hindi, "achcha": hindi,
		"kya": hindi, "kyun": hindi, "kyon": hindi, "nahi": hindi, "nahin": hindi, "haan": hindi,
		"theek": hindi, "bahut": hindi, "bohot": hindi, "mujhe": hindi, "chahiye": hindi,
		"kaise": hindi, "zindagi": hindi, "bilkul": hindi,
		"dhonnobad": bengali, "dhonnobaad": bengali, "bhalobasha": bengali,
		"vanakkam": tamilLanguage, "nandri": tamilLanguage, "paravayillai": tamilLanguage,
		"dhanyavadalu": telugu, "dhanyavaadalu": telugu, "namaskaram": telugu,
		"dhanyavadagalu": kannada, "dhanyavaadagalu": kannada, "namaskara": kannada,
	}
})

// loans are Indian words that English sentences have: dishes, clothes, festivals, customs and
// names of gods. They are no evidence of an Indian sentence, and go with theirs, as names do.
var loans = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`masala dosa idli vada pav puri poori pani biryani biriyani pulao paneer tikka naan roti chapati dal daal jeera haldi ghee
		aloo gobi gobhi palak makhani rajma chole chana bhatura samosa pakora pakoda chaat bhel chai lassi laddu ladoo laddoo gulab jamun
		kheer halwa raita paratha parantha sambar sambhar rasam uttapam upma poha dhokla thepla khichdi curry kurma korma tandoori kebab kabab seekh
		mithai barfi burfi jalebi rasgulla rasmalai mishti kulfi falooda paan achar chutney papad atta maida besan garam mirchi dahi curd
		puja pooja aarti diwali deepavali holi eid ramzan pongal onam vishu bihu navratri durga dussehra ganesh chaturthi ganpati rakhi raksha bandhan
		krishna shiva rama sita hanuman lakshmi saraswati guru yoga karma mantra dharma moksha bharat swachh vande lakh crore rupee
		rupees saree sari kurta kurti pajama pyjama salwar kameez lehenga dupatta sherwani bindi mehndi sindoor swami maharaja raja rani pandit
		mandir masjid gurdwara haveli bazaar mela garba bhangra kathak sitar tabla ashram sadhu baba didi bhaiya aunty uncle shaadi bollywood
		desi jugaad dhaba rickshaw auto chowk nagar marg bagh kanjeevaram kanjivaram banarasi kabaddi kho lok sabha rajya vidhan panchayat
		panna cotta terra incognita hasta vista sumo karate tai chi kara mara sara tara maya lila leela mira nana mama papa puttu appam
		payasam kadala thali misal vindaloo keema mutton nihari haleem phirni rabri shrikhand undhiyu bhindi baingan bharta kofta malai methi
		tadka`) {
		all[w] = true
	}
	return all
})

// urduWords are words that Urdu has where Hindi has others, which weigh 2, and words typed as
// those who write Urdu type them, which weigh 1: r for the flap that others type d, "kia" for
// "kya", the future tense in two words.
var urduWords = sync.OnceValue(func() map[string]int8 {
	all := map[string]int8{}
	for w := range strings.FieldsSeq(`assalam asalam assalaam alaikum alaykum walaikum mashallah alhamdulillah meharbani mehrbani walid
		walida walidain salgirah mazrat maazrat khairiyat kheriyat hukumat wazir karachi lahore islamabad pakistan pakistani rawalpindi
		peshawar zaya qist tareeqa tareeqay imtehan ustad taleem lazmi foran mukammal mulaqat muqabla zimmedari ammi bhaijan baji yaqeen qareeb
		qeemat haqeeqat tasveer paigham shaks martaba pohanch pohancho pohancha pohanchna pohnch aik bohat ziada nihari janab
		waqai waqia dawat mehman darkhwast intezam intezar masla maslay tajurba mashwara mohtaram`) {
		all[w] = 2
	}
	for w := range strings.FieldsSeq(`hafiz inshallah bht lia kia dia larka larki larke larkay thora thori bara bari baray gari sarak parh parhai
		parhna chor chora jayen batayen batain sunayen dekhain sehat darwaza kamyabi mubarik achay paisay mahinay kitnay mujhay
		unhein inhein balkay chunke halanke taake shehar mehnga dafa karein karain waqt ga gi ge gay kiraya khuda abbu wapis behtreen
		behtareen taraf tankhwah`) {
		all[w] = 1
	}
	return all
})

// Places in codes.
const (
	hindi = iota
	bengali
	tamilLanguage
	telugu
	marathi
	gujarati
	kannada
	malayalam
	punjabi
	odia
	assamese
	urdu

	// numSpoken is the number of languages that are told apart by their words. Urdu comes
	// last and is told as Hindi first.
	numSpoken = urdu
)
