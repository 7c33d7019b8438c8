package recordings

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"vaak/workshop/bench/library"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
)

// yardstick is another program at work on the same file.
type yardstick struct {
	name string
	took []time.Duration // for a second of audio, round by round
}

// yardsticks measures ffmpeg; none where there is no ffmpeg.
func yardsticks(ctx context.Context, path string, p rig.Plan) ([]yardstick, error) {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		return nil, nil
	}
	all := []yardstick{{name: "ffmpeg, decode"}, {name: "ffmpeg, decode and ebur128"}}
	for i, filter := range [][]string{nil, {"-af", "ebur128=framelog=verbose"}} {
		args := append([]string{"-v", "error", "-nostdin", "-threads", "1", "-i", path}, filter...)
		for range p.Rounds {
			cmd := exec.CommandContext(ctx, program, append(args, "-f", "null", "-")...)
			if out, err := cmd.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%s: %w: %s", all[i].name, err, out)
			}
			used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			all[i].took = append(all[i].took, library.PerSecond(used, p.Recording.Seconds()))
		}
	}
	return all, nil
}

// yardstickTable has a line for each yardstick.
func yardstickTable(all []yardstick) report.Part {
	t := &report.Table{Header: []string{"program", "processor, µs per second of audio", "hours a core-hour"}}
	for _, y := range all {
		cost := report.Median(y.took)
		t.Add(y.name, report.Micros(cost), report.Whole(report.Over(time.Second, cost)))
	}
	return t
}
