package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"vaak/account"
	"vaak/audio"
	"vaak/catalogue"
	"vaak/catalogue/demo"
	"vaak/catalogue/ingest"
	"vaak/catalogue/measure"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/speech/align"
	"vaak/voice"
)

type demoCommand struct {
	catalogueFlags
	engineFlags
	Keep   string   `help:"Keep the folders that it makes below this directory." placeholder:"DIR" type:"path"`
	Voices []string `help:"Names or ids of voices that speak the datasets of their native languages instead of those of the roster, such as voices that vaak voice add has added. The datasets are made anew." placeholder:"VOICE"`
	Force  bool     `help:"Make the datasets anew, even where the catalogue has those of this version."`
	jsonFlag
}

// Run prints the slug and the status of each demonstration dataset.
func (c demoCommand) Run(ctx context.Context, s streams, file *configFile) error {
	return c.with(ctx, s, c.place().Open, func(parts catalogueParts) error {
		there, err := c.there(ctx, parts)
		if err != nil {
			return err
		}
		// The folders to keep are not in the catalogue, so they are made anew.
		if there == nil || c.Force || c.Keep != "" || len(c.Voices) > 0 {
			if there, err = c.make(ctx, s, parts, file); err != nil {
				return told(s, err)
			}
		}
		var rows [][]any
		for _, d := range there {
			rows = append(rows, []any{d.Slug, string(d.Status)})
		}
		return c.table(s, []string{"slug", "status"}, rows)
	})
}

// there returns the records of the sets. It returns nil unless this version made and
// measured all of them. A set that somebody took off the list counts, and stays off it.
func (c demoCommand) there(ctx context.Context, parts catalogueParts) ([]catalogue.Dataset, error) {
	var all []catalogue.Dataset
	for _, slug := range demo.Slugs() {
		d, err := parts.Show(ctx, slug)
		if fault.KindOf(err) == fault.NotFound {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if !current(d) {
			return nil, nil
		}
		all = append(all, d)
	}
	return all, nil
}

// current reports whether this version made and measured a dataset.
func current(d catalogue.Dataset) bool {
	return d.Status != catalogue.Drafted &&
		d.Provenance != nil && d.Provenance.Generator == demo.Generator(version) &&
		d.Measurements != nil && d.Measurements.Method.Version == measure.ProfileVersion
}

// make speaks the sets and brings them into the catalogue.
func (c demoCommand) make(ctx context.Context, s streams, parts catalogueParts, file *configFile) ([]catalogue.Dataset, error) {
	dir := c.Keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "vaak-demo-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir) // a failure leaves temporary files, which harm nobody
	}
	sets, err := c.speak(ctx, s, dir, file)
	if err != nil {
		return nil, err
	}
	var all []catalogue.Dataset
	for _, set := range sets {
		d, err := bring(ctx, parts, set)
		if err != nil {
			return nil, fmt.Errorf("bring in %s: %w", set.Slug, err)
		}
		all = append(all, d)
	}
	return all, nil
}

// speak makes the folders of the sets.
func (c demoCommand) speak(ctx context.Context, s streams, dir string, file *configFile) ([]demo.Set, error) {
	log := logger(s, slog.LevelError)
	engine := c.engine(c.place())
	e, err := engine.Open(log)
	if err != nil {
		return nil, err
	}
	svc, err := file.speech(e, log)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	voices, err := c.named(svc.Voices())
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	m := newMeter(s.err)
	sets, err := demo.Make(ctx, dir, demo.Config{Speaker: demoSpeaker{svc}, Version: version, Voices: voices, Progress: m.conversations})
	m.end()
	return sets, errors.Join(err, e.Close())
}

// named returns the voices that --voices names.
func (c demoCommand) named(directory *voice.Directory) ([]voice.Voice, error) {
	var all []voice.Voice
	for _, name := range c.Voices {
		v, err := directory.Find("voices", name)
		if err != nil {
			return nil, asUsage(err)
		}
		all = append(all, v)
	}
	return all, asUsage(demo.CheckVoices(all))
}

// bring measures a set, puts it into the catalogue and publishes it, unless somebody took it
// off the list.
func bring(ctx context.Context, parts catalogueParts, set demo.Set) (catalogue.Dataset, error) {
	d, err := ingest.Ingest(ctx, set.Dir, ingest.Config{Catalogue: parts, Seen: true, Measure: measure.Config{Cache: parts.db.Catalogue()}})
	if err != nil || d.Status != catalogue.Drafted {
		return d, err
	}
	// What the conversations say is invented.
	return parts.MoveSeen(ctx, d.Slug, catalogue.Published)
}

// conversations shows how many conversations have been spoken.
func (m *meter) conversations(done, of int) {
	if m.to == nil || time.Since(m.drawn) < redraw && done < of {
		return
	}
	m.drawn = time.Now()
	full := barWidth * done / of
	fmt.Fprintf(m.to, "\r\x1b[K%s%s %d of %d conversations spoken", strings.Repeat("█", full), strings.Repeat("░", barWidth-full), done, of)
}

// demoSpeaker speaks with the service's own engine.
type demoSpeaker struct{ service *speech.Service }

var _ demo.Speaker = demoSpeaker{}

// Say speaks a text and tells when each of its words is heard.
func (d demoSpeaker) Say(ctx context.Context, v voice.ID, language lang.Code, text string) (demo.Speech, error) {
	const rate = audio.DefaultSampleRate
	var out timedAudio
	_, err := d.service.Speak(ctx, account.Local, speech.Request{
		Text: text, Voice: string(v), Language: string(language), Format: audio.Format{Codec: audio.PCM, SampleRate: rate},
	}, &out)
	if err != nil {
		return demo.Speech{}, err
	}
	starts, ends := out.written.Seconds()
	said := demo.Speech{Rate: rate, PCM: make([]int16, out.Len()/2), Words: demo.Words(out.written.Characters, starts, ends)}
	_, err = binary.Decode(out.Bytes(), binary.LittleEndian, said.PCM)
	return said, err
}

// timedAudio keeps audio with the times of its text, as the text was written.
type timedAudio struct {
	bytes.Buffer
	written align.Alignment
}

var _ speech.Follower = (*timedAudio)(nil)

// Follow takes the times of the text whose audio comes with the next Write.
func (t *timedAudio) Follow(written, _ align.Alignment) { t.written.Append(written) }
