package catalogue

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
	"vaak/audio/decode/recording"
	"vaak/audio/resample"
	"vaak/catalogue"
	"vaak/internal/fault"
	"vaak/mcp/tool"
)

// samples lets a person hear samples when the host of the person started this program. Links would
// not work there, because there may be no server.
type samples struct {
	*Datasets
	output *os.Root // the directory for files; nil puts the sample into the result
	dir    string   // absolute path of output
}

// OfferSamples returns the tool get_sample. It writes samples as files into output, whose path
// is dir, or puts them into results when output is nil.
func OfferSamples(d *Datasets, output *os.Root, dir string) (tool.Offer, error) {
	s := &samples{Datasets: d, output: output}
	if output != nil {
		var err error
		if s.dir, err = filepath.Abs(dir); err != nil {
			return tool.Offer{}, fmt.Errorf("find output directory: %w", err)
		}
	}
	return tool.Offer{Instructions: sampleInstructions, Tools: []tool.Entry{s.tool()}}, nil
}

// sampleInstructions adds the tool to the instructions of the catalogue.
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
func (s *samples) tool() tool.Entry {
	description := "The sample recording of a dataset for the person to hear: "
	if s.output != nil {
		description += "written as a WAV file to the output directory of this server."
	} else {
		description += "its first seconds as audio in the result, all channels mixed into one."
	}
	return tool.New(tool.Definition{
		Name:        "get_sample",
		Title:       "Hear a sample",
		Description: description,
		Hints:       tool.Hints{Idempotent: true, ReadOnly: s.output == nil},
		Advise:      s.Advise,
	}, s.hear)
}

func (s *samples) hear(ctx context.Context, _ tool.Call, in slugInput) (a tool.Answer[sampleOutput], err error) {
	stored, err := s.Filed(ctx, "slug", in.Slug)
	if err != nil {
		return a, err
	}
	record := &stored.Dataset
	if record.Sample == nil {
		return a, fault.New(fault.NotFound, tool.CodeNoSample, "slug",
			"the dataset %q has no sample to hear; search_datasets with sample true finds those that have one", record.Slug)
	}
	f, err := s.catalogue.Content(ctx, record.Slug, wavName(stored))
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, f.Body.Close()) }()
	a.Value = sampleOutput{Slug: record.Slug, Seconds: record.Sample.DurationS, Of: record.Sample.DurationS}
	if s.output != nil {
		a.Value.Delivery = tool.DeliverFile
		a.Value.File, err = s.write(record.Slug, f)
		a.Text = fmt.Sprintf("The sample of %s, %.1f s, is in the file %s.", record.Slug, a.Value.Of, a.Value.File)
		return a, err
	}
	a.Value.Delivery = tool.DeliverInline
	if a.Audio, a.Value.Seconds, err = excerpt(placed{f.Body}); err != nil {
		return a, fmt.Errorf("cut the sample of %s: %w", record.Slug, err)
	}
	a.Text = fmt.Sprintf("The first %.1f s of the sample of %s, which has %.1f s, are in this result.", a.Value.Seconds, record.Slug, a.Value.Of)
	return a, nil
}

// wavName returns the name of the sample as WAV if there is one, else that of the original file.
func wavName(stored *catalogue.Stored) string {
	link := sampleLink(stored)
	for _, f := range stored.Files {
		if f.URL == link.Uri {
			return f.Name
		}
	}
	return sampleWAV
}

// write copies a sample into the output directory, unless the file already exists.
func (s *samples) write(slug string, f catalogue.Content) (path string, err error) {
	name := tool.FileName(slug+"-sample", strings.TrimPrefix(filepath.Ext(f.Name), "."))
	path = filepath.Join(s.dir, name)
	out, err := s.output.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		// A file of the same size is taken for the same sample. Any other is not overwritten.
		if info, serr := s.output.Stat(name); serr == nil && info.Size() == f.SizeBytes {
			return path, nil
		}
		return "", fault.New(fault.Conflict, tool.CodeFileExists, "", "another file %q is in the output directory; it has to be moved away first", name)
	}
	if err != nil {
		return "", tool.FileError(err)
	}
	_, err = io.Copy(out, f.Body)
	if err = errors.Join(err, out.Close()); err != nil {
		_ = s.output.Remove(name) // the first error says more
		return "", tool.FileError(err)
	}
	return path, nil
}

// excerptFormat is small and good enough for speech. Without its library an excerpt is WAV.
var excerptFormat = audio.Format{Codec: audio.MP3, SampleRate: 24000, BitrateKbps: 64}

// excerpt returns the beginning of a recording, mixed into one channel, as much as fits into a
// result.
func excerpt(src recording.Source) (_ *tool.Clip, seconds float64, err error) {
	stream, err := decode.Open(src, recording.Limits{})
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	format := excerptFormat
	most := 8 * tool.MaxInline / (1000 * format.BitrateKbps) // seconds that fit
	if !slices.Contains(codec.Available(), format.Codec) {
		format = audio.Format{Codec: audio.WAV, SampleRate: 16000}
		most = tool.MaxInline / (2 * format.SampleRate) // at 2 bytes for each sample
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
	frames, err := mix(stream, w, (most-1)*info.SampleRate) // a second less, for the head and the last frame of the codec
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, 0, err
	}
	return &tool.Clip{Bytes: out.Bytes(), MimeType: format.ContentType()}, float64(frames) / float64(info.SampleRate), nil
}

// mix writes the mean of all channels, at most most samples.
func mix(stream recording.Stream, w audio.Writer, most int) (frames int, err error) {
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
			// Clamped, because float samples may exceed full scale, and a conversion would wrap
			// around.
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

// placed implements [io.ReaderAt] with seeks. It is not safe for concurrent use.
type placed struct{ io.ReadSeeker }

// ReadAt reads at a position, and restores the position of the reader.
func (p placed) ReadAt(b []byte, at int64) (n int, err error) {
	here, err := p.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	if _, err := p.Seek(at, io.SeekStart); err != nil {
		return 0, err
	}
	// A ReaderAt answers a short read at the end with io.EOF.
	if n, err = io.ReadFull(p, b); err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	if _, serr := p.Seek(here, io.SeekStart); serr != nil {
		return n, serr
	}
	return n, err
}
