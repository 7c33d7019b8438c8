package doctor

import (
	"regexp"
	"testing"

	"vaak/internal/checkup"
	"vaak/store"
)

func TestServerFinding(t *testing.T) {
	t.Parallel()
	good := store.ServerInspection{Version: "17.2", Number: 170002, Encoding: "UTF8", Schema: 3, Known: 3, Connections: 100}
	for _, tt := range []struct {
		name   string
		change func(*store.ServerInspection)
		want   checkup.State
		found  string
	}{
		{"good", func(*store.ServerInspection) {}, checkup.OK, "PostgreSQL 17.2, version 3"},
		{"older schema", func(i *store.ServerInspection) { i.Known = 5 }, checkup.OK, "brings it to 5"},
		{"standby", func(i *store.ServerInspection) { i.Standby = true }, checkup.Failure, "standby"},
		{"encoding", func(i *store.ServerInspection) { i.Encoding = "LATIN1" }, checkup.Failure, "LATIN1"},
		{"old", func(i *store.ServerInspection) { i.Number = 130005 }, checkup.Warning, "not maintained"},
		{"clock", func(i *store.ServerInspection) { i.Ahead = -5e9 }, checkup.Warning, "5s apart"},
		{"slow and right", func(i *store.ServerInspection) { i.Ahead, i.Trip = 15e8, 2e9 }, checkup.OK, ""},
		{"connections", func(i *store.ServerInspection) { i.Connections = 20 }, checkup.Warning, "20 connections"},
		{"lacking", func(i *store.ServerInspection) { i.Lacking = []string{"CREATE in schema public"} }, checkup.Failure, "lacks CREATE"},
	} {
		i := good
		tt.change(&i)
		if f := serverFinding(i); f.State != tt.want || !regexp.MustCompile(tt.found).MatchString(f.Found) {
			t.Errorf("%s: %+v, want %s that matches %q", tt.name, f, tt.want, tt.found)
		}
	}
}
