package voice_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"vaak/internal/fault"
	"vaak/voice"
)

func directory(t *testing.T, n voice.Naming) *voice.Directory {
	t.Helper()
	d, err := voice.NewDirectory(n)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEveryNameOfTheRosterIsOneVoice(t *testing.T) {
	t.Parallel()
	var d *voice.Directory // as a configuration without one
	for _, v := range voice.All() {
		for _, name := range []string{string(v.ID), v.Name, strings.ToUpper(v.Name), strings.ToLower(v.Name)} {
			if got, ok := d.Lookup(name); !ok || got.ID != v.ID {
				t.Errorf("Lookup(%q) = %s, %t, want %s", name, got.ID, ok, v.ID)
			}
		}
	}
	if v, ok := d.Lookup(strings.ToUpper(string(voice.DefaultVoice().ID))); ok {
		t.Errorf("an id in capitals is %s; ids are exact", v.ID)
	}
}

// openAIVoices are those that openai-agents 0.24.0 and pipecat-ai 1.14.0 list.
var openAIVoices = strings.Fields("alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar")

// defaultIDs are what released clients send when nobody has chosen a voice.
var defaultIDs = map[string]string{
	"@ai-sdk/elevenlabs 2.0.58":               "21m00Tcm4TlvDq8ikWAM",
	"@livekit/agents-plugin-elevenlabs 1.9.0": "bIHbv24MWmeRgasZH58o",
	"livekit-plugins-elevenlabs 1.8.9":        "hpp4J3VqNfWAUOO0d1Us",
	"litellm 1.109.1, for alloy":              "21m00Tcm4TlvDq8ikWAM",
	"litellm 1.109.1, for lily":               "EXAVITQu4vr4xnSDxMaL",
	"litellm 1.109.1, for ash":                "AZnzlk1XvdvUeBnXmlld",
	"litellm 1.109.1, for verse":              "CYw3kZ02Hs0563khs1Fj",
	"elevenlabs 2.78.0, in its examples":      "JBFqnCBsd6RMkjVDRZzb",
}

func TestAliasesOfCommonClients(t *testing.T) {
	t.Parallel()
	var d *voice.Directory
	for _, name := range openAIVoices {
		for _, sent := range []string{name, strings.ToUpper(name[:1]) + name[1:]} {
			if _, err := d.Find("voice", sent); err != nil {
				t.Errorf("OpenAI's %s: %v", sent, err)
			}
		}
	}
	for client, id := range defaultIDs {
		if _, err := d.Find("voice_id", id); err != nil {
			t.Errorf("%s: %v", client, err)
		}
	}
}

func TestAliasesFit(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, v := range voice.All() {
		names[strings.ToLower(v.Name)] = true
	}
	for _, a := range voice.BuiltInAliases() {
		v, ok := voice.Lookup(a.Voice)
		switch {
		case !ok:
			t.Errorf("%s is %s, which is no voice", a.Name, a.Voice)
		case v.Native != "en":
			t.Errorf("%s is an English voice and %s is not", a.Name, v.Name)
		case a.Gender != voice.Neutral && a.Gender != v.Gender:
			t.Errorf("%s is %s and %s is %s", a.Name, a.Gender, v.Name, v.Gender)
		case a.Accent == "British" && v.Region != "GB" || a.Accent == "American" && v.Region != "US":
			t.Errorf("%s is %s and %s is %s", a.Name, a.Accent, v.Name, v.Accent)
		case names[strings.ToLower(a.Name)]:
			t.Errorf("%s is the name of a voice of the roster, too", a.Name)
		case a.Character == "":
			t.Errorf("%s has no character to be judged by", a.Name)
		}
	}
}

func TestOperatorsAliases(t *testing.T) {
	t.Parallel()
	tamil := voice.Default("ta")
	d := directory(t, voice.Naming{Aliases: map[string]voice.ID{"Alloy": tamil.ID, "nova": "", "front desk": tamil.ID}})
	for name, want := range map[string]voice.ID{
		"alloy": tamil.ID, "ALLOY": tamil.ID, "front desk": tamil.ID, "nova": "",
		"echo": mustFind(t, nil, "echo").ID, "Hannah": voice.DefaultVoice().ID,
	} {
		if v, _ := d.Lookup(name); v.ID != want {
			t.Errorf("Lookup(%q) = %q, want %q", name, v.ID, want)
		}
	}
	if got, want := d.Aliases(tamil.ID), []string{"Alloy", "front desk"}; !slices.Equal(got, want) {
		t.Errorf("aliases of %s are %q, want %q", tamil.Name, got, want)
	}
	none := directory(t, voice.Naming{NoBuiltIn: true, Aliases: map[string]voice.ID{"desk": tamil.ID}})
	for _, name := range append(openAIVoices, "21m00Tcm4TlvDq8ikWAM") {
		if v, ok := none.Lookup(name); ok {
			t.Errorf("%s is %s without the built-in aliases", name, v.Name)
		}
	}
	if v, _ := none.Lookup("desk"); v.ID != tamil.ID {
		t.Errorf("desk is %q, want %s", v.ID, tamil.ID)
	}
}

func mustFind(t *testing.T, d *voice.Directory, name string) voice.Voice {
	t.Helper()
	v, err := d.Find("voice", name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAliasesThatCannotBe(t *testing.T) {
	t.Parallel()
	id := voice.DefaultVoice().ID
	for name, aliases := range map[string]map[string]voice.ID{
		"of nobody":           {"x": "sv_none"},
		"an id":               {string(voice.Default("ta").ID): id},
		"empty":               {"": id},
		"space":               {" x": id},
		"control character":   {"x\ny": id},
		"long":                {strings.Repeat("x", 101): id},
		"not UTF-8":           {"\xff": id},
		"two that look alike": {"Desk": id, "desk": id},
	} {
		if _, err := voice.NewDirectory(voice.Naming{Aliases: aliases}); err == nil || !strings.Contains(err.Error(), "voice_aliases") {
			t.Errorf("%s: %v, want an error about voice_aliases", name, err)
		}
	}
}

func TestUnknownVoiceSaysNearNames(t *testing.T) {
	t.Parallel()
	var d *voice.Directory
	first := string(voice.DefaultVoice().ID)
	for sent, want := range map[string]string{
		"aloy": "near it are alloy;", "Hanna": "near it are Hannah;", "shimer": "shimmer",
		first[:len(first)-1] + "0": first, "21m00Tcm4TlvDq8ikWaM_": "21m00Tcm4TlvDq8ikWAM",
		"nobody at all": "GET /v1/voices", strings.Repeat("é", 5000): "GET /v1/voices", "": "GET /v1/voices", "\xff": "GET /v1/voices",
	} {
		_, err := d.Find("voice_id", sent)
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Kind != fault.NotFound || f.Code != fault.CodeVoiceNotFound || f.Field != "voice_id" ||
			!strings.Contains(f.Msg, want) || len(f.Msg) > 500 {
			t.Errorf("Find(%.40q) = %v, want voice_not_found with %q", sent, err, want)
		}
	}
	if _, err := d.Find("voice", "nobody at all"); strings.Contains(err.Error(), "near") {
		t.Errorf("%v: that is nothing near", err)
	}
}

// TestExtend adds voices to a directory in use.
func TestExtend(t *testing.T) {
	t.Parallel()
	roster := voice.All()
	added := []voice.Voice{
		{ID: "sv_aaaaaaaaaaaaaaaa", Name: "Amy (medium)", Gender: voice.Female, Native: "en", Region: "GB", Accent: "British English", Engine: "onnx", PreviewLanguage: "en"},
		{ID: "sv_bbbbbbbbbbbbbbbb", Name: roster[0].Name, Gender: voice.Male, Native: "hi", Accent: "Hindi", Engine: "onnx", PreviewLanguage: "hi"},
	}
	d, err := voice.NewDirectory(voice.Naming{Added: added[:1], Aliases: map[string]voice.ID{"amy": added[0].ID}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sv_aaaaaaaaaaaaaaaa", "amy", "AMY (MEDIUM)", "Amy"} {
		if v, ok := d.Lookup(name); !ok || v != added[0] {
			t.Errorf("Lookup(%q) = %v, %v", name, v.ID, ok)
		}
	}
	before := d.Stamp()
	d.Extend(added)
	if d.Stamp() == before {
		t.Error("the stamp is the same after the voices have changed")
	}
	if v, ok := d.Lookup(roster[0].Name); !ok || v.ID != roster[0].ID {
		t.Errorf("the name %q of a voice of the roster now means %s", roster[0].Name, v.ID)
	}
	if got := d.Select(voice.Query{Category: voice.Custom}); !slices.Equal(got, added) {
		t.Errorf("custom voices are %v", got)
	}
	if got := d.All(); len(got) != len(roster)+2 || d.Len() != len(got) || !slices.Equal(got[:len(roster)], roster) {
		t.Errorf("%d voices, want the roster and two", len(got))
	}
	if found := d.Search("amy british"); len(found) != 1 || found[0] != added[0] {
		t.Errorf("a search finds %v", found)
	}
	d.Extend(nil)
	if _, ok := d.Lookup("amy"); ok {
		t.Error("the alias of a removed voice still names it")
	}
	if _, ok := d.ByID(added[1].ID); ok || d.Len() != len(roster) {
		t.Error("a removed voice is still there")
	}
	if got := voice.Nearest(added[0]); got.Native != "en" || got.Gender != voice.Female || got.Region != "GB" {
		t.Errorf("nearest to %+v is %+v", added[0], got)
	}
}
