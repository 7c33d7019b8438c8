package cataloguetest

import (
	"io"
	"reflect"
	"strings"
	"time"

	"vaak/catalogue"
)

// Dataset returns a record with the required fields only.
func Dataset(slug string) catalogue.Dataset {
	return catalogue.Dataset{
		Slug: slug, Title: "Title of " + slug, Description: "What it is.", Version: "1.0.0",
		Language: catalogue.Language{Name: "Hindi", ISO6393: "hin", BCP47: "hi-IN"},
		BCP47:    "hi-IN", OtherLanguages: []string{}, Hours: 1.5, Recordings: 3,
	}
}

// File returns a file with a given text.
func File(name, contentType, text string) catalogue.DraftFile {
	return catalogue.DraftFile{Name: name, ContentType: contentType, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
}

// Full returns a record without gaps.
func Full(slug string) catalogue.Dataset {
	d := Dataset(slug)
	fill(reflect.ValueOf(&d).Elem())
	d.Channels, d.Collection = new(catalogue.Dual), new(catalogue.CallCentre)
	d.HasSample, d.Transcribed = true, true
	d.Sample.URL = "sample/sample.wav"
	d.ID, d.Status, d.DatePublished, d.Gaps = "", "", nil, nil
	return d
}

// fill sets everything in v that is nil, empty or 0.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		fill(v.Elem())
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		fill(v.Index(0))
	case reflect.Map:
		if v.Len() == 0 {
			v.Set(reflect.MakeMap(v.Type()))
			value := reflect.New(v.Type().Elem()).Elem()
			fill(value)
			v.SetMapIndex(reflect.ValueOf("x"), value)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.String:
		if v.Len() == 0 {
			v.SetString("text")
		}
	case reflect.Int, reflect.Int64:
		if v.Int() == 0 {
			v.SetInt(2)
		}
	case reflect.Float64:
		if v.Float() == 0 {
			v.SetFloat(0.5)
		}
	}
}
