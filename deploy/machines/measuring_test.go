package machines

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vaak/audio/audiotest"
	"vaak/audio/codec"
)

// The dataset that servers measure together: 6 GB.
const (
	rate    = 8000
	minutes = 30 // of a file
)

var hours = flag.Int("hours", 200, "how many hours of audio servers measure together")

// conversation returns FLAC of two speakers, a channel each, who take turns.
func conversation(t *testing.T, seconds int) []byte {
	t.Helper()
	channels := [][]int16{make([]int16, seconds*rate), make([]int16, seconds*rate)}
	said := audiotest.Speech(rate, 60*rate)
	const turn = 4
	for at, n := 0, 0; at+turn <= seconds; at, n = at+turn, n+1 {
		from := n * 5 % 55 * rate
		copy(channels[n%2][at*rate:(at+turn)*rate-rate/2], said[from:])
	}
	flac, err := codec.FLACFile(rate, channels...)
	if err != nil {
		t.Fatal(err)
	}
	return flac
}

// distinct returns a FLAC file with the same sound and another digest: a block of metadata more.
func distinct(t *testing.T, flac []byte, n int) []byte {
	t.Helper()
	const header = 4 + 4 + 34 // "fLaC", and STREAMINFO with its header
	if string(flac[:4]) != "fLaC" || flac[4]&0x7f != 0 {
		t.Fatal("it is no FLAC")
	}
	last := flac[4] & 0x80
	out := bytes.Clone(flac[:header])
	out[4] &^= 0x80
	out = append(out, last|2, 0, 0, 12) // an APPLICATION block
	out = append(out, "test"...)
	out = binary.BigEndian.AppendUint64(out, uint64(n))
	return append(out, flac[header:]...)
}

// folder writes a dataset of files with the same sound.
func folder(t *testing.T, dir string, flac []byte, files int) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "audio"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "card.yaml"), "slug: "+filepath.Base(dir)+`
title: Calls
description: Two people talk about nothing.
language: {tag: en-IN}
channels: dual
licence: {name: Example Licence}
provenance: {creator: {name: Example Lab}}
sample: call-1
`)
	for n := range files {
		write(t, filepath.Join(dir, "audio", fmt.Sprintf("call-%d.flac", n+1)), string(distinct(t, flac, n)))
	}
	return dir
}

// catalogue brings the dataset in that the clients read.
func (d *deployment) catalogue() {
	d.t.Helper()
	d.command("dataset", "ingest", "--publish", folder(d.t, filepath.Join(d.root, "small"), conversation(d.t, 20), 2))
	d.media = d.fileOf("small")
}

// processor returns the seconds of processor time that a server has used.
func (r *replica) processor() float64 { return r.figure("process_cpu_seconds_total") }

// TestSoakMeasuring has three servers measure many hours of audio for one command, and kills one
// of them in the middle.
func TestSoakMeasuring(t *testing.T) {
	soak(t)
	d := deploy(t)
	recordings := *hours * 60 / minutes
	began := time.Now()
	dir := folder(t, filepath.Join(d.root, "large"), conversation(t, minutes*60), recordings)
	t.Logf("%d files of %d minutes written in %v", recordings, minutes, time.Since(began).Round(time.Second))
	conn, err := pgx.Connect(t.Context(), d.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	count := func(query string) (n int) {
		if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const measured = "SELECT count(*) FROM measurements"
	used := make([]float64, len(d.replicas)) // by processes that were killed
	cpu := make([]float64, len(d.replicas))
	for i, r := range d.replicas {
		cpu[i] = r.processor()
	}

	cmd := exec.CommandContext(t.Context(), d.program, "dataset", "ingest", "--share", "--publish", dir)
	var said output
	cmd.Env, cmd.Stdout, cmd.Stderr = d.env, &said, &said
	began = time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	await := func(files int) {
		d.soon(fmt.Sprint(files, " files are measured"), time.Hour, func() bool {
			select {
			case err := <-ended:
				ended <- err
				return true
			default:
				return count(measured) >= files
			}
		})
	}
	share := func() map[string]int {
		all := map[string]int{}
		rows, err := conn.Query(t.Context(), "SELECT attempted_by[array_upper(attempted_by, 1)], count(*) FROM river_job WHERE kind = 'dataset.measure' AND state = 'completed' GROUP BY 1")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var by string
			var n int
			if err := rows.Scan(&by, &n); err != nil {
				t.Fatal(err)
			}
			all[by] = n
		}
		return all
	}
	await(recordings / 3)
	killed := d.replicas[1]
	used[1] = killed.processor() - cpu[1]
	killed.end(syscall.SIGKILL)
	before := count(measured)
	pass(10 * time.Second)
	killed.start()
	cpu[1] = killed.processor()
	t.Logf("one server was killed when %d of %d files were measured, and started 10 s later", before, recordings)

	if err := <-ended; err != nil {
		t.Fatalf("ingest: %v: %s", err, &said)
	}
	took := time.Since(began)
	var record struct {
		Specification struct {
			MeasuredFrom struct {
				Files int
				Hours float64
			}
		}
	}
	if err := json.Unmarshal([]byte(d.command("dataset", "show", "large")), &record); err != nil {
		t.Fatal(err)
	}
	from := record.Specification.MeasuredFrom
	if from.Files != recordings || math.Abs(from.Hours-float64(*hours)) > 0.1 {
		t.Errorf("the record is of %d files and %v hours, want %d and %d", from.Files, from.Hours, recordings, *hours)
	}
	var all float64
	for i, r := range d.replicas {
		used[i] += r.processor() - cpu[i]
		all += used[i]
	}
	command := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	by := share()
	byServers := 0
	for _, n := range by {
		byServers += n
	}
	t.Logf("jobs by process: %v", by)
	// The names of processes end with the time of their start.
	names, files := slices.Sorted(maps.Keys(by)), make([]int, len(d.replicas))
	if len(names) != len(d.replicas)+1 {
		t.Errorf("%d processes have measured, want the three and the one that was started again", len(names))
	}
	for i, name := range names {
		if i == len(d.replicas) {
			i = 1
		}
		files[i] += by[name]
	}
	var rows []string
	for i := range d.replicas {
		note := ""
		if i == 1 {
			note = ", killed in the middle"
		}
		rows = append(rows, fmt.Sprintf("| server %d%s | %d | %.0f %% | %.0f |", i+1, note, files[i], 100*float64(files[i])/float64(recordings), used[i]))
	}
	rows = append(rows, fmt.Sprintf("| the command | %d | %.0f %% | %.0f |", recordings-byServers, 100*float64(recordings-byServers)/float64(recordings), command))
	table := fmt.Sprintf("%.0f hours in %d files of two channels, FLAC at 8 kHz, were in the catalogue after %.1f minutes: %.0f hours for an hour of a core.\n\n"+
		"| process | files | share | processor, s |\n|---|--:|--:|--:|\n%s\n", from.Hours, from.Files, took.Minutes(), from.Hours/((all+command)/3600), strings.Join(rows, "\n"))
	t.Logf("\n%s", table)
	if *writes && !t.Failed() {
		put(t, "measuring", table)
	}
}
