package segment

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"vaak/lang"
)

// Clauses of these languages are found in sentences of others. Latin letters of each have
// enough words of grammar that no other language has.
var clausal = [...]lang.Code{"en", "es", "fr", "de", "pt", "it"}

const (
	numClausal = len(clausal)
	german     = 3 // place in clausal
)

// everyday are words that hold clauses together, and verbs, adverbs and nouns of everyday
// speech, in small letters. A word that two of the languages have is in both lists.
var everyday = [numClausal]string{
	`the of and to in is that it for was on are with as he be this have from or had by you not but what all were when we there can an
		your which their said if do will each about how up out them then she many some so these would other into has more her two him see could no make
		than been who its now people my made over did down only way find use may long little very after words just where most know get through back much
		before go good new our me too any day same right look think also around another came come work three must because does part even place well such
		here take why help put years away again off went old number tell say small every still between should home give last never us left end while
		something thought both those always looked asked turned was hello thanks please yes okay morning today tomorrow tonight let lets sorry really
		don't i'm it's can't i'll we'll you're i've that's doesn't didn't won't isn't he's she's they're there's what's let's i a am they his need want
		love like great best worst life going doing being having everyone everything nothing maybe later already told loved believe wait forget
		meeting call late school week year weekend night money mother father friend friends dad mom brother sister house`,
	`el la los las un una unos unas de del al a en y e o u que no se su sus por con para como más pero lo le les me te nos mi mis tu tus yo tú él ella
		ellos ellas nosotros usted ustedes este esta esto estos estas ese esa eso esos esas aquel aquella muy ya sí si sin sobre entre cuando donde dónde
		quién quien qué cómo cuándo cuál porque también tampoco todo toda todos todas nada algo alguien nadie siempre nunca hoy mañana ayer ahora luego
		después antes aquí allí ahí bien mal mejor peor mucho mucha muchos muchas poco tan tanto otro otra otros otras mismo misma cada es son era eran fue
		fueron ser estar está están estoy estamos estaba estábamos soy eres somos he ha han había hay hace hacer hago hizo tengo tiene tienes tienen tener tenía
		voy va vas vamos van ir quiero quiere quieres querer puedo puede puedes pueden poder sé sabe sabes saber digo dice dices decir dijo dijeron creo
		gracias hola favor buenos buenas días tardes noches noche día casa trabajo gente tiempo vida año años semana amigo amiga hermano hermana madre
		padre cosa cosas vez veces hasta desde según contra aunque mientras pues entonces además solo sólo claro verdad bueno buena dos tres`,
	`le la les un une des de du au aux à et ou où en dans que qui quoi ne pas plus se ce cet cette ces son sa ses mon ma mes ton ta tes notre nos votre vos
		leur leurs je tu il elle on nous vous ils elles lui eux moi toi y est sont était étaient être été suis es sommes êtes ai as a avons avez ont avait
		avoir eu fait faire fais font va vais vas vont aller allons peut peux peuvent pouvoir veut veux vouloir voulais dois doit sais sait savoir dit dire
		disait pour par avec sans sous sur chez entre vers avant après pendant depuis comme si mais donc car parce quand comment pourquoi combien
		très bien mal mieux trop peu beaucoup tout toute tous toutes rien jamais toujours encore déjà aussi même autre autres ici là aujourd'hui
		demain hier maintenant bonjour bonsoir salut merci oui non voilà quel quelle quels quelles c'est j'ai n'est qu'il qu'elle d'un d'une l'on s'il
		jour jours nuit soir matin temps gens vie an ans année semaine ami amis frère soeur mère père maison travail chose choses fois deux trois
		faut plaît ça alors puis ensuite parfois souvent peut-être`,
	`der die das den dem des ein eine einen einem einer eines und oder aber denn weil dass daß wenn als ob wie wo wer was wann warum wieso ich du er sie es
		wir ihr mich dich ihn uns euch mir dir ihm ihnen mein meine meinen meinem meiner dein deine sein seine seinen unser unsere euer ihre ihren
		ist sind war waren bin bist seid sein gewesen habe hast hat haben hatte hatten werde wird werden wurde wurden worden kann kannst können konnte
		muss musst müssen musste will willst wollen wollte soll sollen sollte darf dürfen mag möchte möchten macht machen gemacht geht gehen ging
		kommt kommen kam sagt sagen sagte gesagt weiß wissen nicht kein keine keinen nichts nie immer noch schon auch nur sehr so mehr viel viele wenig
		ganz gar doch mal ja nein in im ins am an auf aus bei beim bis durch für gegen mit nach ohne seit über um unter von vom vor zu zum zur zwischen
		hier da dort heute morgen gestern jetzt dann danach wieder alle alles etwas jemand niemand man andere anderen guten gute gut danke bitte
		hallo tag abend nacht zeit leute leben jahr jahre woche freund freunde bruder schwester mutter vater haus arbeit zwei drei diese dieser
		dieses diesen jede jeder jedes einfach wirklich vielleicht leider gleich bald spät früh`,
	`o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às e ou que não se seu sua seus suas por pelo pela com para pra como mais mas lhe
		me te eu tu ele ela eles elas nós você vocês meu minha meus minhas teu tua nosso nossa este esta isto esse essa isso aquele aquela aquilo muito
		muita muitos já sim sem sobre entre quando onde quem qual porque também tudo todo toda todos todas nada algo alguém ninguém sempre nunca hoje
		amanhã ontem agora depois antes aqui ali lá bem mal melhor pior pouco tão tanto outro outra outros mesmo mesma cada é são era eram foi foram
		ser estar está estão estou estamos estava sou somos tenho tem têm temos tinha ter havia há faz fazer fiz fez vou vai vamos vão ir quero quer
		querer posso pode podem poder sei sabe saber disse diz dizer acho gente obrigado obrigada olá oi bom boa dia tarde noite casa trabalho tempo
		vida ano anos semana amigo amiga irmão irmã mãe pai coisa coisas vez vezes até desde embora enquanto então só dois duas três num numa dele dela
		deles nele neste nesta nesse isso ainda agora aí daqui fica ficar ficou`,
	`il lo la i gli le un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal dalla dai in nel nella nei nelle su sul sulla con per
		tra fra e ed o che chi cui non si se ma come più anche io tu lui lei noi voi loro mi ti ci vi me te mio mia miei mie tuo tua suo sua suoi nostro
		nostra questo questa questi queste quello quella quelli quelle è sono era erano essere stato stata sei siamo siete ho hai ha abbiamo avete hanno
		aveva avere faccio fa fare fatto vado va andare andiamo vanno posso può puoi possono potere voglio vuole vuoi volere devo deve dovere so sa
		sapere dico dice dire detto molto molta molti poco tanto troppo tutto tutta tutti tutte niente nulla qualcosa qualcuno nessuno sempre mai oggi
		domani ieri adesso ora poi dopo prima qui qua lì là bene male meglio peggio ancora già solo perché quando dove chi cosa quale quanto
		quindi allora però invece mentre senza sotto sopra verso grazie ciao prego buongiorno buonasera buonanotte giorno giorni sera notte tempo gente
		vita anno anni settimana amico amici fratello sorella madre padre casa lavoro cose volta volte due tre c'è dell'anno l'ho sta sto stai stanno
		stavo stava ogni altro altra altri proprio davvero`,
}

// languages has a bit for each of the clausal languages.
type languages uint8

var everydayTable = sync.OnceValue(func() map[string]languages {
	all := map[string]languages{}
	for i, list := range everyday {
		for w := range strings.FieldsSeq(list) {
			all[w] |= 1 << i
		}
	}
	return all
})

// latinWord is a word of a sentence that may have clauses of several languages.
type latinWord struct {
	atom     int
	in       languages // those of which it is an everyday word
	name     bool      // it has a capital inside a sentence, and is no everyday word
	capital  bool      // it has a capital in front
	breaks   bool      // punctuation stands before it
	relative [numClausal]int32
	scores   lang.WordScores
}

// Costs and bounds of the search, in levels of 0.75 nats. They are set so that texts of one
// language stay whole.
const (
	everydayLevels = 7  // for an everyday word that only one of two languages has
	unlistedLevels = 1  // the same where the everyday words of the other are not listed
	mostLevels     = 6  // for the letters of a word
	nameLevels     = 2  // for a name
	farLevels      = 3  // against a word that is far from everyday words of the language
	reach          = 6  // words from an everyday word to those that are looked at
	switchLevels   = 16 // of a change of language
	breakLevels    = 7  // of a change at punctuation
	leastWords     = 3  // of a clause
	leastOwn       = 2  // everyday words that a clause has and the language around it has not
	clearPerWord   = 4  // lead for each word from which on one such word is enough
	leastLead      = 12 // of a clause over the language around it
	leastPerWord   = 2  // of the lead, for each word
)

// clauses gives clauses and phrases that are in another language than the sentence around
// them their language. It does nothing where no other language has an everyday word that the
// language of the text has not, which is quickly seen.
func (c *cutter) clauses() (found bool) {
	// To tell the language of the Latin letters the whole text is read.
	if !slices.ContainsFunc(c.atoms, func(a atom) bool { return a.kind == word && a.script == "Latn" }) {
		return false
	}
	base := c.codeOf("Latn")
	home := slices.Index(clausal[:], base)
	var counts [numClausal]int
	c.clauseWords = c.clauseWords[:0]
	for i := range c.atoms {
		a := &c.atoms[i]
		if a.kind != word || a.script != "Latn" || a.romanised || a.code != base {
			if a.kind == word && a.romanised {
				return false
			}
			continue
		}
		w := latinWord{atom: i, in: everydayIn(a.In(c.text))}
		if c.endsNumber(a) || home < 0 && a.Start > 0 && c.text[a.Start-1] == '-' {
			w.in = 0
		}
		for l := range counts {
			if w.in&(1<<l) != 0 && (home < 0 || w.in&(1<<home) == 0) {
				counts[l]++
			}
		}
		c.clauseWords = append(c.clauseWords, w)
	}
	least := 1
	if home < 0 {
		least = leastOwn // any of these may be a word of the language of the text
	}
	states := c.states[:0]
	for l, n := range counts {
		if l != home && n >= least {
			states = append(states, l)
		}
	}
	if len(states) == 0 || len(c.clauseWords) < leastWords {
		return false
	}
	c.states = states
	c.weighClauses(base, home, states)
	return c.switchClauses(base, home, states)
}

// endsNumber reports whether a word is an ending that a hyphen or an apostrophe joins to a
// number, which is a word of no language: hu 47-es, tr 5'te.
func (c *cutter) endsNumber(a *atom) bool {
	if a.Start < 2 {
		return false
	}
	mark, digit := c.text[a.Start-1], c.text[a.Start-2]
	return (mark == '-' || mark == '\'') && digit >= '0' && digit <= '9'
}

// everydayIn returns the languages of which a word, or the part of it before an apostrophe,
// is an everyday word.
func everydayIn(s string) languages {
	var buf [24]byte
	if len(s) > len(buf) {
		return 0
	}
	low := buf[:0]
	for _, r := range s {
		if r == '’' {
			r = '\''
		}
		if len(low)+utf8.UTFMax > cap(low) {
			return 0
		}
		low = utf8.AppendRune(low, unicode.ToLower(r))
	}
	table := everydayTable()
	if in, ok := table[string(low)]; ok {
		return in
	}
	if at := slices.Index(low, '\''); at >= 0 {
		switch string(low[:at]) {
		case "j", "qu", "c", "n", "s", "t", "m", "jusqu", "lorsqu", "puisqu":
			return 1 << 2
		case "dell", "all", "nell", "sull", "dall", "quell", "un":
			return 1 << 5
		case "l", "d":
			return 1<<2 | 1<<5
		}
		switch string(low[at:]) {
		case "'s", "'t", "'re", "'ll", "'ve", "'m", "'d":
			return 1 << 0
		}
	}
	return 0
}

// weighClauses fills in how much better each language explains each word than the language of
// the text. Words far from everyday words of another language count as those of the text.
func (c *cutter) weighClauses(base lang.Code, home int, states []int) {
	codes := lang.LatinLanguages()
	at := slices.Index(codes, base)
	var places [numClausal]int
	for l, code := range clausal {
		places[l] = slices.Index(codes, code)
	}
	var others languages
	for _, l := range states {
		others |= 1 << l
	}
	var own languages
	if home >= 0 {
		own = 1 << home
	}
	next := -1 // the next word of another language, or the last one
	last := -reach - 1
	before := 0
	for k := range c.clauseWords {
		w := &c.clauseWords[k]
		if next < k {
			for next = k; next < len(c.clauseWords) && (c.clauseWords[next].in&others == 0 || c.clauseWords[next].in&own != 0); {
				next++
			}
		}
		if next == k {
			last = k
		}
		a := &c.atoms[w.atom]
		w.breaks = k == 0 || strings.ContainsAny(c.text[before:a.Start], ",.;:!?()\"«»“”„—–-…¡¿")
		before = a.End
		if k-last > reach && (next == len(c.clauseWords) || next-k > reach) {
			for l := range w.relative {
				w.relative[l] = -farLevels
			}
			continue
		}
		first, _ := utf8.DecodeRuneInString(a.In(c.text))
		w.capital = unicode.IsUpper(first)
		w.name = k > 0 && w.capital && w.in == 0
		w.scores = lang.ScoreWord(a.In(c.text))
		for l := range clausal {
			limit := int32(mostLevels)
			if w.name {
				limit = nameLevels
			}
			var n int32
			if at >= 0 {
				n = max(-limit, min(limit, w.scores[places[l]]-w.scores[at]))
			}
			switch mine, theirs := w.in&(1<<l) != 0, home >= 0 && w.in&(1<<home) != 0; {
			case mine && home < 0:
				n += unlistedLevels
			case mine && !theirs:
				n += everydayLevels
			case theirs && !mine:
				n -= everydayLevels
			}
			w.relative[l] = n
		}
	}
}

// switchClauses finds the cheapest way through the words, in which each is in the language of
// the text or in one of the states, and gives clauses that are clearly in another language
// that one.
func (c *cutter) switchClauses(base lang.Code, home int, states []int) (found bool) {
	words := c.clauseWords
	n := len(states) + 1 // state 0 is the language of the text
	score := make([]int32, n)
	back := make([]uint8, n*len(words))
	for k := range words {
		w := &words[k]
		cost := int32(switchLevels)
		if w.breaks {
			cost = breakLevels
		}
		best := 0
		for s := range score {
			if score[s] > score[best] {
				best = s
			}
		}
		top := score[best] - cost
		if k == 0 {
			top = -breakLevels
			for s := 1; s < n; s++ {
				score[s] = top // it costs to begin in another language
			}
		}
		for s := range score {
			from := uint8(s)
			if score[s] < top {
				score[s], from = top, uint8(best)
			}
			back[k*n+s] = from
			if s > 0 {
				score[s] += w.relative[states[s-1]]
			}
		}
	}
	state := 0
	for s := range score {
		if score[s] > score[state] {
			state = s
		}
	}
	path := make([]int, len(words))
	for k := len(words) - 1; k >= 0; k-- {
		path[k] = state
		state = int(back[k*n+state])
	}
	// A text that is wholly in another language than the one that was asked for is read in the
	// one that was asked for: who asks knows why.
	if c.given && !slices.Contains(path, 0) && c.prior.DetectIn(c.Segmenter.whole, "Latn") != base {
		return false
	}
	for from := 0; from < len(words); {
		to := from + 1
		for to < len(words) && path[to] == path[from] {
			to++
		}
		if s := path[from]; s > 0 && c.isClause(words[from:to], states[s-1], base, home) {
			for _, w := range words[from:to] {
				if code := clausal[states[s-1]]; c.prior.Offers(code) {
					c.atoms[w.atom].code = code
				}
			}
			found = true
		}
		from = to
	}
	return found
}

// isClause reports whether words are clearly a clause of a language: they are three or more,
// some are everyday words of it and not of the language around them, and no other language
// explains them better.
func (c *cutter) isClause(words []latinWord, l int, base lang.Code, home int) bool {
	codes := lang.LatinLanguages()
	place := slices.Index(codes, clausal[l])
	own, names, capitals, lead := 0, 0, 0, int32(0)
	var all lang.WordScores
	for k := range words {
		w := &words[k]
		lead += w.relative[l]
		if w.in&(1<<l) != 0 && (home < 0 || w.in&(1<<home) == 0) {
			own++
		}
		if w.capital && k > 0 {
			capitals++
		}
		if w.name {
			names++
			continue
		}
		floor := slices.Max(w.scores[:]) - 20
		for i, n := range w.scores {
			all[i] += max(n, floor)
		}
	}
	// A title: "The Lord of the Rings". German has capitals in the middle of clauses.
	if l != german && 3*capitals > len(words) {
		return false
	}
	solid := len(words) - names
	if home < 0 {
		solid-- // one word more is asked for
	}
	if own < leastOwn && (own == 0 || lead < int32(clearPerWord*solid)) {
		return false
	}
	if solid < leastWords || lead < leastLead || lead < int32(leastPerWord*solid) {
		return false
	}
	return slices.Max(all[:]) <= all[place]+everydayLevels
}
