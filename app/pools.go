package app

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"vaak/console/system"
	"vaak/internal/telemetry"
)

// poolFigures returns the figures of the pools of model servers.
func (a *application) poolFigures(context.Context) ([]telemetry.Pool, error) {
	var all []telemetry.Pool
	for _, p := range a.engines.Remote.Pools() {
		out := telemetry.Pool{Name: p.Name, Found: p.Trouble == "", Retries: p.Retries, Resumed: p.Resumed, Replaced: p.Replaced}
		for _, m := range p.Members {
			outcomes := map[string]int64{"ok": int64(m.Well), "cancelled": int64(m.Cancelled)}
			for reason, n := range m.Failures {
				outcomes[string(reason)] = int64(n)
			}
			out.Members = append(out.Members, telemetry.PoolMember{
				Address: m.ID, State: m.State.String(), Share: m.Share, Streams: m.Streams, Outstanding: m.Outstanding,
				P50: m.P50, P99: m.P99, Audio: m.Audio, Ejections: int64(m.Ejections), Outcomes: outcomes,
			})
		}
		all = append(all, out)
	}
	return all, nil
}

// pools returns the state of the pools of model servers for the console.
func (s *state) pools() []system.PoolState {
	if s.app.engines.Remote == nil {
		return nil
	}
	now := time.Now()
	var all []system.PoolState
	for _, p := range s.app.engines.Remote.Pools() {
		out := system.PoolState{
			Name: p.Name, Kind: p.Kind, Rate: p.Rate, Voices: p.Voices, Audio: p.Audio,
			Retries: p.Retries, Resumed: p.Resumed, Replaced: p.Replaced, Error: p.Trouble,
		}
		for _, m := range p.Members {
			one := system.MemberState{
				Address: m.ID, State: m.State.String(), Busy: now.Before(m.Busy), Streams: m.Streams, MostStreams: m.Member.Streams,
				Outstanding: m.Outstanding, P50: m.P50, P99: m.P99, Requests: int64(m.Requests),
				LastFailure: words(m.LastFailure), LastAt: m.LastAt,
			}
			if m.Until.After(now) {
				one.Wait = m.Until.Sub(now)
			}
			for reason, n := range m.Failures {
				one.Failures = append(one.Failures, system.Count{Name: words(reason), N: int64(n)})
			}
			slices.SortFunc(one.Failures, func(a, b system.Count) int {
				return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name))
			})
			if one.State == "up" || one.State == "returning" {
				out.Open++
			}
			out.Members = append(out.Members, one)
		}
		all = append(all, out)
	}
	return all
}

// words writes the name of a reason for a person.
func words[T ~string](reason T) string { return strings.ReplaceAll(string(reason), "_", " ") }
