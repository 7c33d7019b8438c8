package kokoro

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/internal/fault"
	"vaak/voice"
)

// style returns a style in which the first number of row i is base+i/1000.
func style(base float32, rows int) []byte {
	var b []byte
	for i := range rows * Columns {
		f := float32(0)
		if i%Columns == 0 {
			f = base + float32(i/Columns)/1000
		}
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// npy returns an array in the npy format.
func npy(version byte, descr, order, shape string, numbers []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, shape)
	header += strings.Repeat(" ", 63-(len(header)+10)%64) + "\n"
	b := []byte("\x93NUMPY" + string(rune(version)) + "\x00")
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), numbers...)
}

// usual returns an array as numpy writes it.
func usual(numbers []byte) []byte {
	return npy(1, "<f4", "False", fmt.Sprintf("%d, 1, 256", len(numbers)/rowSize), numbers)
}

type member struct {
	name string
	data []byte
}

// archive returns an npz file.
func archive(t testing.TB, method uint16, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, err := z.CreateHeader(&zip.FileHeader{Name: m.name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadVoices(t *testing.T) {
	t.Parallel()
	one, two := style(1, 510), style(2, 510)
	for _, tt := range []struct {
		name, file string
		data       []byte
		names      []string
		want       []string
		rows       int
	}{
		{"npz", "voices-v1.0.bin", archive(t, zip.Store, member{"af_heart.npy", usual(one)}, member{"bm_george.npy", usual(two)}), nil, []string{"af_heart", "bm_george"}, 510},
		{"compressed npz", "v.npz", archive(t, zip.Deflate, member{"af.npy", usual(one)}, member{"bm.npy", npy(2, "<f4", "False", "510, 256", two)}), nil, []string{"af", "bm"}, 510},
		{"version 3", "v.npz", archive(t, zip.Deflate, member{"af.npy", npy(3, "<f4", "False", "511,1,256,", style(1, 511))}), nil, []string{"af"}, 511},
		{"one voice", "voices/af_heart.bin", one, nil, []string{"af_heart"}, 510},
		{"one voice of Windows", `C:\voices\af_heart.bin`, one, nil, []string{"af_heart"}, 510},
		{"several voices", "voices.bin", slices.Concat(one, two), []string{"af", "bm"}, []string{"af", "bm"}, 510},
	} {
		all, err := ReadVoices(tt.file, tt.data, tt.names)
		if err != nil || len(all) != len(tt.want) {
			t.Errorf("%s: %d voices, %v", tt.name, len(all), err)
			continue
		}
		for i, v := range all {
			base := float32(i + 1)
			if v.Name != tt.want[i] || v.Rows() != tt.rows || len(v.Row(5)) != Columns || v.Row(1)[0] != base || v.Row(100)[0] != base+0.099 ||
				v.Row(0)[0] != base || v.Row(9999)[0] != base+float32(tt.rows-1)/1000 {
				t.Errorf("%s: voice %d is %s with %d rows, %v %v", tt.name, i, v.Name, v.Rows(), v.Row(1)[0], v.Row(100)[0])
			}
		}
	}
}

func TestReadVoicesRefuses(t *testing.T) {
	t.Parallel()
	good := style(1, 2)
	nan := slices.Clone(good)
	binary.LittleEndian.PutUint32(nan, math.Float32bits(float32(math.NaN())))
	npz := func(name string, data []byte) []byte { return archive(t, zip.Deflate, member{name, data}) }
	many := make([]member, maxVoices+1)
	for i := range many {
		many[i] = member{fmt.Sprintf("v%d.npy", i), nil}
	}
	lying := npz("af.npy", make([]byte, maxRows*rowSize+maxHeader+1))
	// Both records of the archive say that the file is small.
	size := binary.LittleEndian.AppendUint32(nil, uint32(maxRows*rowSize+maxHeader+1))
	lying = bytes.ReplaceAll(lying, size, []byte{16, 0, 0, 0})
	for _, tt := range []struct {
		name  string
		data  []byte
		names []string
		say   string
	}{
		{"empty", nil, nil, "it has 0 bytes"},
		{"part of a row", good[:rowSize+4], nil, "rows of 1024 bytes"},
		{"too many rows", style(0, maxRows+1), nil, "1 to 1024 rows"},
		{"uneven voices", style(0, 3), []string{"a", "b"}, "of which there are 2"},
		{"names twice", style(0, 2), []string{"a", "a"}, `two are "a"`},
		{"a path", style(0, 1), []string{"../a"}, `"../a"`},
		{"too many names", good, make([]string, maxVoices+1), "1025"},
		{"no number", nan, []string{"a"}, "NaN"},
		{"no archive", []byte("PK\x03\x04 and no more"), nil, "cannot be read"},
		{"empty archive", archive(t, zip.Store), nil, "it has 0"},
		{"too many voices", archive(t, zip.Store, many...), nil, "it has 1025"},
		{"zip bomb", npz("af.npy", make([]byte, 4<<20)), nil, "at most"},
		{"zip bomb that lies", lying, nil, "cannot be read"},
		{"other file", npz("af.txt", usual(good)), nil, "NAME.npy"},
		{"path in archive", npz("../af.npy", usual(good)), nil, `"../af"`},
		{"no npy", npz("af.npy", []byte("hello, I am no array")), nil, "npy format"},
		{"pickle", npz("af.npy", npy(1, "|O", "False", "2, 1, 256", good)), nil, "<f4"},
		{"float64", npz("af.npy", npy(1, "<f8", "False", "2, 1, 256", good)), nil, "<f8"},
		{"columns first", npz("af.npy", npy(1, "<f4", "True", "2, 1, 256", good)), nil, "fortran_order True"},
		{"huge", npz("af.npy", npy(1, "<f4", "False", "9999999999, 1, 256", good)), nil, "(9999999999, 1, 256)"},
		{"overflow", npz("af.npy", npy(1, "<f4", "False", "99999999999999999999, 1, 256", good)), nil, "shape"},
		{"other columns", npz("af.npy", npy(1, "<f4", "False", "2, 1, 128", good)), nil, "(2, 1, 128)"},
		{"no rows", npz("af.npy", npy(1, "<f4", "False", "0, 1, 256", nil)), nil, "(0, 1, 256)"},
		{"too short", npz("af.npy", npy(1, "<f4", "False", "2, 1, 256", good[:100])), nil, "it has 100"},
		{"no header", npz("af.npy", []byte("\x93NUMPY\x01\x00\xff\xff{}")), nil, "header"},
		{"long header", npz("af.npy", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{}")), nil, "4294967295"},
		{"no shape", npz("af.npy", []byte("\x93NUMPY\x01\x00\x02\x00{}")), nil, "descr"},
		{"twice", archive(t, zip.Store, member{"a.npy", usual(good)}, member{"a.npy", usual(good)}), nil, "its own name"},
	} {
		all, err := ReadVoices("voice.bin", tt.data, tt.names)
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.Invalid || !strings.Contains(f.Msg, tt.say) || len(f.Msg) > 300 {
			t.Errorf("%s: %d voices, error %v, want one that says %q", tt.name, len(all), err, tt.say)
		}
	}
}

func FuzzReadVoices(f *testing.F) {
	good := style(1, 2)
	f.Add(good, "")
	f.Add(slices.Concat(good, good), "a,b")
	f.Add(archive(f, zip.Store, member{"af.npy", usual(good)}), "")
	f.Add(archive(f, zip.Deflate, member{"af.npy", npy(2, "<f4", "False", "2, 256", good)}), "")
	f.Fuzz(func(t *testing.T, data []byte, list string) {
		all, err := ReadVoices("x.bin", data, clean(strings.FieldsFunc(list, func(r rune) bool { return r == ',' })))
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("error %v", err)
			}
			return
		}
		for _, v := range all {
			if v.Rows() < 1 || v.Rows() > maxRows || len(v.Row(v.Rows())) != Columns {
				t.Errorf("%s has %d rows", v.Name, v.Rows())
			}
		}
	})
}

// FuzzNPY reads arrays without an archive around them, which fuzzing would only break.
func FuzzNPY(f *testing.F) {
	good := style(1, 1)
	f.Add(usual(good))
	f.Add(npy(3, "<f4", "False", "1,1,256,", good))
	f.Add(npy(2, "<f4", "False", "-1, 256", good))
	f.Fuzz(func(t *testing.T, data []byte) {
		if numbers, err := npyNumbers("a.npy", data); err == nil && (len(numbers)%rowSize != 0 || len(numbers) == 0) {
			t.Errorf("%d bytes", len(numbers))
		}
	})
}

func TestVocabulary(t *testing.T) {
	t.Parallel()
	v := Standard()
	if len(v) != 114 || v[" "] != 16 || v["a"] != 43 || v["ɡ"] != 92 || v["ˈ"] != 156 || v["ᵻ"] != 177 || v["\u0303"] != 17 || v["ɔ"] != 76 || v["z"] != 68 || v["æ"] != 72 {
		t.Errorf("%d symbols: %v", len(v), v)
	}
	object, err := json.Marshal(map[string]any{"n_token": 178, "vocab": v, "istftnet": map[string]any{"a": []int{1}}})
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := json.Marshal(map[string]any{"version": "1.0", "model": map[string]any{"vocab": v}, "normalizer": map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for s, id := range v {
		fmt.Fprintf(&lines, "%s %d\n", s, id)
	}
	for name, data := range map[string]string{"config.json": string(object), "tokenizer.json": string(tokenizer), "tokens.txt": lines.String(), "of Windows": strings.ReplaceAll(lines.String(), "\n", "\r\n")} {
		got, err := ParseVocabulary([]byte(data))
		if d := cmp.Diff(v, got); err != nil || d != "" {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
	for name, tt := range map[string]struct{ data, say string }{
		"empty":         {"", "it has 0"},
		"no vocab":      {"{}", "it has 0"},
		"a list":        {`{"vocab":[1]}`, "JSON object"},
		"ids of text":   {`{"vocab":{"a":"b"}}`, "JSON object"},
		"negative":      {`{"vocab":{"a":-1}}`, "-1"},
		"a part":        {`{"vocab":{"a":1.5}}`, "1.5"},
		"outside":       {`{"n_token":10,"vocab":{"a":10}}`, "0 to 9"},
		"long symbol":   {`{"vocab":{"` + strings.Repeat("a", 17) + `":1}}`, "has 17"},
		"no id":         {"a", `"a"`},
		"only a number": {" 16", `" 16"`},
		"no number":     {"a b\n", "is b"},
		"not UTF-8":     {"\xff 1", "UTF-8"},
		"large":         {strings.Repeat(" ", maxVocabulary+1), "at most"},
		"many":          {strings.Repeat("a", 8000), `"aaaa`},
	} {
		_, err := ParseVocabulary([]byte(tt.data))
		if f, ok := errors.AsType[*fault.Error](err); !ok || !strings.Contains(f.Msg, tt.say) || len(f.Msg) > 300 {
			t.Errorf("%s: error %v, want one that says %q", name, err, tt.say)
		}
	}
}

func FuzzParseVocabulary(f *testing.F) {
	f.Add([]byte(`{"vocab":{"a":1},"n_token":5}`))
	f.Add([]byte(`{"model":{"vocab":{"$":0}}}`))
	f.Add([]byte("; 1\n  16\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseVocabulary(data)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("error %v", err)
			}
			return
		}
		for s, id := range v {
			if s == "" || len(s) > maxSymbol || id < 0 || id >= maxTokens {
				t.Errorf("%q is %d", s, id)
			}
		}
		NewEncoder(v, "en", "US")
	})
}

func TestParseSpeaker(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Speaker{
		"af_heart":     {"en", "US", voice.Female, "Heart"},
		"bm_george":    {"en", "GB", voice.Male, "George"},
		"ef_dora":      {"es", "ES", voice.Female, "Dora"},
		"ff_siwis":     {"fr", "FR", voice.Female, "Siwis"},
		"hm_omega":     {"hi", "IN", voice.Male, "Omega"},
		"im_nicola":    {"it", "IT", voice.Male, "Nicola"},
		"jf_alpha":     {"ja", "JP", voice.Female, "Alpha"},
		"pm_alex":      {"pt", "BR", voice.Male, "Alex"},
		"zf_xiaobei":   {"zh", "CN", voice.Female, "Xiaobei"},
		"zm_010":       {"zh", "CN", voice.Male, "010"},
		"jf_gongi_tsu": {"ja", "JP", voice.Female, "Gongi Tsu"},
		"af":           {"en", "US", voice.Female, "af"},
		"af_":          {}, "ax_y": {}, "xf_y": {}, "": {}, "heart": {}, "a_f": {},
	} {
		if got, ok := ParseSpeaker(name); got != want || ok != (want.Language != "") {
			t.Errorf("ParseSpeaker(%q) = %+v, %v, want %+v", name, got, ok, want)
		}
	}
}

func TestSpeakerNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		metadata map[string]string
		want     []string
	}{
		{map[string]string{"speaker_names": "af,af_bella, am_adam"}, []string{"af", "af_bella", "am_adam"}},
		{map[string]string{"id2speaker": "0->af_alloy,1->af_aoede"}, []string{"af_alloy", "af_aoede"}},
		{map[string]string{"id2speaker": "1->af_alloy"}, nil},
		{map[string]string{"speaker_names": strings.Repeat("a,", 2000)}, nil},
		{nil, nil},
	} {
		if got := SpeakerNames(tt.metadata); !slices.Equal(got, tt.want) {
			t.Errorf("SpeakerNames(%v) = %q, want %q", tt.metadata, got, tt.want)
		}
	}
}
