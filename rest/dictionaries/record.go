package dictionaries

import (
	"vaak/dictionary"
	"vaak/dictionary/lexicon"
)

// DictionaryRecord is a pronunciation dictionary without its rules. Its name is
// exported because only then huma describes it where it is embedded.
type DictionaryRecord struct {
	ID            string  `json:"id" doc:"Names it in requests to speak." example:"2f0c51a6-6f0e-4d5e-9b1c-7a3f2f9d8e10"`
	LatestVersion string  `json:"latest_version_id" doc:"The version that is used unless another is asked for." example:"9b0a7c1e-52d7-4c0b-8a54-1f4f0c6b2d33"`
	LatestRules   int     `json:"latest_version_rules_num" doc:"How many rules that has." example:"2"`
	Name          string  `json:"name" example:"Product names"`
	CreatedBy     string  `json:"created_by" doc:"The id of the key that made it; console where a person did, in the console." example:"key_a1b2c3"`
	CreatedAt     int64   `json:"creation_time_unix" doc:"In Unix seconds." example:"1767225600"`
	ArchivedAt    *int64  `json:"archived_time_unix" nullable:"true" doc:"Always null: nothing is archived."`
	Description   *string `json:"description" nullable:"true" example:"How we say what we sell"`
	Permission    string  `json:"permission_on_resource" enum:"admin" doc:"Every key of the organisation may do everything."`
}

// DictionaryList is the answer of GET /v1/pronunciation-dictionaries.
type DictionaryList struct {
	Dictionaries []DictionaryRecord `json:"pronunciation_dictionaries" nullable:"false"`
	NextCursor   *string            `json:"next_cursor" nullable:"true" doc:"Asks for the page that follows; null on the last."`
	HasMore      bool               `json:"has_more" doc:"Whether there is another page."`
}

// DictionaryWithRules is a dictionary with the rules of one version.
type DictionaryWithRules struct {
	DictionaryRecord
	Version string               `json:"version_id,omitempty" doc:"The version whose rules these are, where one was asked for; otherwise they are of the latest."`
	Count   *int                 `json:"version_rules_num,omitempty" doc:"How many rules that has, likewise."`
	Rules   []lexicon.RuleRecord `json:"rules" nullable:"false" doc:"In the order in which they were sent."`
}

// CreatedDictionary is the answer to a dictionary that was made.
type CreatedDictionary struct {
	ID          string  `json:"id" doc:"Names it in requests to speak." example:"2f0c51a6-6f0e-4d5e-9b1c-7a3f2f9d8e10"`
	Name        string  `json:"name" example:"Product names"`
	CreatedBy   string  `json:"created_by" doc:"The id of the key that made it; console where a person did, in the console." example:"key_a1b2c3"`
	CreatedAt   int64   `json:"creation_time_unix" doc:"In Unix seconds." example:"1767225600"`
	Version     string  `json:"version_id" doc:"Of the first version." example:"9b0a7c1e-52d7-4c0b-8a54-1f4f0c6b2d33"`
	Rules       int     `json:"version_rules_num" doc:"How many rules it has." example:"2"`
	Description *string `json:"description" nullable:"true" example:"How we say what we sell"`
	Permission  string  `json:"permission_on_resource" enum:"admin"`
}

// EditedDictionary is the answer to a dictionary that was edited.
type EditedDictionary struct {
	ID      string `json:"id" doc:"Of the dictionary." example:"2f0c51a6-6f0e-4d5e-9b1c-7a3f2f9d8e10"`
	Version string `json:"version_id" doc:"Of the version that the edit made." example:"c4d2a7f8-0b65-4e1d-8c55-6d0a3b1e9f42"`
	Rules   int    `json:"version_rules_num" doc:"How many rules that has." example:"3"`
}

// dictionaryVersions is the answer of GET .../versions.
type dictionaryVersions struct {
	Versions []versionRecord `json:"versions" nullable:"false" doc:"Those that are kept, the latest first."`
}

// versionRecord is one state of a dictionary's rules.
type versionRecord struct {
	ID        string `json:"version_id" example:"c4d2a7f8-0b65-4e1d-8c55-6d0a3b1e9f42"`
	Number    int    `json:"number" minimum:"1" doc:"1 is the first." example:"2"`
	Rules     int    `json:"version_rules_num" doc:"How many rules it has." example:"3"`
	CreatedAt int64  `json:"creation_time_unix" doc:"In Unix seconds." example:"1767225600"`
}

// ours is the permission that every caller has on the dictionaries of its organisation.
const ours = "admin"

func dictionaryRecordOf(d dictionary.Dictionary) DictionaryRecord {
	return DictionaryRecord{
		ID: d.ID, LatestVersion: d.Latest.ID, LatestRules: d.Latest.Rules, Name: d.Name, CreatedBy: d.CreatedBy,
		CreatedAt: d.CreatedAt.Unix(), Description: orAbsent(d.Description), Permission: ours,
	}
}

// orAbsent returns nil for "".
func orAbsent(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func dictionaryListOf(page dictionary.Page) DictionaryList {
	list := DictionaryList{Dictionaries: []DictionaryRecord{}, NextCursor: orAbsent(page.Next), HasMore: page.Next != ""}
	for _, d := range page.Dictionaries {
		list.Dictionaries = append(list.Dictionaries, dictionaryRecordOf(d))
	}
	return list
}

func createdDictionaryOf(d dictionary.Dictionary) CreatedDictionary {
	return CreatedDictionary{
		ID: d.ID, Name: d.Name, CreatedBy: d.CreatedBy, CreatedAt: d.CreatedAt.Unix(), Version: d.Latest.ID,
		Rules: d.Latest.Rules, Description: orAbsent(d.Description), Permission: ours,
	}
}

func versionRecordsOf(versions []dictionary.Version) dictionaryVersions {
	all := dictionaryVersions{Versions: []versionRecord{}}
	for _, v := range versions {
		all.Versions = append(all.Versions, versionRecord{v.ID, v.Number, v.Rules, v.CreatedAt.Unix()})
	}
	return all
}
