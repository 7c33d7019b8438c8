package kokoro

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vaak/engine/onnx/symbols"
	"vaak/internal/fault"
)

// Vocabulary has the id of each symbol.
type Vocabulary map[string]int64

// Limits of a vocabulary. The published ones have 114 to 178 symbols.
const (
	maxVocabulary = 4 << 20 // bytes; tokenizer.json holds more than the vocabulary
	maxTokens     = 4096
	maxSymbol     = 16 // bytes
)

// standard is the vocabulary of Kokoro-82M v1.0 (config.json of hexgrad/Kokoro-82M): symbols,
// and before each run of them the id of the first.
var standard = []struct {
	first   int64
	symbols string
}{
	{1, ";:,.!?"}, {9, "—…\"()“” \u0303ʣʥʦʨᵝꭧAI"}, {31, "O"}, {33, "Q"}, {35, "ST"}, {39, "W"}, {41, "Yᵊabcdef"}, {50, "hijklmnopqrstuvwxyzɑɐɒæ"},
	{75, "βɔɕç"}, {80, "ɖðʤə"}, {85, "ɚɛɜ"}, {90, "ɟ"}, {92, "ɡ"}, {99, "ɥ"}, {101, "ɨɪʝ"}, {110, "ɯɰŋɳɲɴø"}, {118, "ɸθœ"},
	{123, "ɹ"}, {125, "ɾɻ"}, {128, "ʁɽʂʃʈʧ"}, {135, "ʊʋ"}, {138, "ʌɣɤ"}, {142, "χʎ"}, {147, "ʒʔ"}, {156, "ˈˌː"}, {162, "ʰ"}, {164, "ʲ"},
	{169, "↓"}, {171, "→↗↘"}, {177, "ᵻ"},
}

// Standard returns the vocabulary of Kokoro-82M v1.0, for models that come without one. The
// map belongs to the caller.
func Standard() Vocabulary {
	v := Vocabulary{}
	for _, run := range standard {
		id := run.first
		for _, r := range run.symbols {
			v[string(r)] = id
			id++
		}
	}
	return v
}

// ParseVocabulary reads a vocabulary from config.json of a model or its metadata kokoro_config
// (the key vocab), from tokenizer.json (model.vocab), or from tokens.txt (a symbol and its id in
// each line). The error is of kind Invalid.
func ParseVocabulary(data []byte) (Vocabulary, error) {
	if len(data) > maxVocabulary {
		return nil, fault.BadParameter("vocab", "a vocabulary may have at most %d bytes; it has %d", maxVocabulary, len(data))
	}
	if !utf8.Valid(data) {
		return nil, fault.BadParameter("vocab", "a vocabulary must be in UTF-8; it has bytes that are not")
	}
	numbers := map[string]json.Number{}
	most := int64(maxTokens)
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' {
		var file struct {
			Vocab  map[string]json.Number `json:"vocab"`
			Tokens *int64                 `json:"n_token"`
			Model  struct {
				Vocab map[string]json.Number `json:"vocab"`
			} `json:"model"`
		}
		if err := json.Unmarshal(trimmed, &file); err != nil {
			return nil, fault.BadParameter("vocab", "the vocabulary must be a JSON object vocab that has a number for each symbol; it is not")
		}
		numbers = file.Vocab
		if numbers == nil {
			numbers = file.Model.Vocab
		}
		if file.Tokens != nil && *file.Tokens > 0 && *file.Tokens < most {
			most = *file.Tokens
		}
	} else {
		for line := range strings.Lines(string(data)) {
			line = strings.TrimRight(line, "\r\n")
			// The symbol may be a space itself.
			i := strings.LastIndexAny(line, " \t")
			if i < 1 {
				if line == "" {
					continue
				}
				return nil, fault.BadParameter("vocab", "each line of tokens.txt must have a symbol and its id; one is %q", symbols.Shown(line))
			}
			if numbers[line[:i]] = json.Number(line[i+1:]); len(numbers) > maxTokens {
				break
			}
		}
	}
	if len(numbers) == 0 || len(numbers) > maxTokens {
		return nil, fault.BadParameter("vocab", "a vocabulary must have 1 to %d symbols; it has %d", maxTokens, len(numbers))
	}
	v := make(Vocabulary, len(numbers))
	for _, symbol := range slices.Sorted(maps.Keys(numbers)) {
		id, err := strconv.ParseInt(numbers[symbol].String(), 10, 64)
		switch {
		case symbol == "" || len(symbol) > maxSymbol:
			return nil, fault.BadParameter("vocab", "the symbols of a vocabulary must have 1 to %d bytes; one has %d", maxSymbol, len(symbol))
		case err != nil || id < 0 || id >= most:
			return nil, fault.BadParameter("vocab", "the ids of a vocabulary must be whole numbers from 0 to %d; that of %q is %s", most-1, symbols.Shown(symbol), symbols.Shown(numbers[symbol].String()))
		}
		v[symbol] = id
	}
	return v, nil
}
