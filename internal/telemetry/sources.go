package telemetry

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Sources are functions that read the state of the services when metrics are collected. The
// families of a nil function are left out. See [Telemetry.Sample] for what a function may do.
type Sources struct {
	Accounts func(context.Context) (Accounts, error)
	Ledger   func(context.Context) (Ledger, error)
	Jobs     func(context.Context) (Jobs, error)
	Cache    func(context.Context) (Cache, error)
	Engine   func(context.Context) (Engine, error)
	Pools    func(context.Context) ([]Pool, error)

	Connections func(context.Context) (Connections, error)
	Answers     func(context.Context) (Answers, error)

	Certificates func(context.Context) (Certificates, error)
	Webhooks     func(context.Context) (Webhooks, error)
}

// Webhooks are the metrics of webhooks. Attempts are of this process, the others of all.
type Webhooks struct {
	Attempts map[string]int64 // by what came of them
	Waiting  int              // deliveries that wait
	Oldest   time.Duration    // since the oldest of them was made; 0 if none waits
	Disabled int              // endpoints that were disabled because they failed or are gone
}

// Certificates are the metrics of the TLS certificates of this process.
type Certificates struct {
	Ends     map[string]time.Time // when each ends, by name
	Failures int64                // new ones that could not be used or were not issued
}

// Answers tells how many bytes are held of answers that are completed before they are sent.
type Answers struct{ Memory, Disk int64 }

// Connections are the metrics of client connections.
type Connections struct {
	Open             int
	Refused          map[string]int64 // by the limit that was reached
	FailedHandshakes int64            // of TLS
}

// Accounts are the metrics of holds, characters and limits in this process. Counters count
// since the process began.
type Accounts struct {
	HoldsOpen         int              // requests with characters on hold
	SlotsTaken        int              // running streams
	Charged           int64            // characters, in code points
	LateCharges       int64            // charges that the database could not accept at once
	LostCharges       int64            // charges that the database never accepted
	LostRecords       int64            // dropped records of requests
	Refused           map[string]int64 // by limit, such as "requests" or "streams"
	WaitingCharges    int              // charges that are kept on disk
	WaitingCharacters int64            // characters in them
	WaitingSince      time.Time        // since when the oldest waits; zero if none does
	StoreUp           bool             // the database answers
	LimitsLocal       bool             // limits are counted in this process because the shared counters cannot be reached
}

// Ledger are the metrics of the audit of the books. One process audits for all; the others know
// nothing of it.
type Ledger struct {
	Checked    time.Time // when this process audited last; if zero, the other fields are unknown
	OK         bool      // the audit found no error
	Lapsed     int64     // holds of the last day that nobody settled in time
	WrittenOff int64     // characters spoken and never paid, in total
}

// Jobs are the metrics of background jobs.
type Jobs struct {
	ByState map[string]int // jobs in each state
	Oldest  time.Duration  // how long the first due job has waited; 0 if none waits
}

// Cache are the metrics of the cache of answers.
type Cache struct {
	Bytes        int64
	Hits, Misses int64
}

// Engine are the metrics of the speech engines.
type Engine struct {
	Crashes int64 // children of the embedded engine that crashed or hung over their text
	LeftOut int64 // pieces of text that the embedded engine could not speak
	Neural  Neural
}

// Neural are the metrics of the engine of added voices.
type Neural struct {
	Name     string        // of the engine; "" if there is none, whose families then have no values
	Voices   int           // that can speak
	Restarts int64         // of its worker
	Audio    time.Duration // that it has made
	Busy     time.Duration // of processors, for Audio
	Replaced int64         // symbols of a text for which a voice has another
	Dropped  int64         // symbols of a text for which a voice has none
}

// Watch makes the metrics of the services be read whenever they are collected. It may be called
// only once.
func (t *Telemetry) Watch(s Sources) {
	if s.Accounts != nil {
		watch(t, "account", s.Accounts, Accounts.values, accountFamilies)
	}
	if s.Ledger != nil {
		watch(t, "ledger", s.Ledger, Ledger.values, ledgerFamilies)
	}
	if s.Jobs != nil {
		watch(t, "jobs", s.Jobs, Jobs.values, jobFamilies)
	}
	if s.Cache != nil {
		watch(t, "cache", s.Cache, Cache.values, cacheFamilies)
	}
	if s.Engine != nil {
		watch(t, "engine", s.Engine, Engine.values, engineFamilies)
	}
	if s.Pools != nil {
		watch(t, "pools", s.Pools, poolValues, poolFamilies)
	}
	if s.Answers != nil {
		watch(t, "answers", s.Answers, Answers.values, answerFamilies)
	}
	if s.Connections != nil {
		watch(t, "connections", s.Connections, Connections.values, connectionFamilies)
	}
	if s.Certificates != nil {
		watch(t, "certificates", s.Certificates, Certificates.values, certificateFamilies)
	}
	if s.Webhooks != nil {
		watch(t, "webhooks", s.Webhooks, Webhooks.values, webhookFamilies)
	}
}

func watch[T any](t *Telemetry, name string, read func(context.Context) (T, error), values func(T) []Value, families func() []Family) {
	t.Sample(name, func(ctx context.Context) ([]Value, error) {
		figures, err := read(ctx)
		if err != nil {
			return nil, err
		}
		return values(figures), nil
	}, families()...)
}

func accountFamilies() []Family {
	return []Family{
		{Name: "holds_open", Kind: Gauge, Help: "Requests of this process whose characters are put aside and not settled yet."},
		{Name: "slots_taken", Kind: Gauge, Help: "Stream slots that requests of this process have taken."},
		{Name: "characters_charged_total", Kind: Counter, Help: "Characters that organisations were charged for."},
		{Name: "charges_late_total", Kind: Counter, Help: "Charges that the database could not take at once."},
		{Name: "charges_lost_total", Kind: Counter, Help: "Charges that were never written: a loss of the operator."},
		{Name: "charges_waiting", Kind: Gauge, Help: "Charges that are kept on disk until the database takes them."},
		{Name: "charges_waiting_characters", Kind: Gauge, Help: "Characters of the charges that are kept on disk."},
		{Name: "charges_waiting_oldest_seconds", Kind: Gauge, Help: "How long the first of the charges on disk has waited; 0 if none waits."},
		{Name: "request_records_lost_total", Kind: Counter, Help: "Lines of the record of requests that were dropped."},
		{Name: "rate_limited_total", Kind: Counter, Labels: []string{"reason"}, Help: "Requests refused because a limit was reached, by which limit."},
		{Name: "store_up", Kind: Gauge, Help: "1 if the database answers, else 0."},
		{Name: "limits_local", Kind: Gauge, Help: "1 while this process counts limits by itself because the shared counters cannot be reached, else 0."},
	}
}

func (a Accounts) values() []Value {
	oldest := 0.0
	if !a.WaitingSince.IsZero() {
		oldest = max(0, time.Since(a.WaitingSince).Seconds())
	}
	vs := []Value{
		{Family: "holds_open", Value: float64(a.HoldsOpen)},
		{Family: "slots_taken", Value: float64(a.SlotsTaken)},
		{Family: "characters_charged_total", Value: float64(a.Charged)},
		{Family: "charges_late_total", Value: float64(a.LateCharges)},
		{Family: "charges_lost_total", Value: float64(a.LostCharges)},
		{Family: "charges_waiting", Value: float64(a.WaitingCharges)},
		{Family: "charges_waiting_characters", Value: float64(a.WaitingCharacters)},
		{Family: "charges_waiting_oldest_seconds", Value: oldest},
		{Family: "request_records_lost_total", Value: float64(a.LostRecords)},
		{Family: "store_up", Value: boolValue(a.StoreUp)},
		{Family: "limits_local", Value: boolValue(a.LimitsLocal)},
	}
	for _, reason := range slices.Sorted(maps.Keys(a.Refused)) {
		vs = append(vs, Value{Family: "rate_limited_total", Value: float64(a.Refused[reason]), Labels: []string{reason}})
	}
	return vs
}

func ledgerFamilies() []Family {
	return []Family{
		{Name: "holds_lapsed", Kind: Gauge, Help: "Holds of the last day that nobody settled in time and that were given back; missing before the first check."},
		{Name: "ledger_invariant_ok", Kind: Gauge, Help: "1 if the last check of the books found that nothing is lost or counted twice, else 0; missing before the first."},
		{Name: "ledger_check_age_seconds", Kind: Gauge, Help: "How long ago the books were last checked; missing before the first time."},
		{Name: "written_off_characters_total", Kind: Counter, Help: "Characters that were spoken and could no longer be charged: a loss of the operator."},
	}
}

func (l Ledger) values() []Value {
	if l.Checked.IsZero() {
		return nil
	}
	return []Value{
		{Family: "holds_lapsed", Value: float64(l.Lapsed)},
		{Family: "ledger_invariant_ok", Value: boolValue(l.OK)},
		{Family: "ledger_check_age_seconds", Value: time.Since(l.Checked).Seconds()},
		{Family: "written_off_characters_total", Value: float64(l.WrittenOff)},
	}
}

func jobFamilies() []Family {
	return []Family{
		{Name: "jobs", Kind: Gauge, Labels: []string{"state"}, Help: "Background jobs in each state."},
		{Name: "job_oldest_age_seconds", Kind: Gauge, Help: "How long the first job that is due has waited; 0 if none waits."},
	}
}

func (j Jobs) values() []Value {
	vs := []Value{{Family: "job_oldest_age_seconds", Value: j.Oldest.Seconds()}}
	for _, state := range slices.Sorted(maps.Keys(j.ByState)) {
		vs = append(vs, Value{Family: "jobs", Value: float64(j.ByState[state]), Labels: []string{state}})
	}
	return vs
}

func cacheFamilies() []Family {
	return []Family{
		{Name: "cache_bytes", Kind: Gauge, Help: "Room on disk that kept answers take."},
		{Name: "cache_hits_total", Kind: Counter, Help: "Requests answered with an answer that was kept."},
		{Name: "cache_misses_total", Kind: Counter, Help: "Requests whose answer was looked for and not kept."},
	}
}

func (c Cache) values() []Value {
	return []Value{
		{Family: "cache_bytes", Value: float64(c.Bytes)},
		{Family: "cache_hits_total", Value: float64(c.Hits)},
		{Family: "cache_misses_total", Value: float64(c.Misses)},
	}
}

func engineFamilies() []Family {
	return []Family{
		{Name: "engine_crashes_total", Kind: Counter, Help: "Engine children that crashed or hung over their text; each was spoken again."},
		{Name: "engine_left_out_total", Kind: Counter, Help: "Pieces of text left out of the audio because the engine crashed over each of them."},
		{Name: "engine_voices", Kind: Gauge, Labels: []string{"engine"}, Help: "Voices that the operator has added and that can speak."},
		{Name: "engine_restarts_total", Kind: Counter, Labels: []string{"engine"}, Help: "Restarts of the worker of added voices, each after it ended by itself or was killed."},
		{Name: "engine_audio_seconds_total", Kind: Counter, Labels: []string{"engine"}, Help: "Seconds of audio that added voices have spoken."},
		{Name: "engine_busy_seconds_total", Kind: Counter, Labels: []string{"engine"}, Help: "Seconds of processors that this audio took: divided by the seconds of audio, the real-time factor."},
		{Name: "engine_symbols_unknown_total", Kind: Counter, Labels: []string{"engine", "fate"}, Help: "Sounds of texts that an added voice does not know: replaced by its nearest, or dropped."},
	}
}

func (e Engine) values() []Value {
	vs := []Value{
		{Family: "engine_crashes_total", Value: float64(e.Crashes)},
		{Family: "engine_left_out_total", Value: float64(e.LeftOut)},
	}
	n := e.Neural
	if n.Name == "" {
		return vs
	}
	labels := []string{n.Name}
	return append(vs,
		Value{Family: "engine_voices", Value: float64(n.Voices), Labels: labels},
		Value{Family: "engine_restarts_total", Value: float64(n.Restarts), Labels: labels},
		Value{Family: "engine_audio_seconds_total", Value: n.Audio.Seconds(), Labels: labels},
		Value{Family: "engine_busy_seconds_total", Value: n.Busy.Seconds(), Labels: labels},
		Value{Family: "engine_symbols_unknown_total", Value: float64(n.Replaced), Labels: []string{n.Name, "replaced"}},
		Value{Family: "engine_symbols_unknown_total", Value: float64(n.Dropped), Labels: []string{n.Name, "dropped"}},
	)
}

func answerFamilies() []Family {
	return []Family{
		{Name: "answers_bytes", Kind: Gauge, Labels: []string{"where"}, Help: "Room that answers take which are made whole before they are sent: in memory, or on disk where they are long."},
	}
}

func (a Answers) values() []Value {
	return []Value{
		{Family: "answers_bytes", Value: float64(a.Memory), Labels: []string{"memory"}},
		{Family: "answers_bytes", Value: float64(a.Disk), Labels: []string{"disk"}},
	}
}

func connectionFamilies() []Family {
	return []Family{
		{Name: "connections_open", Kind: Gauge, Help: "Connections that clients have open, on the public address and the console."},
		{Name: "connections_refused_total", Kind: Counter, Labels: []string{"reason"}, Help: "Connections refused because there were too many, in all or from one address."},
		{Name: "tls_handshakes_failed_total", Kind: Counter, Help: "Connections whose TLS handshake failed."},
	}
}

func (c Connections) values() []Value {
	vs := []Value{
		{Family: "connections_open", Value: float64(c.Open)},
		{Family: "tls_handshakes_failed_total", Value: float64(c.FailedHandshakes)},
	}
	for _, reason := range slices.Sorted(maps.Keys(c.Refused)) {
		vs = append(vs, Value{Family: "connections_refused_total", Value: float64(c.Refused[reason]), Labels: []string{reason}})
	}
	return vs
}

func certificateFamilies() []Family {
	return []Family{
		{Name: "tls_certificate_end_timestamp_seconds", Kind: Gauge, Labels: []string{"name"}, Help: "When the certificate ends, in Unix seconds, by the name that it is for; file is that of files."},
		{Name: "tls_certificate_failures_total", Kind: Counter, Help: "Changed files that hold no usable certificate, and certificates that the authority did not issue."},
	}
}

func (c Certificates) values() []Value {
	vs := []Value{{Family: "tls_certificate_failures_total", Value: float64(c.Failures)}}
	for _, name := range slices.Sorted(maps.Keys(c.Ends)) {
		vs = append(vs, Value{Family: "tls_certificate_end_timestamp_seconds", Value: float64(c.Ends[name].Unix()), Labels: []string{name}})
	}
	return vs
}

func webhookFamilies() []Family {
	return []Family{
		{Name: "webhook_attempts_total", Kind: Counter, Labels: []string{"outcome"}, Help: "Attempts to deliver events to webhook endpoints: delivered, retried (failed, and to be tried again) or failed (given up)."},
		{Name: "webhook_deliveries_waiting", Kind: Gauge, Help: "Deliveries of events that wait for their first or another attempt, of all servers."},
		{Name: "webhook_oldest_age_seconds", Kind: Gauge, Help: "How long ago the oldest of these deliveries was made; 0 if none waits."},
		{Name: "webhook_endpoints_disabled", Kind: Gauge, Help: "Endpoints that get no more events because they failed for days or answered 410."},
	}
}

func (w Webhooks) values() []Value {
	vs := []Value{
		{Family: "webhook_deliveries_waiting", Value: float64(w.Waiting)},
		{Family: "webhook_oldest_age_seconds", Value: w.Oldest.Seconds()},
		{Family: "webhook_endpoints_disabled", Value: float64(w.Disabled)},
	}
	for _, outcome := range slices.Sorted(maps.Keys(w.Attempts)) {
		vs = append(vs, Value{Family: "webhook_attempts_total", Value: float64(w.Attempts[outcome]), Labels: []string{outcome}})
	}
	return vs
}

// boolValue returns 1 for true and 0 for false, as is usual in Prometheus.
func boolValue(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
