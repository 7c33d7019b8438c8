package translit

import (
	"strings"
	"sync"
)

// grammarWords are words that hold sentences of a language together, in the usual ways to
// type them: pronouns, particles, question words, forms of to be and to do, and verbs of
// everyday requests. They are no names, and no English words but a few that English has
// only as abbreviations. A sentence is of the language of its grammar, whatever its nouns.
var grammarWords = [numSpoken]string{
	hindi: `ka ki ke ko se mein mai hai hain hoon tha thi kya kyu kyun kyon kab kahan kaha kaun kaunsa kaunsi konsa konsi kitna kitni kitne
		kaise kaisa kaisi aur agar toh tak bhi nahi nahin nhi yeh woh wo vo uska uski uske usko usne iska iski iske isko mera meri mujhe mujhko
		muje mjhe maine humne hame hamein hamare hamara hamari humare aap aapka aapki aapke apka apki tumhara tumhari tumhe apna apni apne koi
		kuch sabhi sab sare saare saari liye baad pehle pahle wala wali wale kar kr karo kro kare kren karein karna karne karta karte karti
		krna krne kiya karke kardo kardijiye karden kardein kardena karde kariye karunga karenge hoga hogi honge ho hota hoti hote raha rahi
		rahe rha rhi rhe gaya gayi gaye gya jaye jaega jayega jayegi hua hui huye dikhao dikhaye dikhaen dikhaiye batao btao bataye bataen bataiye
		bata sakta sakte sakti sakata chahiye chahie chaiye den dein deni dena dene dijiye dijie kijiye kijie lagao lagaye lagaen bhejo bheje
		bhejen bhejna bhej bajao bajaye bajana hatao hataye hata mitao mita chalao chalaye banao banaye bana sunao sunaye rakho rakhe rakhen
		jodo jode khojo dhundo dhoondo ruko roko roke rok puchho pucho puche poocho bolo boliye bole kaho kahe abhi kabhi kyunki isliye lekin
		phir fir wahan yahan jab jo jaise aise waise mujhse tujhe tera teri tere unka unki unke inka unhe inhe jana jaana aana lena karvao
		dohraye dohrao dilao dilaye yaad dilana agla agle agli pichle baje`,
	bengali: `ami tumi apni amar tomar apnar amake tomake apnake amader tomader tar tara ora ota ekta ektu ki keno kothay kokhon kemon koto
		kobe ebong kintu jodi tahole jonno theke sathe shathe diye niye kore korbo korben korte korchi korcho korche koro korun hobe hoy hoyeche
		hocche chai chao parbo parben parchi pari ache achi acho achen chilo chilam nei nai noy debo dao den din dite jabo jabe jacchi jao jete
		ashbo asbo asbe ashbe bolo bolchi bolte dekhte dekho lagbe lage hoye ekhon ekhono aajke ajke kalke keu kichu shob sob sobai khub onek`,
	tamilLanguage: `naan nee neenga avan aval avanga naanga enakku enaku unakku unaku ennoda unnoda unga enga enna epdi eppadi yen yaaru evlo
		eppo ippo appo adhu idhu indha andha irukku iruku irukka iruka irukken irukeenga irukinga illa illai ille panna pannu panren pandra
		panra pannunga venum vendam venam mudiyum mudiyuma mudiyala theriyum theriyala sollu sollunga solla poganum poren poga varen varuva
		vaanga kudunga kudu romba konjam thaan dhaan apram appuram aana kuda ellam ellarum onnu oru enakkum pannanum paaru paarunga vandha`,
	telugu: `nenu nuvvu nuvu meeru memu manam naku naaku neeku meeku maku mana naa nee mee adi idi ela enti emiti enduku ekkada eppudu evaru entha
		enni undi unda unnaru unnav unna unnayi ledu leru kadu kavali cheyyi cheyandi chesanu chesi cheyali chestunnav chestunna cheppu cheppandi
		ivvandi ivvu vastanu vastunna vacchindi vachindi vellali veltunna chala konchem kani kuda inka ante antaru ayyindi avuthundi vaddu emi
		ippudu appudu tarvata kosam nunchi daggara oka`,
	marathi: `mi mala tula tumhi amhi aamhi tyala tila majha maza mazha majhi mazi tujha tuza tumcha aapla apla aahe ahe aahet ahet aahes nahi hota hoti hote
		hava havi pahije kay kaay kasa kashi kase kuthe kadhi kon kiti ani aani pan mhanje mhanun tar karun kara kar karto karte karaycha kela keli
		kele zala zali jhala sang sanga bagh bagha yeto yete yenar jaycha jato gela geli aata ata khup hya tya yanchya madhe sathi baddal la cha chi
		che chya dya deu nako kahi konti konta udya ithe tithe kade`,
	gujarati: `hu mane tane tame tamne ame amne maru mari mara taru tari tamaru tamari apnu che chhe chu chhu cho chho nathi hatu hati hato shu su kem
		kyare kya kyan kon ketla ketlu ketli ane pan mate karo karvu karvanu kari karyu thayu thai thase thashe joiye joie aapo apo aap kaho kahe
		aave aavo aavshe jav javu javanu hoy hase hashe bahu saru sari haju have pachi ahiya tya badhu badha nu ni no na ma thi ne ena eni shako
		shake`,
	kannada: `nanu naanu neenu neevu nivu navu naavu nanna nimma ninna namma nanage nange ninge nimage avanu avalu avaru idu adu enu yenu hege yake yaake
		yavaga yaavaga elli illi alli eshtu yaru yaaru ide idhe illa beku beda bekagide maadi madi maadu madu madona maadona madbeku madtini hogona hogbeku
		hogtini hogi banni barthini bartini kodi kodu heli helu nodi nodu ondu tumba thumba swalpa matte mattu adre aadre kuda gottu gottilla
		agide aytu aythu aagutte agutte ivattu nale naale`,
	malayalam: `njan njaan nee ningal avan aval avar enikku enikk ninakku ningalkku namukku ente ninte ningalude avante avalude enthu enth entha engane
		enganeyund evide eppo eppol aara aaru ethra undo und undu illa illaa aanu aano alle venam venda veno cheyyam cheyyanam cheyyan cheythu
		cheyyum cheyyumo parayu paranju parayamo tharumo tharu varum varumo poyi pokam pokanam kurach oru ithu athu ivide avide pinne pakshe koode
		ippol ippo nalla kittiyilla kitti kittiyo mathi ariyilla ariyam patilla pattumo`,
	punjabi: `main mainu menu tenu tainu tusi asi tuhanu sanu mera meri tera teri sada saada sadi tuhada tuhadi ohda ohdi ohnu ehnu kiven kive kidda kithe
		kitthe kado kadon kyu kaun kinna kinne kinni hai ne si da di de nu ton naal nal vich wich layi lai te karda kardi karde karo kar kita kiti
		ditta ditti hunda hundi hunde honda reha rahi rahe giya gya ja jana janda jande aa aaja dasso daso dass chahida chahidi lagda lagdi peya
		pya kujh kuj koi hun huni fer hega haiga vi ohna ehna jehda jehra kehda karke oh eh`,
	odia: `mu mun mo mote mora ame tume tu tora tumara apana apananka se semane ei eha kana kan kahinki kebe keunthi kemiti kete kie achhi achi
		achanti thila thili nahin nahi nuhe heba hela hauchi karuchi karuchu karibi kariba karichi kala kara jibi jiba jauchi gala gali asibi asiba
		asuchi dia diya debi dela khaila khaiba kaha kuha pain sahita paain ebe ebam au kintu tanka taku ta bahut bhala tike gote darkar`,
	assamese: `moi mor mur mok ami amar amak tumi tomar tumar tomak apuni aponar apunar tai teo xi hi eitu kot kiyo ketia kene kenekoi kiman kun
		ase asil asu aso nai hoi hobo hol korim koribo kori korise korisu kora korok jam jabo jau goise ahibo ahim ahise diyok dibo dia khabo
		khala khalu lage laage nalage aru kintu jodi karone pora loi logot etia aji kali kailoi bohut olop bhal kua kuwa koisu`,
}

// note is what our own lists say of a word.
type note struct {
	holds   uint16 // a bit for each language of which it is a word of grammar
	sure    int8   // a language plus one, see sure
	urdu    int8   // see urduWords
	english bool   // a word of English grammar
	loan    bool   // see loans
	strong  bool   // one of the short words that Hindi has between all others
}

// notes has the words of all lists, so that a word is looked up once.
var notes = sync.OnceValue(func() map[string]note {
	all := map[string]note{}
	change := func(word string, f func(n *note)) {
		n := all[word]
		f(&n)
		all[word] = n
	}
	for i, list := range grammarWords {
		for w := range strings.FieldsSeq(list) {
			// Words that are English or names in English more often than they are grammar
			// here are no evidence.
			if rankOf(w) <= name {
				change(w, func(n *note) { n.holds |= 1 << i })
			}
		}
	}
	for w := range grammar() {
		change(w, func(n *note) { n.english = true })
	}
	for w, i := range sure() {
		change(w, func(n *note) { n.sure = int8(i) + 1 })
	}
	for w, weight := range urduWords() {
		change(w, func(n *note) { n.urdu = weight })
	}
	for w := range loans() {
		change(w, func(n *note) { n.loan = true })
	}
	for _, w := range []string{"ka", "ke", "ki", "ko", "hai"} {
		change(w, func(n *note) { n.strong = true })
	}
	return all
})
