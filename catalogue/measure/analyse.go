package measure

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"

	"vaak/audio/decode"
	"vaak/audio/decode/recording"
	"vaak/catalogue"
	"vaak/catalogue/measure/fingerprint"
	"vaak/catalogue/measure/level"
	"vaak/catalogue/measure/sonogram"
	"vaak/catalogue/measure/talk"
	"vaak/catalogue/measure/tune"
)

// block is how many samples of each channel are decoded at once.
const block = 8192

// analyse measures the recording in src, without its digest and size. If the recording is at
// fault, the error is a *fault.Error.
func analyse(ctx context.Context, src recording.Source) (Recording, error) {
	stream, err := decode.Open(src, recording.Limits{})
	if err != nil {
		return Recording{}, err
	}
	defer stream.Close()
	a := newAnalysis(stream.Info())
	if err := a.read(ctx, stream); err != nil {
		return Recording{}, err
	}
	return a.recording(), nil
}

// analysis measures one recording.
type analysis struct {
	info   recording.Info
	frames int64
	meters []*level.Meter
	talk   *talk.Detector
	pitch  []*pitch
}

// pitch follows the spectra of one channel.
type pitch struct {
	*sonogram.Meter
	tune  tune.Finder
	print fingerprint.Maker
}

func newPitch(rate int) *pitch {
	p := &pitch{}
	p.Meter = sonogram.New(rate, func(f sonogram.Frame) {
		p.tune.Add(f)
		p.print.Add(f)
	})
	return p
}

func newAnalysis(info recording.Info) *analysis {
	a := &analysis{info: info, talk: talk.NewDetector(info.SampleRate, info.Channels)}
	for range info.Channels {
		a.meters = append(a.meters, level.NewMeter(info.SampleRate))
		a.pitch = append(a.pitch, newPitch(info.SampleRate))
	}
	return a
}

// read measures the stream to its end.
func (a *analysis) read(ctx context.Context, stream recording.Stream) error {
	planes := make([][]float32, a.info.Channels)
	for i := range planes {
		planes[i] = make([]float32, block)
	}
	for ctx.Err() == nil {
		n, err := stream.Read(planes)
		if n > 0 {
			a.write(planes, n)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (a *analysis) write(planes [][]float32, n int) {
	part := make([][]float32, len(planes))
	for i, p := range planes {
		part[i] = p[:n]
		a.meters[i].Write(part[i])
		a.pitch[i].Write(part[i])
	}
	a.talk.Write(part)
	a.frames += int64(n)
}

// recording returns all figures.
func (a *analysis) recording() Recording {
	heard := a.talk.Finish()
	r := Recording{
		Method:    Method,
		Container: string(a.info.Container), Codec: a.info.Codec,
		SampleRateHz: a.info.SampleRate, Bits: a.info.BitsPerSample, Channels: a.info.Channels,
		Frames: a.frames, DurationS: float64(a.frames) / float64(a.info.SampleRate),
		Layout: heard.Layout, Speech: heard.IPUs,
		Profile: catalogue.Profile{
			Method: catalogue.Method{Name: ProfileMethod, Version: ProfileVersion, VAD: talk.VAD, Params: heard.Params, Tool: Tool},
			Pair:   heard.Pair, Speech: heard.Speech, TurnTaking: heard.TurnTaking,
		},
	}
	for i, m := range a.meters {
		sound := m.Result()
		if a.info.BitsPerSample == 0 {
			sound.Channel.Upsampled = false // lossy codecs remove the upper band themselves
		}
		// G.711 and other lossy codecs have no bits to leave unused, and say themselves what they are.
		if a.info.BitsPerSample == 0 {
			sound.Channel.Companding = ""
		}
		if sound.Channel.UsedBits >= a.info.BitsPerSample {
			sound.Channel.UsedBits = 0
		}
		c := merge(sound.Channel, heard.Channels[i])
		p := a.pitch[i]
		p.Finish()
		unspoken := p.tune.Stretches()
		c.ToneRatio, c.MusicRatio = a.share(unspoken, tune.Tone), a.share(unspoken, tune.Music)
		r.Profile.Audio = append(r.Profile.Audio, c)
		r.Peaks = append(r.Peaks, sound.Peaks)
		r.Unspoken = append(r.Unspoken, unspoken)
		r.Prints = append(r.Prints, p.print.Print())
	}
	tidy(reflect.ValueOf(&r).Elem())
	return r
}

// share returns which share of the time stretches of a kind take, or nil if there are none.
func (a *analysis) share(all []tune.Stretch, kind tune.Kind) *float64 {
	seconds := 0.0
	for _, s := range all {
		if s.Kind == kind {
			seconds += s.End - s.Start
		}
	}
	if seconds == 0 {
		return nil
	}
	return ratio(seconds, float64(a.frames)/float64(a.info.SampleRate))
}

// merge returns sound with the figures that depend on where speech is.
func merge(sound, heard catalogue.Channel) catalogue.Channel {
	sound.NoiseFloorDBFS, sound.SNRDB, sound.VADSpanDB = heard.NoiseFloorDBFS, heard.SNRDB, heard.VADSpanDB
	sound.SpeechLevelDBFS, sound.UnlikeSpeechRatio = heard.SpeechLevelDBFS, heard.UnlikeSpeechRatio
	sound.LowConfidence, sound.HasSpeech = heard.LowConfidence, heard.HasSpeech
	sound.ReverbTimeS = heard.ReverbTimeS
	return sound
}

// places is how many steps a unit of a figure is rounded to: five decimals. More is noise.
const places = 1e5

// tidy rounds every figure in v, at any depth.
func tidy(v reflect.Value) {
	switch v.Kind() {
	case reflect.Float64:
		v.SetFloat(round(v.Float()))
	case reflect.Pointer:
		if !v.IsNil() {
			tidy(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				tidy(v.Field(i))
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if x := v.MapIndex(k); x.Kind() == reflect.Float64 {
				// Values of a map cannot be set in place.
				v.SetMapIndex(k, reflect.ValueOf(round(x.Float())))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			tidy(v.Index(i))
		}
	}
}

// isDual reports whether each channel of r holds one speaker.
func (r *Recording) isDual() bool { return r.Layout == catalogue.Dual }

// upsampled reports whether a channel has less bandwidth than its sample rate promises.
func (r *Recording) upsampled() bool {
	return slices.ContainsFunc(r.Profile.Audio, func(c catalogue.Channel) bool { return c.Upsampled })
}

func errAt(path string, err error) error { return fmt.Errorf("measure %s: %w", path, err) }
