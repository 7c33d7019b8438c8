package main

import (
	"context"
	"database/sql"
	"path/filepath"
	"time"
)

// recorded is the record of a request.
type recorded struct {
	Route, Voice, Language, Code string
	Characters                   int64
	FirstAudio, Audio            time.Duration
	Status                       int
}

// records reads what the database of the data directory keeps of requests, in
// their order.
func (s *server) records() []recorded {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.dir, "vaak.db")+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(context.Background(), // also when the test is cleaned up
		"SELECT route, voice, language, code, characters, first_audio_us, audio_ms, status FROM requests ORDER BY seq")
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	var all []recorded
	for rows.Next() {
		var r recorded
		var us, ms int64
		if err := rows.Scan(&r.Route, &r.Voice, &r.Language, &r.Code, &r.Characters, &us, &ms, &r.Status); err != nil {
			s.t.Fatal(err)
		}
		r.FirstAudio, r.Audio = time.Duration(us)*time.Microsecond, time.Duration(ms)*time.Millisecond
		all = append(all, r)
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return all
}
