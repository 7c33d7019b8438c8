// Package rig is what all sections measure with: the servers, the library, the plan and the
// report.
package rig

import (
	"context"
	"io"

	"vaak/audio"
	"vaak/workshop/bench/library"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/server"
)

// Bench is everything that the sections measure with.
type Bench struct {
	Plan        Plan
	Formats     []audio.Format // of the streams
	Library     library.Library
	Vaak, Naive *server.Server
	Another     func(context.Context) (*server.Server, error) // starts one more like vaak
	Settings    server.Settings
	Dir         string    // for what sections make, gone after the run
	Log         io.Writer // progress
	Report      report.Report
}
