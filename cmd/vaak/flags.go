package main

import (
	"vaak/app/deployment"
	"vaak/app/speaker"
	"vaak/internal/telemetry"
)

// engineFlags say how to run the engine. Every command that speaks has them.
type engineFlags struct {
	EspeakWorker string `help:"The espeak worker program. Default: vaak-espeak-worker beside this program." placeholder:"FILE" type:"path"`
	EspeakData   string `help:"Directory that holds espeak-ng-data. Default: the library's own." placeholder:"DIR" type:"path"`
}

// engine returns what the flags say.
func (f engineFlags) engine() speaker.Engine {
	return speaker.Engine{Worker: f.EspeakWorker, Data: f.EspeakData}
}

// secretFlag says where the deployment's secret is.
type secretFlag struct {
	Secret string `help:"File of the secret that signs links, which is made when it is not there; the same on all servers. Default: secret in the data directory." type:"path" placeholder:"FILE"`
}

// in returns a place with the secret that the flag names.
func (f secretFlag) in(p deployment.Place) deployment.Place {
	p.Secret = f.Secret
	return p
}

// telemetryFlags say where traces go; figures are always there to be collected.
type telemetryFlags struct {
	OTLPEndpoint string  `help:"Send traces there, in OTLP over HTTP, such as http://127.0.0.1:4318; env takes the address from OTEL_EXPORTER_OTLP_ENDPOINT. Default: no traces." name:"otlp-endpoint" placeholder:"URL"`
	TraceSample  float64 `help:"Share of traces to keep, 0 to 1, of those that begin here. Default: ${default}." default:"0.1" placeholder:"SHARE"`
}

func (f telemetryFlags) traces() telemetry.Traces {
	return telemetry.Traces{Endpoint: f.OTLPEndpoint, Ratio: f.TraceSample}
}
