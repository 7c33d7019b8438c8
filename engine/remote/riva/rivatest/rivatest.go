// Package rivatest has a server of Riva's protocol for tests, as a kind of
// [vaak/engine/remote/remotetest]: a process of its own with faults that can be switched.
//
// Its messages are made from a description of the protocol by the protobuf library, so that they
// also check those that package riva encodes by hand.
package rivatest

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"

	"vaak/engine/remote/remotetest"
)

// Kind is the name of the kind for [remotetest.Options].
const Kind = "riva"

// Register adds the kind to the servers of remotetest. It is called before [remotetest.Main].
func Register() { remotetest.Register(Kind, Serve) }

// URL is the address of a server as package riva wants it.
func URL(s *remotetest.Server, o remotetest.Options) string {
	if o.TLS {
		return "grpcs://" + s.Address()
	}
	return "grpc://" + s.Address()
}

// The faults of this protocol beside those of remotetest.
const (
	NoHealth remotetest.Trouble = "riva_no_health" // the health service is not there
	NoConfig remotetest.Trouble = "riva_no_config" // GetRivaSynthesisConfig is not there
	NoModels remotetest.Trouble = "riva_no_models" // there is no health service and no model
	Odd      remotetest.Trouble = "riva_odd"       // messages end in the middle of samples
	Large    remotetest.Trouble = "riva_large"     // a message of 32 MB
	Meta     remotetest.Trouble = "riva_meta"      // messages without audio, and no end
	ended    remotetest.Trouble = "riva_status"
)

// Status is the fault that calls for speech end with a code.
func Status(code codes.Code) remotetest.Fault {
	return remotetest.Fault{Trouble: ended, To: strconv.Itoa(int(code))}
}

// Serve is a [remotetest.Protocol]. Each voice of the options is the voice of a model; without
// any, a model has English-US.Female-1 and English-US.Male-1 and speaks en-US, es-US, de-DE, fr-FR
// and hi-IN. Languages that no model lists are spoken, too.
func Serve(l net.Listener, v *remotetest.Voice) error {
	s := &server{voice: v, conns: map[string]net.Conn{}}
	g := grpc.NewServer(grpc.ForceServerCodecV2(codec{}), grpc.MaxRecvMsgSize(16<<20))
	g.RegisterService(&grpc.ServiceDesc{
		ServiceName: "nvidia.riva.tts.RivaSpeechSynthesis",
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: "GetRivaSynthesisConfig", Handler: s.config}},
		Streams:     []grpc.StreamDesc{{StreamName: "SynthesizeOnline", Handler: s.speak, ServerStreams: true}},
	}, s)
	grpc_health_v1.RegisterHealthServer(g, s)

	// Some faults are none of gRPC, so the server below is one of HTTP.
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	h := &http.Server{
		Protocols: &protocols, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute,
		ConnState: s.connection,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/SynthesizeOnline") || !s.foreign(w, r) {
				g.ServeHTTP(w, r)
			}
		}),
	}
	return h.Serve(l)
}

type server struct {
	grpc_health_v1.UnimplementedHealthServer
	voice *remotetest.Voice

	mu    sync.Mutex
	conns map[string]net.Conn // by the client's address
}

func (s *server) connection(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.conns[c.RemoteAddr().String()] = c
	case http.StateClosed:
		delete(s.conns, c.RemoteAddr().String())
	}
}

// reset resets the connection of a call.
func (s *server) reset(ctx context.Context) {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return
	}
	s.mu.Lock()
	c := s.conns[p.Addr.String()]
	s.mu.Unlock()
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if t, ok := c.(interface{ SetLinger(int) error }); ok {
		_ = t.SetLinger(0) // it is closed anyway
	}
	if c != nil {
		_ = c.Close() // it is in use
	}
}

// foreign answers as no server of gRPC does, where the fault says so.
func (s *server) foreign(w http.ResponseWriter, r *http.Request) bool {
	f := s.voice.Peek()
	switch f.Trouble {
	case remotetest.Page, remotetest.JSON, remotetest.Redirect, remotetest.Long:
	default:
		return false
	}
	// The text is not read: what is asked does not matter.
	speech := s.voice.Begin(remotetest.Request{Path: r.URL.Path, Protocol: r.Proto, Header: r.Header}, 0)
	defer speech.End("fault")
	switch f.Trouble {
	case remotetest.Page:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body>It works!</body></html>")
	case remotetest.JSON:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"error":{"message":"no"}}`)
	case remotetest.Redirect:
		http.Redirect(w, r, f.To, http.StatusTemporaryRedirect)
	case remotetest.Long:
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		w.WriteHeader(http.StatusOK)
	}
	return true
}

func (s *server) admits(ctx context.Context) error {
	key := s.voice.Options().Key
	if key == "" || slices.Contains(metadata.ValueFromIncomingContext(ctx, "authorization"), "Bearer "+key) {
		return nil
	}
	return status.Error(codes.Unauthenticated, "invalid key")
}

// Check implements the health service.
func (s *server) Check(ctx context.Context, _ *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	s.note(ctx, "/grpc.health.v1.Health/Check")
	state := grpc_health_v1.HealthCheckResponse_SERVING
	switch s.voice.Peek().Trouble {
	case NoHealth, NoModels:
		return nil, status.Error(codes.Unimplemented, "unknown service grpc.health.v1.Health")
	case remotetest.Sick, remotetest.Overload:
		state = grpc_health_v1.HealthCheckResponse_NOT_SERVING
	case remotetest.Error:
		return nil, status.Error(codes.Internal, "engine dead")
	case remotetest.Hang:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &grpc_health_v1.HealthCheckResponse{Status: state}, nil
}

func (s *server) note(ctx context.Context, path string) {
	header, _ := metadata.FromIncomingContext(ctx)
	s.voice.Note(remotetest.Request{Path: path, Protocol: "HTTP/2.0", Header: header})
}

func (s *server) config(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	in := dynamicpb.NewMessage(descriptor("RivaSynthesisConfigRequest"))
	if err := decode(in); err != nil {
		return nil, err
	}
	s.note(ctx, "/nvidia.riva.tts.RivaSpeechSynthesis/GetRivaSynthesisConfig")
	if err := s.admits(ctx); err != nil {
		return nil, err
	}
	out := dynamicpb.NewMessage(descriptor("RivaSynthesisConfigResponse"))
	switch s.voice.Peek().Trouble {
	case NoConfig:
		return nil, status.Error(codes.Unimplemented, "unknown method GetRivaSynthesisConfig")
	case NoModels:
		return out, nil
	case remotetest.Hang:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	configs := out.Mutable(field(out, "model_config")).List()
	add := func(voice, subvoices, languages string) {
		m := configs.AppendMutable().Message()
		m.Set(m.Descriptor().Fields().ByName("model_name"), protoreflect.ValueOfString("model-"+voice))
		parameters := m.Mutable(m.Descriptor().Fields().ByName("parameters")).Map()
		for key, value := range map[string]string{
			"language_code": languages, "voice_name": voice, "subvoices": subvoices,
			"sample_rate": strconv.Itoa(s.voice.Options().Rate),
		} {
			parameters.Set(protoreflect.ValueOfString(key).MapKey(), protoreflect.ValueOfString(value))
		}
	}
	for _, name := range s.voice.Options().Voices {
		voice, sub, _ := strings.Cut(name, ".")
		add(voice, sub, "en-US")
	}
	if len(s.voice.Options().Voices) == 0 {
		add("English-US", "Female-1:0,Male-1:1", "en-US, es-US, de-DE, fr-FR, hi-IN")
	}
	return out, nil
}

func (s *server) speak(_ any, stream grpc.ServerStream) error {
	ctx := stream.Context()
	in := dynamicpb.NewMessage(descriptor("SynthesizeSpeechRequest"))
	if err := stream.RecvMsg(in); err != nil {
		return err
	}
	body, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(in)
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	header, _ := metadata.FromIncomingContext(ctx)
	text, voice := in.Get(field(in, "text")).String(), in.Get(field(in, "voice_name")).String()
	speech := s.voice.Begin(remotetest.Request{
		Path: "/nvidia.riva.tts.RivaSpeechSynthesis/SynthesizeOnline", Protocol: "HTTP/2.0",
		Header: header, Body: json.RawMessage(body), Text: text, Voice: voice,
	}, int(in.Get(field(in, "sample_rate_hz")).Int()))
	defer speech.End("fault")
	if err := s.admits(ctx); err != nil {
		return err
	}
	if known := s.voice.Options().Voices; len(known) > 0 && voice != "" && !slices.Contains(known, voice) {
		return status.Error(codes.InvalidArgument, "no voice "+voice)
	}
	if encoding := in.Get(field(in, "encoding")).Enum(); encoding != 1 {
		return status.Error(codes.InvalidArgument, "only LINEAR_PCM is spoken here")
	}
	if err := s.refuse(ctx, stream, speech, text); err != nil {
		return err
	}
	var words []remotetest.Timed
	if in.Get(field(in, "enable_word_time_offsets")).Bool() && !s.voice.Options().NoTimes {
		words = speech.Words()
	}
	err = s.sound(ctx, stream, speech, text, words)
	switch {
	case err == nil:
		speech.End("done")
	case ctx.Err() != nil:
		speech.End("cancelled")
	}
	return err
}

// refuse does what faults do before any sound.
func (s *server) refuse(ctx context.Context, stream grpc.ServerStream, speech *remotetest.Speech, text string) error {
	f := speech.Fault
	switch f.Trouble {
	case remotetest.Hang:
		<-ctx.Done()
		speech.End("cancelled")
		return ctx.Err()
	case remotetest.Error:
		return status.Error(codes.Internal, "CUDA error: out of memory")
	case remotetest.Busy:
		return delayed(codes.ResourceExhausted, f.RetryAfter)
	case remotetest.Overload:
		return delayed(codes.Unavailable, f.RetryAfter)
	case remotetest.Denied:
		return status.Error(codes.Unauthenticated, "invalid key")
	case remotetest.Refused:
		return status.Error(codes.InvalidArgument, "Error: cannot speak '"+text+"'")
	case ended:
		code, err := strconv.Atoi(f.To)
		if err != nil {
			return status.Error(codes.Internal, err.Error())
		}
		return status.Error(codes.Code(code), "as the test wants it")
	case remotetest.Garbage:
		for {
			b := make(raw, 500)
			for i := range b {
				b[i] = byte(rand.Uint32())
			}
			b[0] = 0x07 // a type of field that there is not
			if err := stream.SendMsg(b); err != nil {
				return err
			}
		}
	case Large:
		return stream.SendMsg(message(make([]byte, 32<<20), nil, nil))
	case Meta:
		for {
			if err := stream.SendMsg(message(nil, nil, nil)); err != nil {
				return err
			}
		}
	}
	return nil
}

// sound sends the sound, and each word with the message in which it begins.
func (s *server) sound(ctx context.Context, stream grpc.ServerStream, speech *remotetest.Speech, text string, words []remotetest.Timed) error {
	var left []byte
	samples := 0
	begun := func(pcm []byte) []remotetest.Timed {
		samples += len(pcm) / 2
		until := time.Duration(samples) * time.Second / time.Duration(speech.Rate)
		n := 0
		for n < len(words) && words[n].Start < until {
			n++
		}
		first := words[:n]
		words = words[n:]
		return first
	}
	for {
		pcm, err := speech.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			if speech.Fault.Trouble == remotetest.HalfSample {
				left = append(left, 1)
			}
			// The last message of Riva has the metadata.
			return stream.SendMsg(message(left, &text, words))
		case errors.Is(err, remotetest.ErrShort):
			return nil
		case errors.Is(err, remotetest.ErrFailed):
			return status.Error(codes.Internal, "the vocoder failed")
		case errors.Is(err, remotetest.ErrReset):
			s.reset(ctx)
			<-ctx.Done()
			return ctx.Err()
		case err != nil:
			return err
		}
		if speech.Fault.Trouble == Odd {
			whole := append(left, pcm...)
			left = slices.Clone(whole[len(whole)-1:])
			pcm = whole[:len(whole)-1]
		}
		if err := stream.SendMsg(message(pcm, nil, begun(pcm))); err != nil {
			return err
		}
	}
}

// message is a SynthesizeSpeechResponse.
func message(audio []byte, text *string, words []remotetest.Timed) proto.Message {
	m := dynamicpb.NewMessage(descriptor("SynthesizeSpeechResponse"))
	if len(audio) > 0 {
		m.Set(field(m, "audio"), protoreflect.ValueOfBytes(audio))
	}
	if text != nil {
		meta := m.Mutable(field(m, "meta")).Message()
		fields := meta.Descriptor().Fields()
		meta.Set(fields.ByName("text"), protoreflect.ValueOfString(*text))
		meta.Set(fields.ByName("processed_text"), protoreflect.ValueOfString(strings.ToUpper(*text)))
		durations := meta.Mutable(fields.ByName("predicted_durations")).List()
		for range remotetest.Split(*text) {
			durations.Append(protoreflect.ValueOfFloat32(7.5))
		}
	}
	for _, w := range words {
		meta := m.Mutable(field(m, "meta")).Message()
		word := meta.Mutable(meta.Descriptor().Fields().ByName("words")).List().AppendMutable().Message()
		fields := word.Descriptor().Fields()
		word.Set(fields.ByName("word"), protoreflect.ValueOfString(w.Word))
		word.Set(fields.ByName("start_time"), protoreflect.ValueOfInt32(int32(w.Start.Milliseconds())))
		word.Set(fields.ByName("end_time"), protoreflect.ValueOfInt32(int32(w.End.Milliseconds())))
	}
	return m
}

// delayed is a status with a RetryInfo, where seconds are given.
func delayed(code codes.Code, seconds string) error {
	s := status.New(code, "too many requests")
	delay, err := strconv.Atoi(seconds)
	if err != nil {
		return s.Err()
	}
	// RetryInfo has a Duration as its first field, which has the seconds as its first.
	info := dynamicpb.NewMessage(descriptor("RetryInfo"))
	d := info.Mutable(field(info, "retry_delay")).Message()
	d.Set(d.Descriptor().Fields().ByName("seconds"), protoreflect.ValueOfInt64(int64(delay)))
	value, err := proto.Marshal(info)
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	p := s.Proto()
	p.Details = append(p.Details, &anypb.Any{TypeUrl: "type.googleapis.com/google.rpc.RetryInfo", Value: value})
	return status.FromProto(p).Err()
}

// raw is a message that is sent as it is.
type raw []byte

type codec struct{}

func (codec) Name() string { return "proto" }

func (codec) Marshal(v any) (mem.BufferSlice, error) {
	if b, ok := v.(raw); ok {
		return mem.BufferSlice{mem.SliceBuffer(b)}, nil
	}
	b, err := proto.Marshal(v.(proto.Message))
	return mem.BufferSlice{mem.SliceBuffer(b)}, err
}

func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	return proto.Unmarshal(data.Materialize(), v.(proto.Message))
}
