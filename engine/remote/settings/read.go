package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"vaak/engine"
	"vaak/engine/remote/wire"
	"vaak/lang"
	"vaak/voice"
)

// Bounds of a file.
const (
	maxFile      = 1 << 20
	maxReference = 8 << 20
	maxName      = 64
	maxMembers   = 1000
	maxRungs     = 8

	leastWeight, mostWeight = 0.01, 100.0
)

// Defaults of a pool.
const (
	usualQueue      = 2 * time.Second
	usualFirstAudio = 10 * time.Second
	usualStall      = 5 * time.Second
	mostWait        = 5 * time.Minute
)

// file is a file as it is written.
type file struct {
	Pools  map[string]poolTable  `toml:"pools"`
	Voices map[string]voiceTable `toml:"voices"`
}

type poolTable struct {
	Kind          string            `toml:"kind"`
	Members       []memberTable     `toml:"members"`
	DNS           string            `toml:"dns"`
	Streams       int               `toml:"streams"`
	Model         string            `toml:"model"`
	Rate          int               `toml:"rate"`
	KeyFile       string            `toml:"key_file"`
	CAFile        string            `toml:"ca_file"`
	Normalize     bool              `toml:"normalize"`
	WordTimes     bool              `toml:"word_times"`
	Languages     []string          `toml:"languages"`
	LanguageNames map[string]string `toml:"language_names"`
	Extra         map[string]any    `toml:"extra"`
	Queue         *duration         `toml:"queue"`
	FirstAudio    *duration         `toml:"first_audio"`
	Stall         *duration         `toml:"stall"`
	Hedge         *duration         `toml:"hedge"`
}

type memberTable struct {
	URL     string  `toml:"url"`
	Weight  float64 `toml:"weight"`
	Streams int     `toml:"streams"`
}

type voiceTable struct {
	Name          string        `toml:"name"`
	ID            string        `toml:"id"`
	Gender        voice.Gender  `toml:"gender"`
	Native        string        `toml:"native"`
	Languages     []string      `toml:"languages"`
	Accent        string        `toml:"accent"`
	Description   string        `toml:"description"`
	License       string        `toml:"license"`
	Pool          string        `toml:"pool"`
	Voice         string        `toml:"voice"`
	ReferenceFile string        `toml:"reference_file"`
	ReferenceText string        `toml:"reference_text"`
	Sampling      samplingTable `toml:"sampling"`
	Fallback      []rungTable   `toml:"fallback"`
}

type rungTable struct {
	Pool          string        `toml:"pool"`
	Voice         string        `toml:"voice"`
	ReferenceFile string        `toml:"reference_file"`
	ReferenceText string        `toml:"reference_text"`
	Sampling      samplingTable `toml:"sampling"`
	ID            voice.ID      `toml:"id"`
}

// samplingTable has the names of [engine.Usual].
type samplingTable map[string]float64

// duration is written as "1.5s".
type duration time.Duration

func (d *duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("%.40q is no time; write it as \"1.5s\" or \"200ms\"", b)
	}
	*d = duration(v)
	return nil
}

// Read reads the file at path, whose pools are of some of these kinds. Relative paths in it begin
// at its directory. The error names everything that is wrong.
func Read(path string, kinds []wire.Kind) (Settings, error) {
	b, err := readFile(path, maxFile)
	if err != nil {
		return Settings{}, fmt.Errorf("read the pools: %w", err)
	}
	var f file
	meta, err := toml.NewDecoder(bytes.NewReader(b)).Decode(&f)
	if err != nil {
		return Settings{}, fmt.Errorf("read %s: %w", path, err)
	}
	r := reader{dir: filepath.Dir(path), kinds: kinds}
	for _, key := range meta.Undecoded() {
		if !inExtra(key) {
			r.fault("unknown setting %s", key)
		}
	}
	s := r.settings(f)
	if len(r.faults) > 0 {
		return Settings{}, fmt.Errorf("%s: %w", path, errors.Join(r.faults...))
	}
	return s, nil
}

// inExtra reports whether a key is below the extra fields of a pool, which have any names.
func inExtra(key toml.Key) bool { return len(key) > 2 && key[0] == "pools" && key[2] == "extra" }

func readFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s is over %d bytes", path, most)
	}
	return b, err
}

// reader checks a file and gathers its faults.
type reader struct {
	dir    string
	kinds  []wire.Kind
	faults []error
	pools  map[string]Pool
}

func (r *reader) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf(format, args...))
}

func (r *reader) settings(f file) Settings {
	var s Settings
	r.pools = map[string]Pool{}
	for _, name := range slices.Sorted(maps.Keys(f.Pools)) {
		p := r.pool(name, f.Pools[name])
		r.pools[name] = p
		s.Pools = append(s.Pools, p)
	}
	ids := map[voice.ID]string{}
	for _, key := range slices.Sorted(maps.Keys(f.Voices)) {
		v := r.voice(key, f.Voices[key])
		if other, twice := ids[v.ID]; twice {
			r.fault("voices %s and %s have the same id %s", other, key, v.ID)
		}
		ids[v.ID] = key
		s.Voices = append(s.Voices, v)
	}
	// A voice of another engine, and not one of this file, which would lead back here.
	for _, v := range s.Voices {
		for _, rung := range v.Rungs {
			if key := ids[rung.Voice]; rung.Voice != "" && key != "" {
				r.fault("voices.%s: fallback %s is the voice %s of this file; name its pool and its voice there instead", v.Key, rung.Voice, key)
			}
		}
	}
	return s
}

// usualName is what a name in the file may be: it stands in headers, metrics and logs.
var usualName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

func (r *reader) checkName(what, name string) {
	if len(name) > maxName || !usualName.MatchString(name) {
		r.fault("%s.%.80s: a name has 1 to %d small letters, digits, points, hyphens and underscores, and begins with a letter or digit", what, name, maxName)
	}
}

func (r *reader) pool(name string, t poolTable) Pool {
	r.checkName("pools", name)
	at := "pools." + name
	p := Pool{Name: name, Times: t.WordTimes, CA: r.path(t.CAFile),
		Target: wire.Target{Model: t.Model, Rate: t.Rate, Normalize: t.Normalize, Extra: t.Extra}}
	if i := slices.IndexFunc(r.kinds, func(k wire.Kind) bool { return k.Name == t.Kind }); i >= 0 {
		p.Kind = r.kinds[i]
	} else {
		r.fault("%s: kind %q is none of %s", at, t.Kind, r.kindNames())
	}
	if t.Rate != 0 && (t.Rate < 8000 || t.Rate > 48000) {
		r.fault("%s: rate %d is outside 8000 to 48000", at, t.Rate)
	}
	if t.WordTimes && p.Kind.Name != "" && !p.Kind.Times {
		r.fault("%s: word_times: servers of kind %s do not tell when words begin; leave it out to have the times estimated", at, t.Kind)
	}
	p.Members = r.members(at, t)
	p.Target.Key = r.key(at, t.KeyFile)
	r.checkKind(at, p)
	p.Languages = r.languages(at+": languages", t.Languages)
	for name, word := range t.LanguageNames {
		if p.Target.Languages == nil {
			p.Target.Languages = map[lang.Code]string{}
		}
		if name == "" { // all others
			p.Target.Languages[""] = word
			continue
		}
		for _, code := range r.languages(at+": language_names", []string{name}) {
			p.Target.Languages[code] = word
		}
	}
	p.Queue = r.wait(at, "queue", t.Queue, usualQueue, 0)
	p.FirstAudio = r.wait(at, "first_audio", t.FirstAudio, usualFirstAudio, time.Millisecond)
	p.Stall = r.wait(at, "stall", t.Stall, usualStall, time.Millisecond)
	p.Hedge = r.wait(at, "hedge", t.Hedge, 0, 0)
	return p
}

// checkKind refuses what servers of the kind cannot be asked.
func (r *reader) checkKind(at string, p Pool) {
	if p.Kind.Dial == nil || len(p.Members) == 0 {
		return
	}
	t := p.Target
	t.URL = p.Members[0].URL
	server, err := p.Kind.Dial(t) // asks the server nothing
	if err != nil {
		r.fault("%s: %w", at, err)
		return
	}
	server.Close()
}

func (r *reader) kindNames() string {
	var names []string
	for _, k := range r.kinds {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

func (r *reader) wait(at, name string, d *duration, usual, least time.Duration) time.Duration {
	if d == nil {
		return usual
	}
	if v := time.Duration(*d); v < least || v > mostWait {
		r.fault("%s: %s %s is outside %s to %s", at, name, v, least, mostWait)
	}
	return time.Duration(*d)
}

func (r *reader) members(at string, t poolTable) []Member {
	var all []Member
	for _, m := range t.Members {
		all = append(all, Member{URL: m.URL, Weight: cmp.Or(m.Weight, 1), Streams: cmp.Or(m.Streams, t.Streams)})
	}
	if t.DNS != "" {
		all = append(all, Member{URL: t.DNS, Each: true, Weight: 1, Streams: t.Streams})
	}
	if len(all) == 0 {
		r.fault("%s has no members; give members = [{ url = \"http://10.0.0.5:8000\" }], or dns = \"http://speech.internal:8000\", whose addresses are all members", at)
	}
	if len(all) > maxMembers {
		r.fault("%s has %d members; %d are the most", at, len(all), maxMembers)
	}
	seen := map[string]bool{}
	for i, m := range all {
		m.URL = strings.TrimSuffix(m.URL, "/")
		all[i].URL = m.URL
		if err := checkURL(m.URL); err != nil {
			r.fault("%s: %w", at, err)
		}
		if seen[m.URL] {
			r.fault("%s: member %s is there twice", at, m.URL)
		}
		seen[m.URL] = true
		if !(m.Weight >= leastWeight && m.Weight <= mostWeight) {
			r.fault("%s: member %s: weight %g is outside %g to %g", at, m.URL, m.Weight, leastWeight, mostWeight)
		}
		if m.Streams < 0 {
			r.fault("%s: member %s: streams %d is under 0; 0 is no limit", at, m.URL, m.Streams)
		}
	}
	return all
}

var schemes = []string{"http", "https", "grpc", "grpcs"}

func checkURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme):
		return fmt.Errorf("%.100q is no address of a server; write it as https://10.0.0.5:8000, or with %s", s, strings.Join(schemes[2:], " or "))
	case u.User != nil:
		return fmt.Errorf("the address of %s has a password; put the key into a file and name it with key_file", u.Host)
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("the address %.100q has a query; it may have a path", s)
	case strings.HasPrefix(u.Scheme, "grpc") && u.Port() == "":
		return fmt.Errorf("the address %.100q has no port", s)
	}
	return nil
}

// path returns a path of the file as the process can open it.
func (r *reader) path(p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(r.dir, p)
}

// key reads a file that holds a key.
func (r *reader) key(at, path string) string {
	if path == "" {
		return ""
	}
	const maxKey = 8 << 10
	b, err := readFile(r.path(path), maxKey)
	key := strings.TrimSpace(string(b))
	switch {
	case err != nil:
		r.fault("%s: key_file: %w", at, err)
	case key == "" || strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }):
		r.fault("%s: key_file: %s holds no key, which is one line of visible ASCII", at, path)
	}
	return key
}

func (r *reader) languages(at string, names []string) []lang.Code {
	var codes []lang.Code
	for _, name := range names {
		tag, ok := lang.Find(name)
		switch {
		case !ok:
			r.fault("%s: %.40q is not a supported language; %s", at, name, lang.Instead(name))
		case tag.IsZero():
			r.fault("%s: %.40q names no language", at, name)
		case !slices.Contains(codes, tag.Code):
			codes = append(codes, tag.Code)
		}
	}
	return codes
}

func (r *reader) voice(key string, t voiceTable) Voice {
	r.checkName("voices", key)
	at := "voices." + key
	native, ok := lang.Find(cmp.Or(t.Native, "en"))
	if !ok || native.IsZero() {
		r.fault("%s: native %.40q is not a supported language; %s", at, t.Native, lang.Instead(t.Native))
	}
	v := Voice{Key: key, Languages: []lang.Code{native.Code}}
	v.Voice = voice.Voice{
		ID: voice.ID(cmp.Or(t.ID, string(voice.IDOf("remote/"+key)))), Name: cmp.Or(t.Name, key), Gender: cmp.Or(t.Gender, voice.Neutral),
		Native: native.Code, Region: native.Region, Accent: cmp.Or(t.Accent, voice.AccentOf(native.Code, native.Region)),
		QualityBand: voice.Standard, NativeSource: true, PreviewLanguage: native.Code, Engine: EngineName, License: t.License,
	}
	v.Description = cmp.Or(t.Description, fmt.Sprintf("A voice of a model server whose native language is %s.", v.Accent))
	r.checkVoice(at, v.Voice)
	for _, code := range r.languages(at+": languages", t.Languages) {
		if code != native.Code {
			v.Languages = append(v.Languages, code)
		}
	}
	v.Rungs = []Rung{r.rung(at, rungTable{Pool: t.Pool, Voice: t.Voice, ReferenceFile: t.ReferenceFile, ReferenceText: t.ReferenceText, Sampling: t.Sampling})}
	if t.Pool == "" {
		r.fault("%s names no pool", at)
	}
	if len(t.Fallback) >= maxRungs {
		r.fault("%s has %d fallbacks; %d are the most", at, len(t.Fallback), maxRungs-1)
	}
	for i, f := range t.Fallback {
		if (f.Pool == "") == (f.ID == "") {
			r.fault("%s: fallback %d names a pool and a voice there, or the id of another voice", at, i+1)
		}
		v.Rungs = append(v.Rungs, r.rung(fmt.Sprintf("%s: fallback %d", at, i+1), f))
	}
	r.checkLanguages(at, v)
	return v
}

// EngineName is the name of the engine of these voices.
const EngineName = "remote"

var usualID = regexp.MustCompile(`^sv_[a-z2-7]{16}$`)

func (r *reader) checkVoice(at string, v voice.Voice) {
	if !usualID.MatchString(string(v.ID)) {
		r.fault("%s: id %.40q is none; an id is sv_ and 16 letters a to z or digits 2 to 7. Leave it out to have one made", at, v.ID)
	}
	if !slices.Contains([]voice.Gender{voice.Female, voice.Male, voice.Neutral}, v.Gender) {
		r.fault("%s: gender %.40q is none of female, male, neutral", at, v.Gender)
	}
	for name, s := range map[string]string{"name": v.Name, "accent": v.Accent, "description": v.Description, "license": v.License} {
		const most = 500
		if len(s) > most || strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			r.fault("%s: %s has up to %d bytes without control characters", at, name, most)
		}
	}
}

// checkLanguages refuses a voice with languages that nobody speaks for it.
func (r *reader) checkLanguages(at string, v Voice) {
	first, ok := r.pools[v.Rungs[0].Pool]
	if !ok || len(first.Languages) == 0 {
		return
	}
	for _, code := range v.Languages {
		if !slices.Contains(first.Languages, code) {
			r.fault("%s speaks %s, which pool %s does not", at, code, first.Name)
		}
	}
}

func (r *reader) rung(at string, t rungTable) Rung {
	g := Rung{Pool: t.Pool, Name: t.Voice, Voice: t.ID}
	if t.Pool == "" {
		if t.ID != "" && !usualID.MatchString(string(t.ID)) {
			r.fault("%s: id %.40q is no id of a voice", at, t.ID)
		}
		return g
	}
	p, ok := r.pools[t.Pool]
	if !ok {
		r.fault("%s: there is no pool %.80q", at, t.Pool)
		return g
	}
	g.Sampling = r.sampling(at, t.Sampling, p.Kind)
	g.Reference = r.reference(at, t, p.Kind)
	return g
}

func (r *reader) sampling(at string, t samplingTable, k wire.Kind) engine.Sampling {
	var s engine.Sampling
	to := map[string]**float64{
		"temperature": &s.Temperature, "top_p": &s.TopP, "top_k": &s.TopK, "min_p": &s.MinP,
		"repetition_penalty": &s.RepetitionPenalty, "presence_penalty": &s.PresencePenalty,
	}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		value := t[name]
		i := slices.IndexFunc(k.Parameters, func(p engine.Parameter) bool { return p.Name == name })
		if i < 0 {
			r.fault("%s: sampling: servers of kind %s do not take %.40q; they take %s", at, k.Name, name, parameterNames(k))
			continue
		}
		if p := k.Parameters[i]; !(value >= p.Min && value <= p.Max) {
			r.fault("%s: sampling: %s %g is outside %g to %g", at, name, value, p.Min, p.Max)
		} else if name == "seed" {
			s.Seed = new(int64(value))
		} else {
			*to[name] = &value
		}
	}
	return s
}

func parameterNames(k wire.Kind) string {
	if len(k.Parameters) == 0 {
		return "none"
	}
	var names []string
	for _, p := range k.Parameters {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

func (r *reader) reference(at string, t rungTable, k wire.Kind) *wire.Reference {
	if t.ReferenceFile == "" {
		if t.ReferenceText != "" {
			r.fault("%s: reference_text without reference_file", at)
		}
		return nil
	}
	if !k.Reference {
		r.fault("%s: servers of kind %s take no recording to speak like", at, k.Name)
		return nil
	}
	b, err := readFile(r.path(t.ReferenceFile), maxReference)
	switch {
	case err != nil:
		r.fault("%s: reference_file: %w", at, err)
	case !bytes.HasPrefix(b, []byte("RIFF")):
		r.fault("%s: reference_file: %s is no WAV file", at, t.ReferenceFile)
	}
	return &wire.Reference{Audio: b, Text: t.ReferenceText}
}
