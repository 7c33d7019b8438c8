package dictionaries

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"vaak/dictionary/lexicon"
	"vaak/edge"
	"vaak/rest/frame"
)

// downloadDictionary serves GET /v1/pronunciation-dictionaries/{id}/{version}/download.
func (a *api) downloadDictionary(w http.ResponseWriter, r *http.Request, in *versionInput) error {
	org := frame.Caller(r).OrgID
	v, rules, err := a.Dictionaries.Version(r.Context(), org, in.ID, in.Version)
	if err != nil {
		return failed(r.Context(), err)
	}
	text, err := lexicon.WritePLS(rules)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/pls+xml")
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-v%d.pls"`, strings.ToLower(in.ID), v.Number)) // the id is a UUID
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(http.StatusOK)
	if _, err := w.Write(text); err != nil {
		edge.Note(r.Context(), frame.ClientGone(err))
	}
	return nil
}
