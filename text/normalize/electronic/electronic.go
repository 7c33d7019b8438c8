// Package electronic reads addresses of the web and of e-mail, paths of files, internet
// addresses in numbers, and versions of software.
package electronic

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Recognizer reads addresses as one language says them. It is safe for concurrent
// use.
type Recognizer struct {
	say       *speak.Speaker
	versioned map[string]bool // words before a version or a section
	// dotted are the abbreviations with a full stop inside, which are no addresses.
	dotted scan.Phrases[bool]
}

// New returns the recognizer of a speaker's language.
func New(say *speak.Speaker) *Recognizer {
	er := &Recognizer{say: say, versioned: map[string]bool{}}
	for _, w := range say.Lexicon.List("version.word") {
		er.versioned[w] = true
	}
	for _, r := range say.Lexicon.Rows("abbr") {
		if first, ok := strings.CutSuffix(r[0], "."); ok && strings.Contains(first, ".") && !strings.Contains(first, " ") {
			er.dotted.Add(r[0], true)
		}
	}
	return er
}

// programs are the names of programs and standards that versions follow in any language.
var programs = map[string]bool{
	"iOS": true, "iPadOS": true, "macOS": true, "watchOS": true, "tvOS": true, "Android": true, "Windows": true, "Linux": true, "Ubuntu": true,
	"Debian": true, "Python": true, "Java": true, "PHP": true, "Ruby": true, "Go": true, "Rust": true, "Node": true, "Chrome": true, "Firefox": true,
	"Safari": true, "WhatsApp": true, "Telegram": true, "Excel": true, "Word": true, "PowerPoint": true, "Outlook": true, "Office": true, "Bluetooth": true, "USB": true, "HDMI": true, "HTTP": true,
	"TLS": true, "Kotlin": true, "Swift": true, "Django": true, "React": true, "Angular": true, "Docker": true, "Kubernetes": true, "Postgres": true,
	"PostgreSQL": true, "MySQL": true, "WordPress": true, "Minecraft": true, "Photoshop": true, "DirectX": true, "OpenGL": true, "Wi-Fi": true,
}

// schemes are the words that an address may have before "://" and that nobody says.
var schemes = map[string]bool{"http": true, "https": true, "ftp": true, "HTTP": true, "HTTPS": true}

// domains are the top-level domains that mark an address without a scheme. Rarer ones
// would turn sentences without a space after the full stop into addresses.
var domains = func() map[string]bool {
	m := map[string]bool{}
	for d := range strings.FieldsSeq("com org net in co uk us io ai gov edu mil int info biz dev app me tv de fr es it pt nl ru " +
		"jp cn kr tw hk vn sg br mx au ca ch at be se no dk fi pl cz gr tr ir sa ae pk bd lk np eu asia online site xyz tech za ee is ua by bg mk rs hr si sk " +
		"hu ro id my ph kz az ge lt lv рф укр бел срб бг мкд " +
		"academy agency aero apps asia bank bio biz blog bot build business cab cafe care cash center chat city cloud club coach codes coffee company " +
		"computer coop design digital direct domains earth education email energy events expert express farm fashion fit fun fund fyi games gg global gold " +
		"group guide guru health help host hotel house inc int jobs land law lawyer legal life link live loan lol love ltd market marketing media mobi money " +
		"movie museum name network news ninja one page parts photo photos pizza plus press pro promo pub red rent report review reviews rocks run sale school " +
		"services sexy shop show site social software solutions space sport store studio style support systems team technology tips today tools top tours town " +
		"toys training travel university vip watch webcam website wiki win wine work works world wtf xxx yoga zone " +
		"ac ad af ag ai al aw bb bf bh bi bj bn bo bs bt bw bz cc cd cf cg ci ck cl cm cr cu cv cw cx cy dj dm dz ec et fj fk fm fo ga gd gf gh gi gl gm " +
		"gn gp gq gt gu gw gy hm hn ht im iq is je jm jo ke kg kh ki km kn kp kw ky lb lc lr ls lu ly mc md mh mk ml mm mn mo mp mq mr mt mu mv mw mz nc nf ng ni nz " +
		"om pa pe pf pg pm pn ps py qa re rw sb sc sd sl sm sn sr ss sv sx sy sz tc td tf tg tj tk tl tm tn tt tv tz ug uy uz va vc ve vg vu wf ws ye yt zm zw") {
		m[d] = true
	}
	return m
}()

// longest is the largest number of tokens of an address, so that the work stays linear.
const longest = 120

// Address reads an address of the web or an e-mail address. When there is none, it returns
// a note with the place of the next space. The tokens up to there are then not searched
// again.
func (er *Recognizer) Address(in *scan.View, i int) scan.Outcome {
	// A token within a chunk that was searched before cannot begin an address either.
	if i < in.Addressless || !in.Opens(i) || in.Token(i).Dense {
		return scan.Outcome{}
	}
	end := chunkEnd(in, i)
	if k := in.Kind(i + 1); k != 0 && k != scan.Space {
		if _, n := er.dotted.Match(in, i); n > 0 && i+n > end {
			return scan.Outcome{Note: &scan.Note{Kind: scan.NoteAddressless, At: end}} // m.in.
		}
		if w, n := er.electronic(in, i, end); n > 0 {
			return scan.Said(w, n)
		}
	}
	return scan.Outcome{Note: &scan.Note{Kind: scan.NoteAddressless, At: end}}
}

// chunkEnd returns the token after those from i on that may be part of an address,
// without punctuation at their end.
func chunkEnd(in *scan.View, i int) int {
	j := i
	for ; j < in.Len() && j-i < longest; j++ {
		in.Step()
		t := in.Token(j)
		if t.Kind == scan.Space || t.Dense || t.Kind == scan.Sign && (t.End-t.Start > 1 || !strings.ContainsRune("-._~:/?#@!&'*+,;=%\\", t.R)) {
			break
		}
	}
	// Signs at the end are punctuation of the sentence, except a slash.
	for j > i+1 && in.Kind(j-1) == scan.Sign && !in.Is(j-1, '/') {
		j--
	}
	return j
}

// electronic reads the address that the tokens from i to end are.
func (er *Recognizer) electronic(in *scan.View, i, end int) (string, int) {
	start := i
	switch {
	case in.Is(i+1, ':') && in.Is(i+2, '/') && in.Is(i+3, '/') && in.Kind(i) == scan.Word && in.Token(i).R < 0x80:
		start = i + 4
		if start >= end {
			return "", 0
		}
	case in.Is(i+1, ':') && in.Is(i+2, '\\') && in.Kind(i) == scan.Word && in.Token(i).End-in.Token(i).Start == 1:
		return er.all(in, i, i, end) // C:\Users
	case in.Is(i+1, ':') && (in.Text(i) == "mailto" || in.Text(i) == "tel") && i+2 < end:
		start = i + 2
	case !hosted(in, i, end) && !er.filed(in, i, end):
		return "", 0
	}
	// A slash at the end is taken but not spoken.
	if end-start > 2 && in.Is(end-1, '/') {
		w, n := er.all(in, i, start, end-1)
		if n == 0 {
			return "", 0
		}
		return w, n + 1
	}
	return er.all(in, i, start, end)
}

// all says the tokens from start to end, for those from i on. The scheme of the web is not
// said, any other is.
func (er *Recognizer) all(in *scan.View, i, start, end int) (string, int) {
	w, ok := er.sayAddress(in, start, end)
	if !ok {
		return "", 0
	}
	if start == i+4 && !schemes[in.Text(i)] {
		w = er.say.Join(in.Text(i), er.say.Signs.Name(':'), er.say.Signs.Name('/'), er.say.Signs.Name('/'), w)
	}
	return w, end - i
}

// hosted reports whether the tokens contain the name of a host: after an @, or with a
// known domain before the first slash.
func hosted(in *scan.View, i, end int) bool {
	at, dot, word, named := -1, -1, false, false
	web := in.Text(i) == "www" || in.Text(i) == "WWW"
	host := func(j int) bool {
		return (named || dot < 0) && j > dot+1 && (domain(in, dot, j) || web && dot > i+1 && dot+1 < j || dot < 0 && in.Text(i) == "localhost" && j == i+1)
	}
	for j := i; j < end; j++ {
		in.Step()
		if in.Kind(j) != scan.Sign {
			word = word || in.Kind(j) == scan.Word
			continue
		}
		switch in.Token(j).R {
		case '@':
			if at >= 0 || j == i {
				return false
			}
			at, dot = j, -1
		case '.':
			dot, named = j, word
		case '/', '?', '#':
			return host(j)
		case ':':
			if in.Kind(j+1) == scan.Digits {
				return host(j) // a port
			}
			return false
		case '-', '_', '+':
		case '%', '&', '=':
			if at < 0 {
				return false
			}
		default:
			return false
		}
	}
	// After an @, any word is a domain, and so is the one of a payment: name@okaxis.
	return host(end) || at > i && at+1 < end && in.Kind(end-1) != scan.Sign && in.Kind(at+1) != scan.Sign && (dot < 0 || dot+1 < end)
}

// domain reports whether a known domain or file extension stands between the dot and the
// token at end.
func domain(in *scan.View, dot, end int) bool {
	if dot <= 0 || dot+1 >= end || end-dot > 3 || in.Kind(dot-1) == scan.Sign {
		return false
	}
	w := in.Span(dot+1, end)
	if len(w) > 16 {
		return false
	}
	low := strings.ToLower(w)
	// A capital behind the dot begins a sentence: "done.In fact".
	if dot+2 != end || in.Kind(dot+1) != scan.Word || !domains[low] || low != w && !in.Token(dot+1).Upper {
		return files[low]
	}
	// One letter and a country are more often an abbreviation, but for a few short names: x.com.
	return dot > 1 && in.Kind(dot-2) != scan.Space && in.Kind(dot-2) != 0 || in.Token(dot-1).End-in.Token(dot-1).Start > 1 || short[w]
}

// short are the domains under which a name of one letter is known.
var short = scan.SetOf("com org net co me in io ly")

// filed reports whether the tokens are the path of a file: src/main.go.
func (er *Recognizer) filed(in *scan.View, i, end int) bool {
	slash, dot := false, -1
	for j := i; j < end; j++ {
		in.Step()
		if in.Kind(j) != scan.Sign {
			continue
		}
		switch in.Token(j).R {
		case '/', '\\':
			slash = true
		case '.':
			dot = j
		case '-', '_', '~':
		default:
			return false
		}
	}
	if !slash || dot <= i || dot+1 >= end {
		return false
	}
	w := strings.ToLower(in.Span(dot+1, end))
	return files[w] || w == "go" || w == "rs" || w == "c" || w == "h"
}

// sayAddress says the tokens of an address, with the names of its signs.
func (er *Recognizer) sayAddress(in *scan.View, i, end int) (string, bool) {
	parts := make([]string, 0, end-i)
	for j := i; j < end; j++ {
		in.Step()
		t := in.Text(j)
		switch in.Kind(j) {
		case scan.Word:
			if t == "www" || t == "WWW" {
				t = er.say.Letters(t)
			}
			// A file extension without a vowel, such as pdf, cannot be pronounced.
			if in.Is(j-1, '.') && j > end-3 && files[in.Span(j, end)] && !strings.ContainsAny(t, "aeiou") {
				t = er.say.Letters(t)
			}
			if in.Token(j).Upper && len(t) > 1 && len(t) < 6 && t[0] < 0x80 && !strings.ContainsAny(t, "AEIOUY") {
				t = er.say.Letters(t) // IMG_2034
			}
			parts = append(parts, scan.WithoutRaised(t))
		case scan.Digits:
			d := scan.Arabic(t)
			w, ok := "", false
			// Long numbers and leading zeros are said digit by digit.
			if len(d) > 2 || d[0] == '0' {
				w, ok = er.say.Digits(d)
			} else {
				w, ok = er.say.Int(scan.Atoi(d), "")
			}
			if !ok {
				return "", false
			}
			parts = append(parts, w)
		case scan.Sign:
			// A sign without a name is left out.
			if name := er.say.Signs.Name(in.Token(j).R); name != "" {
				parts = append(parts, name)
			}
		}
	}
	return er.say.Join(parts...), true
}
