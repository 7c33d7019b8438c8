package telephony

import (
	"context"
	"time"

	"vaak/internal/telemetry"
)

// figures are the metrics of a bridge. docs/telephony.md lists them.
type figures struct {
	calls, refused, bargeIns, speechErrors telemetry.CounterVec
	seconds, late, first                   telemetry.HistogramVec
}

func newFigures(t *telemetry.Telemetry, b *Bridge) figures {
	t.Sample("telephony", func(context.Context) ([]telemetry.Value, error) {
		return []telemetry.Value{{Family: "telephony_calls", Value: float64(b.Running())}}, nil
	}, telemetry.Family{Name: "telephony_calls", Kind: telemetry.Gauge, Help: "Calls that are running."})
	return figures{
		calls:        t.Counter("telephony_calls_total", "Calls that have ended, by provider and by why they ended.", "provider", "reason"),
		refused:      t.Counter("telephony_refused_total", "Calls that were refused before they began.", "provider", "reason"),
		bargeIns:     t.Counter("telephony_barge_ins_total", "Times a caller interrupted what was said.", "provider"),
		speechErrors: t.Counter("telephony_speech_errors_total", "Phrases that the speech server did not speak, or not to the end.", "code"),
		seconds:      t.Histogram("telephony_call_seconds", "How long calls took.", []float64{1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600}, "provider"),
		late: t.Histogram("telephony_frame_late_seconds", "How much later than planned frames were sent.",
			[]float64{.0005, .001, .002, .005, .01, .02, .05, .1}),
		first: t.Histogram("telephony_first_audio_seconds", "From the first token of a phrase to its first audio.",
			[]float64{.01, .02, .05, .1, .2, .3, .5, 1, 2}),
	}
}

func seconds(d time.Duration) float64 { return d.Seconds() }
