package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/voice"
)

// What the list of voices and the previews have to reach.
const (
	voicesShare  = 0.5                  // of the rate of a static handler with as many bytes
	previewLimit = 2 * time.Millisecond // 99th percentile of a preview that is kept, one client
	previewsTime = 60 * time.Second     // until all are kept
	previewsRoom = 20.0                 // megabytes of all of them
)

// voicesOf measures how soon a new server has all previews, and how fast it answers
// with them and with the list of voices.
func voicesOf(ctx context.Context, b *bench) ([]part, error) {
	dir, err := os.MkdirTemp(b.dir, "voices-")
	if err != nil {
		return nil, err
	}
	static, err := startStatic(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer static.stop()
	s, err := startVaak(ctx, b.options, dir, "--render-previews", "--public-rate", "0")
	if err != nil {
		return nil, err
	}
	defer s.stop()
	began := time.Now()
	size, err := previewsKept(ctx, filepath.Join(dir, "state", "previews"))
	if err != nil {
		return nil, err
	}
	took := time.Since(began).Round(10 * time.Millisecond)
	if err := s.waitIdle(); err != nil {
		return nil, err
	}
	lists, err := listsOfVoices(s)
	if err != nil {
		return nil, err
	}
	var previews looked
	for round := range b.plan.rounds + 1 {
		if round == 1 { // the first round warms up
			previews = looked{}
			for _, l := range lists {
				l.forget()
			}
		}
		for _, l := range lists {
			if err := l.round(s, static, b.plan.lookups, round); err != nil {
				return nil, err
			}
		}
		if err := previews.roundOf(1, s, anyPreview, b.plan.lookups/4, round); err != nil {
			return nil, err
		}
	}
	for _, l := range lists {
		atLeast(&b.report, "Rate of GET /v1/voices, "+l.name+", ÷ static", l.share(), voicesShare, ratio)
	}
	atMost(&b.report, "Preview that is kept, 99th percentile, one client", previews.took.p99(), previewLimit, millis)
	atMost(&b.report, "Time until all previews are kept", took, previewsTime, lasting)
	atMost(&b.report, "Size of all previews, MB", size, previewsRoom, ratio)
	abroad, err := accents(ctx, b)
	if err != nil {
		return nil, err
	}
	return append([]part{
		prose(fmt.Sprintf("`GET /v1/voices`, asked for by %d clients over kept-alive connections as fast as they are answered, on the cores of the server, "+
			"beside a handler of `net/http` that writes as many bytes (of nothing that is compressed or compared).", lookupClients)),
		listTable(lists),
		prose(fmt.Sprintf("A server that is new has all %d previews %.1f s after it is ready, %.1f MB together. From then on one takes %s (median) and %s (99th percentile), "+
			"for one client that asks for any of them, %s bytes on average.",
			len(voice.All()), took.Seconds(), size, millis(previews.took.p50()), millis(previews.took.p99()), characters(int(previews.mean())))),
	}, abroad...), nil
}

// startStatic starts the server of static bytes.
func startStatic(ctx context.Context, dir string) (*server, error) {
	m := newRecordMaker()
	lines := make([]catalogue.Brief, 1000) // more bytes than any list of voices
	for n := range lines {
		made := m.make(n)
		lines[n] = made.Dataset.Brief()
	}
	return startNaiveList(ctx, dir, lines)
}

// previewsKept waits until all previews are in a directory, and returns their size
// in megabytes.
func previewsKept(ctx context.Context, dir string) (float64, error) {
	deadline := time.Now().Add(4 * previewsTime)
	for time.Now().Before(deadline) && ctx.Err() == nil {
		files, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			return 0, err
		}
		count, size := 0, int64(0)
		for _, f := range files {
			if info, err := f.Info(); err == nil && strings.HasPrefix(f.Name(), "sv_") {
				count++
				size += info.Size()
			}
		}
		if count == len(voice.All()) {
			return float64(size) / 1e6, nil
		}
		nap(10 * time.Millisecond)
	}
	return 0, fmt.Errorf("not all previews are in %s after %v", dir, 4*previewsTime)
}

// anyPreview asks for the preview of any voice.
func anyPreview(r *rand.Rand) request {
	all := voice.All()
	return get("/v1/voices/" + string(all[r.IntN(len(all))].ID) + "/preview")
}

// voiceListing is one way to ask for the list of voices.
type voiceListing struct {
	name           string
	ask            request
	answer, static looked
}

// listsOfVoices returns the ways to ask.
func listsOfVoices(s *server) ([]*voiceListing, error) {
	r, err := http.NewRequest(http.MethodHead, "http://"+s.addr+"/v1/voices", nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept-Encoding", "gzip")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	const path, zipped = "/v1/voices", "Accept-Encoding: gzip\r\n"
	has := zipped + "If-None-Match: " + resp.Header.Get("ETag") + "\r\n"
	return []*voiceListing{
		{name: "plain", ask: get(path)},
		{name: "gzip", ask: request{path: path, header: zipped}},
		{name: "unchanged", ask: request{path: path, header: has}, answer: looked{empty: true}, static: looked{empty: true}},
	}, nil
}

func (l *voiceListing) forget() {
	l.answer, l.static = looked{empty: l.answer.empty}, looked{empty: l.static.empty}
}

// round asks both servers for answers of one length.
func (l *voiceListing) round(s, static *server, n, number int) error {
	if err := l.answer.round(s, func(*rand.Rand) request { return l.ask }, n, number); err != nil {
		return err
	}
	return l.static.round(static, bare(l.answer.mean()), n, number)
}

// share is the rate of the answers as a share of that of the static ones: the
// median of the rounds.
func (l *voiceListing) share() float64 {
	var shares []float64
	for i, rate := range l.answer.rates {
		shares = append(shares, rate/l.static.rates[i])
	}
	return median(shares)
}

func listTable(lists []*voiceListing) part {
	t := &table{header: []string{"answer", "requests a second", "median", "99th percentile", "processor, µs", "static, requests a second", "rate ÷ static", "bytes"}}
	for _, l := range lists {
		t.add(l.name, whole(median(l.answer.rates)), millis(l.answer.took.p50()), millis(l.answer.took.p99()), micros(median(l.answer.used)),
			whole(median(l.static.rates)), ratio(l.share()), fmt.Sprint(l.answer.mean()))
	}
	return t
}
