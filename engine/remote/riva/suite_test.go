package riva

import (
	"strings"
	"testing"

	"vaak/engine/remote/remotetest"
	"vaak/engine/remote/wire"
	"vaak/engine/remote/wire/wiretest"
	"vaak/lang"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	kind := Kind
	kind.Dial = func(target wire.Target) (wire.Server, error) {
		target.URL = strings.Replace(target.URL, "http", "grpc", 1) // as remotetest writes it
		// With both, no model is asked for: the suite counts requests.
		target.Rate, target.Languages = Kind.Rate, map[lang.Code]string{"en": "en-US"}
		return Kind.Dial(target)
	}
	wiretest.Run(t, wiretest.Suite{Kind: kind, Events: true, Unrated: true, Options: func(o *remotetest.Options) { o.Rate = Kind.Rate }})
}
