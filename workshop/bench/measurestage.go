package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"vaak/audio/decode"
	"vaak/catalogue/measure/level"
	turns "vaak/catalogue/measure/talk"
)

// stages are the parts of measuring, each with what it takes for a second of audio,
// round by round.
type stages struct {
	names []string
	took  [][]time.Duration
}

// measuringStages measures each part alone on a file.
func measuringStages(path string, rounds int) (*stages, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	info, planes, err := decodeAll(file)
	if err != nil {
		return nil, err
	}
	seconds := float64(len(planes[0])) / float64(info.SampleRate)
	s := &stages{names: []string{"digest", "decode", "level", "talk"}}
	passes := []func() error{
		func() error { sha256.Sum256(file); return nil },
		func() error { return eachBlock(file, func([][]float32) {}) },
		func() error {
			for _, p := range planes {
				m := level.NewMeter(info.SampleRate)
				inBlocks([][]float32{p}, func(part [][]float32) { m.Write(part[0]) })
				m.Result()
			}
			return nil
		},
		func() error {
			d := turns.NewDetector(info.SampleRate, info.Channels)
			inBlocks(planes, d.Write)
			d.Finish()
			return nil
		},
	}
	s.took = make([][]time.Duration, len(passes))
	for range rounds {
		for i, pass := range passes {
			cost, err := passCost(seconds, pass)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.names[i], err)
			}
			s.took[i] = append(s.took[i], cost)
		}
	}
	return s, nil
}

// stageBlock is how many samples of each channel the parts get at once.
const stageBlock = 8192

// eachBlock decodes a file.
func eachBlock(file []byte, each func([][]float32)) error {
	stream, err := decode.Open(bytes.NewReader(file), decode.Limits{})
	if err != nil {
		return err
	}
	defer stream.Close() // read only
	planes := make([][]float32, stream.Info().Channels)
	for i := range planes {
		planes[i] = make([]float32, stageBlock)
	}
	part := make([][]float32, len(planes))
	for {
		n, err := stream.Read(planes)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i, p := range planes {
			part[i] = p[:n]
		}
		each(part)
	}
}

func decodeAll(file []byte) (info decode.Info, planes [][]float32, err error) {
	stream, err := decode.Open(bytes.NewReader(file), decode.Limits{})
	if err != nil {
		return info, nil, err
	}
	info = stream.Info()
	if err := stream.Close(); err != nil {
		return info, nil, err
	}
	planes = make([][]float32, info.Channels)
	err = eachBlock(file, func(part [][]float32) {
		for i, p := range part {
			planes[i] = append(planes[i], p...)
		}
	})
	return info, planes, err
}

// inBlocks hands planes on block by block.
func inBlocks(planes [][]float32, to func([][]float32)) {
	part := make([][]float32, len(planes))
	for at := 0; at < len(planes[0]); at += stageBlock {
		for i, p := range planes {
			part[i] = p[at:min(at+stageBlock, len(p))]
		}
		to(part)
	}
}

// yardstick is another program at work on the same file.
type yardstick struct {
	name string
	took []time.Duration // for a second of audio, round by round
}

// yardsticks measures ffmpeg; none where there is no ffmpeg.
func yardsticks(ctx context.Context, path string, p plan) ([]yardstick, error) {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		return nil, nil
	}
	all := []yardstick{{name: "ffmpeg, decode"}, {name: "ffmpeg, decode and ebur128"}}
	for i, filter := range [][]string{nil, {"-af", "ebur128=framelog=verbose"}} {
		args := append([]string{"-v", "error", "-nostdin", "-threads", "1", "-i", path}, filter...)
		for range p.rounds {
			cmd := exec.CommandContext(ctx, program, append(args, "-f", "null", "-")...)
			if out, err := cmd.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%s: %w: %s", all[i].name, err, out)
			}
			used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			all[i].took = append(all[i].took, perSecond(used, p.recording.Seconds()))
		}
	}
	return all, nil
}

// table has a line for each part, their sum, and the yardsticks.
func (s *stages) table(others []yardstick) part {
	t := &table{header: []string{"part", "processor, µs per second of audio", "share", "hours a core-hour"}}
	sum := time.Duration(0)
	for _, took := range s.took {
		sum += median(took)
	}
	row := func(name string, cost time.Duration, share string) {
		t.add(name, fmt.Sprintf("%.0f", cost.Seconds()*1e6), share, whole(over(time.Second, cost)))
	}
	for i, name := range s.names {
		cost := median(s.took[i])
		row(name, cost, percent(over(cost, sum)))
	}
	row("all four", sum, percent(1))
	for _, o := range others {
		row(o.name, median(o.took), "—")
	}
	return t
}
