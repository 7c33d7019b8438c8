package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"vaak/engine/remote"
	"vaak/engine/remote/settings"
	"vaak/engine/remote/wire"
	"vaak/internal/checkup"
	"vaak/voice"
)

// poolsLimit is how long the pools may take; a member has 20 s for a few words.
const poolsLimit = 45 * time.Second

// pools checks the file of the pools of model servers, and has every member say a few words.
func (p *Patient) pools(ctx context.Context) checkup.Finding {
	if p.Engine.Pools == "" {
		return checkup.Good("no pools of model servers are set")
	}
	file, err := remote.Read(p.Engine.Pools)
	if err != nil {
		return checkup.Fail("Correct the file; docs/pools.md lists every setting.", "%v", err)
	}
	if len(file.Pools) == 0 {
		return checkup.Warn("Write pools and voices into it as docs/pools.md shows, or start without --pools.", "%s has no pools", p.Engine.Pools)
	}
	e, err := remote.Open(remote.Config{Settings: file, Find: func(voice.ID) (voice.Voice, bool) { return voice.Voice{}, false }, Logger: p.log})
	if err != nil {
		return checkup.Fail("Correct the file; docs/pools.md lists every setting.", "%v", err)
	}
	defer func() { _ = e.Close() }() // nothing depends on how it ends
	exams := make([]poolExam, len(file.Pools))
	var asking sync.WaitGroup
	for i, s := range file.Pools {
		asking.Go(func() { exams[i] = examine(ctx, e, file, s) })
	}
	asking.Wait()
	if ctx.Err() != nil {
		return checkup.Skip("the time was over before all members had answered")
	}
	// The names of members are known once they have been asked.
	for _, status := range e.Pools() {
		for i := range exams {
			if exams[i].Name == status.Name {
				exams[i].meet(status)
			}
		}
	}
	members := 0
	var findings []checkup.Finding
	if f := p.fallbacks(file); f.State != checkup.OK {
		findings = append(findings, f)
	}
	figures := map[string]float64{"pools": float64(len(exams)), "voices": float64(len(file.Voices))}
	for _, x := range exams {
		members += len(x.members)
		findings = append(findings, x.finding())
		x.measure(figures)
	}
	figures["members"] = float64(members)
	counts := checkup.Good("pools %d, members %d, voices %d", len(exams), members, len(file.Voices))
	f := checkup.Worst(append([]checkup.Finding{counts}, findings...)...)
	if f.State != checkup.OK {
		f.Found = counts.Found + "; " + f.Found
	}
	f.Remedy = remedies(findings, f.State)
	f.Figures = figures
	return f
}

// remedies joins the remedies of all findings that are as bad as the worst.
func remedies(findings []checkup.Finding, worst checkup.State) string {
	var all []string
	for _, f := range findings {
		if f.State == worst && f.Remedy != "" && !slices.Contains(all, f.Remedy) {
			all = append(all, f.Remedy)
		}
	}
	return strings.Join(all, " ")
}

// fallbacks checks that the voices that may speak for others exist.
func (p *Patient) fallbacks(file settings.Settings) checkup.Finding {
	added := p.Engine.Neural.Added()
	var missing []string
	for _, v := range file.Voices {
		for _, r := range v.Rungs {
			if r.Voice == "" || slices.ContainsFunc(added, func(a voice.Voice) bool { return a.ID == r.Voice }) {
				continue
			}
			if _, ok := voice.Lookup(r.Voice); !ok {
				missing = append(missing, fmt.Sprintf("voice %s names the fallback %s, which does not exist", v.Key, r.Voice))
			}
		}
	}
	if missing != nil {
		return checkup.Warn("Name a voice of docs/voices.tsv or of vaak voice list as the fallback.", "%s", strings.Join(missing, "; "))
	}
	return checkup.Finding{State: checkup.OK}
}

// poolExam is how the members of a pool answered.
type poolExam struct {
	settings.Pool
	used    bool // a voice names it, so its members were asked to speak and not only for their health
	trouble string
	members []string
	took    map[string]time.Duration
	failed  map[string]error
}

// examine has every member of a pool say a few words.
func examine(ctx context.Context, e *remote.Engine, file settings.Settings, s settings.Pool) poolExam {
	x := poolExam{Pool: s, used: slices.ContainsFunc(file.Voices, func(v settings.Voice) bool {
		return slices.ContainsFunc(v.Rungs, func(r settings.Rung) bool { return r.Pool == s.Name })
	})}
	x.took, x.failed = e.Probe(ctx, s.Name)
	if x.failed == nil {
		x.failed = map[string]error{}
	}
	return x
}

// meet takes what the pool knows of its members. Those that were not asked could not be dialled.
func (x *poolExam) meet(status remote.Pool) {
	x.trouble = status.Trouble
	for _, m := range status.Members {
		x.members = append(x.members, m.ID)
		if _, asked := x.took[m.ID]; asked {
			continue
		}
		target := x.Target
		target.URL = m.ID
		server, err := x.Kind.Dial(target)
		if err == nil {
			server.Close()
			err = errors.New("it was not asked, since it joined the pool just now")
		}
		x.failed[m.ID] = err
	}
}

// mostTold is how many members of a pool are told of one by one.
const mostTold = 8

// finding tells how the members of the pool answered.
func (x *poolExam) finding() checkup.Finding {
	if len(x.members) == 0 {
		why := cmp.Or(x.trouble, "its name has no addresses")
		return checkup.Fail("See that the name in dns can be looked up from here.", "pool %s has no members: %s", x.Name, why)
	}
	var well []string
	for _, m := range x.members {
		if x.failed[m] == nil {
			well = append(well, m)
		}
	}
	slices.SortStableFunc(well, func(a, b string) int { return cmp.Compare(x.took[a], x.took[b]) })
	if len(x.failed) == 0 {
		return checkup.Good("%s", x.tell(well))
	}
	var told, advice []string
	busy := 0
	for _, m := range slices.Sorted(maps.Keys(x.failed)) {
		err := x.failed[m]
		f := &wire.Failure{}
		errors.As(err, &f)
		if f.Reason == wire.Busy {
			busy++
		}
		told = append(told, fmt.Sprintf("%s does not speak: %v", m, err))
		if a := poolRemedies[f.Reason]; !slices.Contains(advice, a) {
			advice = append(advice, a)
		}
	}
	told = shortened(told, "members do not speak")
	if well != nil {
		told = append(told, x.tell(well))
	} else {
		told = append(told, fmt.Sprintf("pool %s has no member that speaks", x.Name))
	}
	judge := checkup.Warn
	if well == nil && busy < len(x.failed) {
		judge = checkup.Fail
	}
	return judge(strings.Join(advice, " "), "%s", strings.Join(told, "; "))
}

// shortened shortens a list.
func shortened(list []string, what string) []string {
	if len(list) <= mostTold {
		return list
	}
	return append(list[:mostTold:mostTold], fmt.Sprintf("%d more %s", len(list)-mostTold, what))
}

// tell tells of the members that speak, the fastest first.
func (x *poolExam) tell(well []string) string {
	if !x.used {
		return fmt.Sprintf("%s (%s): no voice names it, so its members were only asked for their health", x.Name, x.Kind.Name)
	}
	var each []string
	for _, m := range well {
		each = append(each, fmt.Sprintf("%s after %.0f ms", m, milliseconds(x.took[m])))
	}
	if len(each) > mostTold {
		each = append(each[:mostTold-1:mostTold-1], fmt.Sprintf("%d more, the last after %.0f ms", len(each)-mostTold+1, milliseconds(x.took[well[len(well)-1]])))
	}
	return fmt.Sprintf("%s (%s): first audio of %s", x.Name, x.Kind.Name, strings.Join(each, ", "))
}

// measure adds the figures of the members.
func (x *poolExam) measure(figures map[string]float64) {
	for _, m := range x.members {
		if first := x.took[m]; x.failed[m] == nil && first > 0 {
			figures[fmt.Sprintf("%s %s first_audio_ms", x.Name, m)] = milliseconds(first)
		}
	}
	figures[x.Name+" members"] = float64(len(x.members))
	figures[x.Name+" members_speaking"] = float64(len(x.members) - len(x.failed))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// poolRemedies say what to do when a member does not speak, by the reason.
var poolRemedies = map[wire.Reason]string{
	"":               "Correct the settings of the pool as docs/pools.md says for its kind.",
	wire.Unreachable: "See that the server runs, that its address is right and may be reached from here, and for https:// and grpcs:// that its certificate is for that name and signed by the system's authorities or those of ca_file.",
	wire.Denied:      "Put the key that the server expects into a file, and name that with key_file.",
	wire.Refused:     "See that model, voice, languages, sampling and extra name what that server has; its own log says more.",
	wire.Busy:        "Set streams to what a member can speak at once, or add members.",
	wire.Failed:      "See the log of that server: it is reached and cannot speak.",
	wire.Broken:      "See that kind is what the server is, and that no proxy before it cuts or changes its answers.",
	wire.Empty:       "See that the server has the voice that the settings name, for its native language; it answers without sound.",
	wire.Silent:      "See the log of that server: it sends silence without end.",
	wire.Late:        "See whether the server still loads its model or lacks its GPU: a few words took too long.",
	wire.WrongRate:   "Set rate of the pool to the rate that its servers answer with.",
}
