package models

import (
	"net/http"

	"vaak/lang"
	"vaak/rest/frame"
	"vaak/voice"
)

// languageRecord is a language of the API.
type languageRecord struct {
	LanguageID string  `json:"language_id" doc:"ISO 639-1, or ISO 639-3 where there is no shorter code." example:"hi"`
	Name       string  `json:"name" doc:"In English." example:"Hindi"`
	NativeName string  `json:"native_name" doc:"In the language itself." example:"हिन्दी"`
	ISO6391    *string `json:"iso639_1" nullable:"true" example:"hi"`
	ISO6393    string  `json:"iso639_3" example:"hin"`
	BCP47      string  `json:"bcp47" doc:"The default tag." example:"hi-IN"`
	Script     string  `json:"script" doc:"ISO 15924, of the usual script." example:"Deva"`
	Direction  string  `json:"direction" enum:"ltr,rtl" example:"ltr"`
	Voices     int     `json:"voices" minimum:"0" doc:"How many voices have it as their native language. Every premade voice speaks every language."`
}

type languageList struct {
	Languages []languageRecord `json:"languages" nullable:"false"`
	Count     int              `json:"count" example:"80"`
}

func languageDocument(voices *voice.Directory, offered lang.Prior) (frame.Document, error) {
	natives := map[lang.Code]int{}
	for _, v := range voices.All() {
		natives[v.Native]++
	}
	list := languageList{Languages: []languageRecord{}}
	for _, l := range offered.Languages() {
		record := languageRecord{
			LanguageID: string(l.Code),
			Name:       l.Name,
			NativeName: l.Native,
			ISO6393:    l.ISO6393,
			BCP47:      l.BCP47,
			Direction:  l.Direction,
			Voices:     natives[l.Code],
		}
		if l.ISO6391 != "" {
			record.ISO6391 = &l.ISO6391
		}
		if len(l.Scripts) > 0 {
			record.Script = l.Scripts[0]
		}
		list.Languages = append(list.Languages, record)
	}
	list.Count = len(list.Languages)
	return frame.Render(list)
}

func (a *api) listLanguages(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	d, err := a.languages.Get()
	if err != nil {
		return err
	}
	d.Serve(w, r)
	return nil
}
