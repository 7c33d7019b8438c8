package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vaak/audio"
	"vaak/audio/codec"
	"vaak/audio/decode"
	"vaak/audio/resample"
	"vaak/catalogue"
	"vaak/internal/fault"
)

// samples hands samples to a person whose host started this program: there may be no
// server whose links could be followed.
type samples struct {
	*datasets
	output *os.Root // nil: the sample is in the result
	dir    string   // absolute path of output
}

func (s *Server) newSamples(d *datasets) (*samples, error) {
	out := &samples{datasets: d, output: s.output}
	if s.output == nil {
		return out, nil
	}
	var err error
	if out.dir, err = filepath.Abs(s.cfg.OutputDir); err != nil {
		return nil, fmt.Errorf("find output directory: %w", err)
	}
	return out, nil
}

// sampleInstructions add the tool to those of the catalogue.
const sampleInstructions = "\nget_sample lets the person hear the sample of a dataset."

// sampleOutput is the result of get_sample.
type sampleOutput struct {
	Slug     string  `json:"slug"`
	Delivery string  `json:"delivery" doc:"file, or inline: the audio is in this result"`
	File     string  `json:"file,omitempty" doc:"Path of the WAV file, all channels"`
	Seconds  float64 `json:"seconds" doc:"Length of the audio that was handed over"`
	Of       float64 `json:"of_seconds" doc:"Length of the whole sample"`
}

// tool is the registry entry.
func (s *samples) tool() entry {
	description := "The sample recording of a dataset for the person to hear: "
	if s.output != nil {
		description += "written as a WAV file to the output directory of this server."
	} else {
		description += "its first seconds as audio in the result, all channels mixed into one."
	}
	return tool(definition{
		name:        "get_sample",
		title:       "Hear a sample",
		description: description,
		hints:       Hints{Idempotent: true, ReadOnly: s.output == nil},
		advise:      s.advise,
	}, s.hear)
}

func (s *samples) hear(ctx context.Context, _ call, in slugInput) (a answer[sampleOutput], err error) {
	stored, err := s.filed(ctx, "slug", in.Slug)
	if err != nil {
		return a, err
	}
	record := &stored.Dataset
	if record.Sample == nil {
		return a, fault.New(fault.NotFound, codeNoSample, "slug",
			"the dataset %q has no sample to hear; search_datasets with sample true finds those that have one", record.Slug)
	}
	f, err := s.catalogue.Content(ctx, record.Slug, wavName(stored))
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, f.Body.Close()) }()
	a.value = sampleOutput{Slug: record.Slug, Seconds: record.Sample.DurationS, Of: record.Sample.DurationS}
	if s.output != nil {
		a.value.Delivery = deliverFile
		a.value.File, err = s.write(record.Slug, f)
		a.text = fmt.Sprintf("The sample of %s, %.1f s, is in the file %s.", record.Slug, a.value.Of, a.value.File)
		return a, err
	}
	a.value.Delivery = deliverInline
	if a.audio, a.value.Seconds, err = excerpt(placed{f.Body}); err != nil {
		return a, fmt.Errorf("cut the sample of %s: %w", record.Slug, err)
	}
	a.text = fmt.Sprintf("The first %.1f s of the sample of %s, which has %.1f s, are in this result.", a.value.Seconds, record.Slug, a.value.Of)
	return a, nil
}

// wavName is the file of a sample that every program can read, else the one that came.
func wavName(stored *catalogue.Stored) string {
	link := sampleLink(stored)
	for _, f := range stored.Files {
		if f.URL == link.uri {
			return f.Name
		}
	}
	return sampleWAV
}

// write copies a sample into the output directory, unless it is there already.
func (s *samples) write(slug string, f catalogue.Content) (path string, err error) {
	name := fileName(slug+"-sample", strings.TrimPrefix(filepath.Ext(f.Name), "."))
	path = filepath.Join(s.dir, name)
	out, err := s.output.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		if info, serr := s.output.Stat(name); serr == nil && info.Size() == f.SizeBytes {
			return path, nil
		}
		return "", fault.New(fault.Conflict, codeFileExists, "", "another file %q is in the output directory; it has to be moved away first", name)
	}
	if err != nil {
		return "", fileError(err)
	}
	_, err = io.Copy(out, f.Body)
	if err = errors.Join(err, out.Close()); err != nil {
		_ = s.output.Remove(name) // the first error says more
		return "", fileError(err)
	}
	return path, nil
}

// excerptFormat is small and good enough for speech; without its library the excerpt is
// WAV.
var excerptFormat = audio.Format{Codec: audio.MP3, SampleRate: 24000, BitrateKbps: 64}

// excerpt returns the beginning of a recording, mixed into one channel, as far as it
// fits into a result.
func excerpt(src decode.Source) (_ *clip, seconds float64, err error) {
	stream, err := decode.Open(src, decode.Limits{})
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	format := excerptFormat
	most := 8 * maxInline / (1000 * format.BitrateKbps)
	if !slices.Contains(codec.Available(), format.Codec) {
		format = audio.Format{Codec: audio.WAV, SampleRate: 16000}
		most = maxInline / (2 * format.SampleRate)
	}
	var out bytes.Buffer
	encoder, err := codec.NewEncoder(&out, format, codec.Stream)
	if err != nil {
		return nil, 0, err
	}
	info := stream.Info()
	w, err := resample.NewWriter(encoder, info.SampleRate, codec.InputRate(format))
	if err != nil {
		return nil, 0, errors.Join(err, encoder.Close())
	}
	frames, err := mix(stream, w, (most-1)*info.SampleRate)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, 0, err
	}
	return &clip{bytes: out.Bytes(), mimeType: format.ContentType()}, float64(frames) / float64(info.SampleRate), nil
}

// mix writes the mean of all channels, at most so many samples of it.
func mix(stream decode.Stream, w audio.Writer, most int) (frames int, err error) {
	planes := make([][]float32, stream.Info().Channels)
	for c := range planes {
		planes[c] = make([]float32, 4096)
	}
	pcm := make([]int16, len(planes[0]))
	for frames < most {
		n, err := stream.Read(planes)
		n = min(n, most-frames)
		for i := range n {
			sum := 0.0
			for _, plane := range planes {
				sum += float64(plane[i])
			}
			pcm[i] = int16(min(max(math.Round(sum/float64(len(planes))*32768), -32768), 32767))
		}
		if werr := w.WritePCM(pcm[:n]); werr != nil {
			return frames, werr
		}
		frames += n
		if err == io.EOF {
			return frames, nil
		}
		if err != nil {
			return frames, err
		}
	}
	return frames, nil
}

// placed reads at any place of what can only be read where it stands. It is not safe for
// concurrent use.
type placed struct{ io.ReadSeeker }

// ReadAt leaves the reader where it stood.
func (p placed) ReadAt(b []byte, at int64) (n int, err error) {
	here, err := p.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	if _, err := p.Seek(at, io.SeekStart); err != nil {
		return 0, err
	}
	if n, err = io.ReadFull(p, b); err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	if _, serr := p.Seek(here, io.SeekStart); serr != nil {
		return n, serr
	}
	return n, err
}
