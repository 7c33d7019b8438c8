package speech

import (
	"math"
	"net/http"

	"vaak/internal/document"
	"vaak/rest/frame"
	"vaak/speech"
)

// ReadingRecord is the answer of POST /v1/audio/speech/preview-text.
type ReadingRecord struct {
	Language         string      `json:"language" doc:"The language of the request, asked for or detected." example:"hi"`
	Runs             []runRecord `json:"runs" nullable:"false" doc:"The stretches of one language, in order."`
	SpokenText       string      `json:"spoken_text" doc:"The whole text as it would be read, numbers and signs in words."`
	Characters       int         `json:"characters" doc:"What speaking the text would be charged."`
	EstimatedSeconds float64     `json:"estimated_seconds" doc:"About how long the audio would be."`
	DictionaryHits   int         `json:"dictionary_hits" doc:"How many times a rule of a pronunciation dictionary applied."`
	Notices          []string    `json:"notices,omitempty" nullable:"false" doc:"What is not done as it was asked."`
}

// runRecord is a part of the text in one language.
type runRecord struct {
	Language string `json:"language" doc:"The language in which its letters are read." example:"hi"`
	Text     string `json:"text" doc:"As it was written."`
	Spoken   string `json:"spoken" doc:"As it would be read."`
	Start    int    `json:"start" doc:"Where it begins in the input, in code points."`
	End      int    `json:"end" doc:"Where it ends there."`
}

// previewText serves POST /v1/audio/speech/preview-text.
func (a *api) previewText(w http.ResponseWriter, r *http.Request, in *speechInput) error {
	var body speechRequest
	ignored, err := speechBinder.BindNoting(document.Of(in.RawBody), &body)
	frame.NoteIgnored(w.Header(), ignored...)
	if err != nil {
		return err
	}
	req, _, err := body.request()
	if err != nil {
		return err
	}
	if req.Dictionaries, err = a.dictionaries(r, body.Dictionary, body.Locators); err != nil {
		return err
	}
	reading, err := a.Speech.Read(r.Context(), req)
	if err != nil {
		return err
	}
	frame.NoteIgnored(w.Header(), reading.Unused...)
	return frame.AnswerJSON(w, r, readingOf(reading))
}

func readingOf(reading speech.Reading) ReadingRecord {
	record := ReadingRecord{
		Language: string(reading.Language), Runs: []runRecord{}, SpokenText: reading.Spoken(),
		Characters: reading.Characters, Notices: reading.Notices,
		DictionaryHits:   reading.Respelled,
		EstimatedSeconds: math.Round(reading.Estimated.Seconds()*10) / 10,
	}
	for _, run := range reading.Runs {
		record.Runs = append(record.Runs, runRecord{
			Language: string(run.Language), Text: run.Written, Spoken: run.Spoken, Start: run.Start, End: run.End,
		})
	}
	return record
}
