package piper

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vaak/engine/onnx/symbols"
	"vaak/internal/fault"
	"vaak/lang"
)

// The kinds of phonemes of which a voice can be made.
const (
	Espeak = "espeak" // IPA as espeak-ng writes it
	Text   = "text"   // the characters of the text in NFD
)

// Limits of a configuration. The largest published voice has 904 speakers and 256 symbols.
const (
	maxConfig   = 4 << 20
	maxSpeakers = 4096
	maxSymbols  = 4096
	maxIDs      = 8 // of a symbol
	maxClusters = 1024
	maxName     = 128 // bytes of a name or a symbol
)

// Config is the configuration of a voice, as the file NAME.onnx.json has it.
type Config struct {
	SampleRate int    // Hz
	Hop        int    // samples in a frame
	Quality    string // x_low, low, medium or high; "" if not told
	// Language and Region are what the voice speaks, such as "pt" and "PT"; Region may be "".
	Language lang.Code
	Region   string
	// Reader is the region whose voice of the embedded library reads the text as the voice
	// has learned it.
	Reader      string
	Phonemes    string // Espeak or Text
	NoiseScale  float64
	LengthScale float64
	NoiseW      float64
	Symbols     int // ids are below this number; if the file does not tell, the largest id and 1
	// Speakers has every speaker by id. There is one without a name in a voice that does not
	// name any.
	Speakers []string
	Default  int                 // the speaker to use if none is asked for
	IDs      map[string][]int64  // of each symbol
	Replaced map[string][]string // symbols that are replaced by others before they get ids
	Clusters [][]string          // symbols that are one symbol where they stand together
	Dataset  string
	Version  string // of the program that made the voice
}

// The symbols that frame the others, by their names in the map of ids.
const (
	pad   = "_"
	begin = "^"
	end   = "$"
	space = " "
)

// Parse reads and checks a configuration. The error is of kind Invalid and names the key.
func Parse(data []byte) (*Config, error) {
	if len(data) > maxConfig {
		return nil, fault.BadParameter("", "the configuration may have at most %d bytes; it has %d", maxConfig, len(data))
	}
	if !utf8.Valid(data) {
		return nil, fault.BadParameter("", "the configuration must be JSON in UTF-8; it has bytes that are not")
	}
	r := reader{}
	root := r.root(data)
	c := &Config{}

	audio := root.object("audio", true)
	c.SampleRate = audio.integer("sample_rate", 8000, 48000, 0)
	// A published voice has 22,500; scripts/piper/add_meta_data.py of sherpa-onnx corrects it too.
	if c.SampleRate == 22500 {
		c.SampleRate = 22050
	}
	c.Quality = audio.text("quality")
	c.Hop = root.integer("hop_length", 16, 4096, 256)

	inference := root.object("inference", false)
	c.NoiseScale = inference.number("noise_scale", 0, 10, 0.667)
	c.LengthScale = inference.number("length_scale", 0.1, 10, 1)
	c.NoiseW = inference.number("noise_w", 0, 10, 0.8)

	if c.Phonemes = root.text("phoneme_type"); c.Phonemes == "" {
		c.Phonemes = Espeak
	}
	if c.Phonemes != Espeak && c.Phonemes != Text {
		r.fail("phoneme_type", "phoneme_type must be espeak or text, which this server can make from a text; it is %q", symbols.Shown(c.Phonemes))
	}
	c.Dataset, c.Version = root.text("dataset"), root.text("piper_version")

	c.symbols(&r, root)
	c.speakers(&r, root)
	c.language(&r, root)
	if r.err != nil {
		return nil, r.err
	}
	return c, nil
}

// symbols reads the keys about symbols.
func (c *Config) symbols(r *reader, root object) {
	c.Symbols = root.integer("num_symbols", 1, maxSymbols, maxSymbols)
	largest := 0
	ids := root.object("phoneme_id_map", true)
	if len(ids.members) > maxSymbols {
		r.fail("phoneme_id_map", "phoneme_id_map may have at most %d symbols; it has %d", maxSymbols, len(ids.members))
		return
	}
	c.IDs = make(map[string][]int64, len(ids.members))
	for _, symbol := range ids.names() {
		key := "phoneme_id_map." + symbols.Shown(symbol)
		var list []json.Number
		if symbol == "" || len(symbol) > maxName {
			r.fail("phoneme_id_map", "the symbols of phoneme_id_map must have 1 to %d bytes; one has %d", maxName, len(symbol))
			return
		}
		// Old voices have a number instead of a list of one.
		if raw := ids.members[symbol]; len(raw) > 0 && raw[0] != '[' {
			list = []json.Number{json.Number(raw)}
		} else if !decode(raw, &list) {
			r.fail(key, "%s must be a list of ids; it is %s", key, symbols.Shown(string(raw)))
			return
		}
		if len(list) < 1 || len(list) > maxIDs {
			r.fail(key, "%s must have 1 to %d ids; it has %d", key, maxIDs, len(list))
			return
		}
		for _, n := range list {
			id, err := strconv.ParseInt(n.String(), 10, 64)
			if err != nil || id < 0 || id >= int64(c.Symbols) {
				r.fail(key, "the ids of %s must be whole numbers from 0 to %d; one is %s", key, c.Symbols-1, symbols.Shown(n.String()))
				return
			}
			c.IDs[symbol] = append(c.IDs[symbol], id)
			largest = max(largest, int(id))
		}
	}
	for _, symbol := range []string{pad, begin, end} {
		if ids.there && c.IDs[symbol] == nil {
			r.fail("phoneme_id_map", "phoneme_id_map must have the symbols %s, %s and %s, which frame a sentence; it has no %s", pad, begin, end, symbol)
			return
		}
	}
	if _, _, told := root.member("num_symbols"); !told {
		c.Symbols = largest + 1
	}
	replaced := root.object("phoneme_map", false)
	if len(replaced.members) > maxSymbols {
		r.fail("phoneme_map", "phoneme_map may have at most %d symbols; it has %d", maxSymbols, len(replaced.members))
		return
	}
	c.Replaced = map[string][]string{}
	for _, symbol := range replaced.names() {
		var list []string
		if !decode(replaced.members[symbol], &list) || len(list) > maxIDs || symbol == "" || len(symbol) > maxName {
			key := "phoneme_map." + symbols.Shown(symbol)
			r.fail(key, "%s must be a list of at most %d symbols; it is %s", key, maxIDs, symbols.Shown(string(replaced.members[symbol])))
			return
		}
		c.Replaced[symbol] = list
	}
	if raw, ok := root.members["vowel_clusters"]; ok && string(raw) != "null" && string(raw) != "{}" {
		if !decode(raw, &c.Clusters) || len(c.Clusters) > maxClusters {
			r.fail("vowel_clusters", "vowel_clusters must be a list of at most %d lists of symbols; it is %s", maxClusters, symbols.Shown(string(raw)))
			return
		}
		for _, cluster := range c.Clusters {
			if len(cluster) < 2 || len(cluster) > maxIDs {
				r.fail("vowel_clusters", "each list of vowel_clusters must have 2 to %d symbols; one has %d", maxIDs, len(cluster))
				return
			}
		}
		// The longest one that fits is taken.
		slices.SortStableFunc(c.Clusters, func(a, b []string) int { return cmp.Compare(len(b), len(a)) })
	}
}

// speakers reads the keys about speakers.
func (c *Config) speakers(r *reader, root object) {
	n := root.integer("num_speakers", 1, maxSpeakers, 1)
	names := root.object("speaker_id_map", false)
	if r.err != nil {
		return
	}
	c.Speakers = make([]string, n)
	for _, name := range names.names() {
		raw := string(names.members[name])
		id, err := strconv.Atoi(raw)
		switch key := "speaker_id_map." + symbols.Shown(name); {
		case err != nil || id < 0 || id >= n:
			r.fail(key, "%s must be a whole number from 0 to %d, because num_speakers is %d; it is %s", key, n-1, n, symbols.Shown(raw))
			return
		case !isName(name):
			r.fail("speaker_id_map", "the names of speaker_id_map must have 1 to %d bytes and no control characters; one is %q", maxName, symbols.Shown(name))
			return
		case c.Speakers[id] != "":
			r.fail(key, "%s must be an id that no other speaker has; %d is that of %q", key, id, symbols.Shown(c.Speakers[id]))
			return
		}
		c.Speakers[id] = name
	}
	for id, name := range c.Speakers {
		if name == "" && n > 1 {
			c.Speakers[id] = strconv.Itoa(id)
		}
	}
	c.Default = root.integer("default_speaker_id", 0, n-1, 0)
}

// language reads the keys about the language. A voice that takes text needs no reader, so the
// language itself counts there.
func (c *Config) language(r *reader, root object) {
	espeak := root.object("espeak", c.Phonemes == Espeak)
	told := root.object("language", false)
	name := espeak.text("voice")
	if espeak.there && name == "" && c.Phonemes == Espeak {
		r.fail("espeak.voice", "espeak.voice must name the voice of espeak-ng that reads the text; it is missing")
	}
	if name == "" {
		if name = told.text("code"); name == "" {
			name = told.text("family")
		}
	}
	region := told.text("region")
	if r.err != nil {
		return
	}
	v, err := readBy(name)
	if err != nil {
		r.err = err
		return
	}
	c.Language, c.Region, c.Reader = v.code, v.region, v.region
	if regionCode.MatchString(region) {
		c.Region = region
	}
}

// isName reports whether a name can be shown.
func isName(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError })
}

// reader keeps the first error.
type reader struct{ err error }

func (r *reader) fail(key, format string, args ...any) {
	if r.err == nil {
		r.err = fault.BadParameter(key, format, args...)
	}
}

// object is a part of the configuration.
type object struct {
	r       *reader
	path    string
	there   bool
	members map[string]json.RawMessage
}

func (r *reader) root(data []byte) object {
	o := object{r: r, there: true}
	if !decode(data, &o.members) || o.members == nil {
		r.fail("", "the configuration must be a JSON object; it is not")
	}
	return o
}

// decode reads one JSON value, and nothing behind it.
func decode(data []byte, to any) bool { return json.Unmarshal(bytes.TrimSpace(data), to) == nil }

// names returns the names of the members, sorted, so that the first error is always the same.
func (o object) names() []string {
	all := make([]string, 0, len(o.members))
	for name := range o.members {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// member returns a member. ok is false if it is missing or null.
func (o object) member(key string) (path string, raw json.RawMessage, ok bool) {
	path = key
	if o.path != "" {
		path = o.path + "." + key
	}
	raw = o.members[key]
	return path, raw, raw != nil && string(raw) != "null"
}

func (o object) object(key string, required bool) object {
	path, raw, ok := o.member(key)
	p := object{r: o.r, path: path, there: ok}
	switch {
	case !ok && required:
		o.r.fail(path, "%s must be a JSON object; it is missing", path)
	case ok && !decode(raw, &p.members):
		o.r.fail(path, "%s must be a JSON object; it is %s", path, symbols.Shown(string(raw)))
	}
	return p
}

func (o object) text(key string) (s string) {
	path, raw, ok := o.member(key)
	if ok && (!decode(raw, &s) || len(s) > maxName || s != "" && !isName(s)) {
		o.r.fail(path, "%s must be a text of at most %d bytes without control characters; it is %s", path, maxName, symbols.Shown(string(raw)))
		return ""
	}
	return s
}

// integer returns a whole number, or usual if it is missing. There is no usual value if usual
// is below least.
func (o object) integer(key string, least, most, usual int) int {
	path, raw, ok := o.member(key)
	if !ok {
		if usual < least {
			o.r.fail(path, "%s must be a whole number from %d to %d; it is missing", path, least, most)
		}
		return usual
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n != math.Trunc(n) || n < float64(least) || n > float64(most) {
		o.r.fail(path, "%s must be a whole number from %d to %d; it is %s", path, least, most, symbols.Shown(string(raw)))
		return least
	}
	return int(n)
}

func (o object) number(key string, least, most, usual float64) float64 {
	path, raw, ok := o.member(key)
	if !ok {
		return usual
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || !(n >= least && n <= most) {
		o.r.fail(path, "%s must be a number from %s to %s; it is %s", path, decimal(least), decimal(most), symbols.Shown(string(raw)))
		return least
	}
	return n
}

func decimal(f float64) string { return fmt.Sprintf("%g", f) }
