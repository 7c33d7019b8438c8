package riva

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"vaak/engine/remote/wire"
)

// Model is what a server tells of one of its models.
type Model struct {
	Name      string
	Languages []string // BCP 47, as the server writes them
	Voices    []string // as requests name them; none where the model takes a reference
	Rate      int      // of its samples, in Hz; 0 where the server does not say

	prefix string // what the names of its voices begin with
}

// has reports whether the model has a voice. Each has the voice "", which is the server's choice.
func (m Model) has(voice string) bool {
	return voice == "" || slices.Contains(m.Voices, voice) || m.prefix != "" && strings.HasPrefix(voice, m.prefix+".")
}

// Models asks for the server's models; with a model in the target, for that one. The error is as
// that of Speak; it is of the reason [wire.Broken] where the server cannot tell.
func (s *Server) Models(ctx context.Context) ([]Model, error) {
	models, _, err := s.ask(ctx)
	return models, err
}

func (s *Server) ask(ctx context.Context) ([]Model, codes.Code, error) {
	var r configResponse
	var code codes.Code
	err := s.call(ctx, false, func(call context.Context, l *link, p *progress) error {
		err := l.conn.Invoke(call, configure, &configRequest{model: s.target.Model}, &r, grpc.ForceCodecV2(codec{}))
		if code = status.Code(err); err != nil {
			return failure(ctx, err, p, "", false)
		}
		return nil
	})
	if err != nil {
		return nil, code, err
	}
	if r.bad != nil {
		return nil, codes.OK, &wire.Failure{Reason: wire.Broken, Detail: "the list of models is none", Err: r.bad}
	}
	models := make([]Model, len(r.models))
	for i, m := range r.models {
		models[i] = m.read()
	}
	return models, codes.OK, nil
}

// known returns the server's models, as they were told last; none where the server cannot tell.
func (s *Server) known(ctx context.Context) ([]Model, error) {
	if m := s.models.Load(); m != nil {
		return *m, nil
	}
	models, code, err := s.ask(ctx)
	switch {
	case code == codes.Unimplemented || code == codes.NotFound:
	case err != nil:
		return nil, err
	}
	s.models.Store(&models)
	return models, nil
}

// read reads the parameters that Riva gives a model: language_code "en-US" or "en-US,es-US",
// voice_name "English-US", subvoices "Female-1:0,Male-1:1", and sample_rate "44100".
func (m modelConfig) read() Model {
	p := m.parameters
	model := Model{Name: m.name, Languages: list(p["language_code"]), prefix: strings.TrimSpace(p["voice_name"])}
	if rate, err := strconv.Atoi(strings.TrimSpace(p["sample_rate"])); err == nil && rate >= 8000 && rate <= 192000 {
		model.Rate = rate
	}
	for _, sub := range list(p["subvoices"]) {
		name, _, _ := strings.Cut(sub, ":")
		if model.prefix != "" {
			name = model.prefix + "." + name
		}
		model.Voices = append(model.Voices, name)
	}
	if len(model.Voices) == 0 && model.prefix != "" {
		model.Voices = []string{model.prefix}
	}
	return model
}

func list(s string) []string {
	var all []string
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

// extra is what the settings add to each call.
type extra struct {
	dictionary    string
	configuration [][2]string
	quality       int
	metadata      []string // keys and values in turn
}

// readExtra reads the fields that [Kind] describes.
func readExtra(fields map[string]any) (extra, error) {
	var x extra
	for name, v := range fields {
		ok := false
		switch name {
		case "custom_dictionary":
			x.dictionary, ok = v.(string)
		case "quality":
			x.quality, ok = integer(v)
			ok = ok && x.quality >= 1 && x.quality <= 40
			if !ok {
				return extra{}, fmt.Errorf("quality is an integer of 1 to 40, not %v", v)
			}
		case "custom_configuration":
			table, isTable := v.(map[string]any)
			ok = isTable
			for _, key := range slices.Sorted(maps.Keys(table)) {
				switch table[key].(type) {
				case string, bool, int, int64, float64:
					x.configuration = append(x.configuration, [2]string{key, fmt.Sprint(table[key])})
				default:
					return extra{}, fmt.Errorf("custom_configuration.%s is a string, a number or a boolean, not %v", key, table[key])
				}
			}
		case "metadata":
			table, isTable := v.(map[string]any)
			ok = isTable
			for _, key := range slices.Sorted(maps.Keys(table)) {
				value, isString := table[key].(string)
				if !isString || !validKey(key) || !printable(value) {
					return extra{}, fmt.Errorf("metadata.%s is not a header that may be set: a name of a to z, 0 to 9, _, - and ., "+
						"none of gRPC or of the key, with a value of printable ASCII", key)
				}
				x.metadata = append(x.metadata, key, value)
			}
		default:
			return extra{}, fmt.Errorf("field %q is none of custom_configuration, custom_dictionary, metadata, quality", name)
		}
		if !ok {
			return extra{}, fmt.Errorf("field %q has a value of another type than the server takes", name)
		}
	}
	return x, nil
}

func integer(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case int64:
		return int(v), int64(int(v)) == v
	case float64: // of JSON
		return int(v), float64(int(v)) == v
	}
	return 0, false
}

func validKey(key string) bool {
	switch {
	case key == "", key == "authorization", key == "content-type", key == "te", key == "user-agent",
		strings.HasPrefix(key, "grpc-"), strings.HasSuffix(key, "-bin"):
		return false
	}
	return strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789_-.") == "" && len(key) <= 100
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return len(s) <= 4096
}
