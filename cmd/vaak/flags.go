package main

import (
	"cmp"

	"vaak/app/deployment"
	"vaak/app/speaker"
	"vaak/internal/telemetry"
)

// engineFlags say how to run the engine. Every command that speaks has them.
type engineFlags struct {
	EspeakWorker string `help:"The espeak worker program. Default: vaak-espeak-worker beside this program." placeholder:"FILE" type:"path"`
	EspeakData   string `help:"Directory that holds espeak-ng-data. Default: that of the worker if it is there, else the library's own." placeholder:"DIR" type:"path"`
	neuralFlags
	Pools string `help:"File of the pools of model servers and of the voices that speak on them; it is read again on SIGHUP. Default: no pools." placeholder:"FILE" type:"path"`
}

// neuralFlags say how to run the voices that the operator has added.
type neuralFlags struct {
	VoiceDir        string `help:"Directory of the voices that vaak voice add has added. Default: voices in the data directory." placeholder:"DIR" type:"path"`
	ONNXRuntime     string `help:"The library of ONNX Runtime, with which added voices speak. Default: libonnxruntime.so beside this program, else that of the system; without one there are no added voices." name:"onnxruntime" placeholder:"FILE" type:"path"`
	MaxNeuralMemory int64  `help:"Bytes that the models of added voices may take together; those that were not used for the longest time are dropped. 0 is no limit. Default: ${default}, which is 2 GiB." default:"2147483648" placeholder:"N"`
}

// engine returns what the flags say, for the voices of a place.
func (f engineFlags) engine(place deployment.Place) speaker.Engine {
	return speaker.Engine{Worker: f.EspeakWorker, Data: f.EspeakData, Neural: f.neural(place), Pools: f.Pools}
}

func (f neuralFlags) neural(place deployment.Place) speaker.Neural {
	return speaker.Neural{Dir: cmp.Or(f.VoiceDir, place.In(deployment.Voices)), Library: f.ONNXRuntime, Memory: f.MaxNeuralMemory}
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
	OTLPHeaders  string  `help:"Headers with which traces are sent, such as authorization=Bearer%20TOKEN, with commas between them. VAAK_OTLP_HEADERS_FILE names a file with the value. Default: those of OTEL_EXPORTER_OTLP_HEADERS." name:"otlp-headers" placeholder:"NAME=VALUE,..." secret:""`
	TraceSample  float64 `help:"Share of traces to keep, 0 to 1, of those that begin here. Default: ${default}." default:"0.1" placeholder:"SHARE"`
}

func (f telemetryFlags) traces() telemetry.Traces {
	return telemetry.Traces{Endpoint: f.OTLPEndpoint, Headers: f.OTLPHeaders, Ratio: f.TraceSample}
}
