package rivatest

import (
	"fmt"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

type part = descriptorpb.FieldDescriptorProto

func one(name string, number int32, kind descriptorpb.FieldDescriptorProto_Type) *part {
	return &part{
		Name: &name, Number: &number, Type: &kind,
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
	}
}

func text(name string, number int32) *part {
	return one(name, number, descriptorpb.FieldDescriptorProto_TYPE_STRING)
}

func integer(name string, number int32) *part {
	return one(name, number, descriptorpb.FieldDescriptorProto_TYPE_INT32)
}

func octets(name string, number int32) *part {
	return one(name, number, descriptorpb.FieldDescriptorProto_TYPE_BYTES)
}

func encoding(number int32) *part {
	p := one("encoding", number, descriptorpb.FieldDescriptorProto_TYPE_ENUM)
	p.TypeName = proto.String(".nvidia.riva.tts.AudioEncoding")
	return p
}

func inner(name string, number int32, message string) *part {
	p := one(name, number, descriptorpb.FieldDescriptorProto_TYPE_MESSAGE)
	p.TypeName = proto.String(".nvidia.riva.tts." + message)
	return p
}

func repeated(p *part) *part {
	p.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
	return p
}

func kind(name string, parts ...*part) *descriptorpb.DescriptorProto {
	return &descriptorpb.DescriptorProto{Name: &name, Field: parts}
}

// entry is the type of the entries of a map from strings to strings.
func entry(name string) *descriptorpb.DescriptorProto {
	d := kind(name, text("key", 1), text("value", 2))
	d.Options = &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)}
	return d
}

// protocol describes the messages of riva_tts.proto that are used here. The encodings are those
// of riva_audio.proto. RetryInfo is that of google.rpc.
var protocol = sync.OnceValue(func() protoreflect.FileDescriptor {
	config := kind("Config", text("model_name", 1),
		repeated(inner("parameters", 2, "RivaSynthesisConfigResponse.Config.ParametersEntry")))
	config.NestedType = []*descriptorpb.DescriptorProto{entry("ParametersEntry")}
	configs := kind("RivaSynthesisConfigResponse", repeated(inner("model_config", 1, "RivaSynthesisConfigResponse.Config")))
	configs.NestedType = []*descriptorpb.DescriptorProto{config}
	request := kind("SynthesizeSpeechRequest",
		text("text", 1), text("language_code", 2), encoding(3), integer("sample_rate_hz", 4), text("voice_name", 5),
		inner("zero_shot_data", 6, "ZeroShotData"), text("custom_dictionary", 7),
		repeated(inner("custom_configuration", 8, "SynthesizeSpeechRequest.CustomConfigurationEntry")),
		one("enable_word_time_offsets", 9, descriptorpb.FieldDescriptorProto_TYPE_BOOL))
	request.NestedType = []*descriptorpb.DescriptorProto{entry("CustomConfigurationEntry")}
	value := func(name string, number int32) *descriptorpb.EnumValueDescriptorProto {
		return &descriptorpb.EnumValueDescriptorProto{Name: &name, Number: &number}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("rivatest.proto"), Package: proto.String("nvidia.riva.tts"), Syntax: proto.String("proto3"),
		EnumType: []*descriptorpb.EnumDescriptorProto{{Name: proto.String("AudioEncoding"), Value: []*descriptorpb.EnumValueDescriptorProto{
			value("ENCODING_UNSPECIFIED", 0), value("LINEAR_PCM", 1), value("FLAC", 2), value("MULAW", 3), value("OGGOPUS", 4), value("ALAW", 20),
		}}},
		MessageType: []*descriptorpb.DescriptorProto{
			kind("RivaSynthesisConfigRequest", text("model_name", 1)),
			configs,
			kind("ZeroShotData", octets("audio_prompt", 1), integer("sample_rate_hz", 2), encoding(3), integer("quality", 4), text("transcript", 5)),
			request,
			kind("SynthesizeSpeechResponseMetadata", text("text", 1), text("processed_text", 2),
				repeated(one("predicted_durations", 8, descriptorpb.FieldDescriptorProto_TYPE_FLOAT)), repeated(inner("words", 9, "WordTiming"))),
			kind("WordTiming", text("word", 1), integer("start_time", 2), integer("end_time", 3)),
			kind("SynthesizeSpeechResponse", octets("audio", 1), inner("meta", 2, "SynthesizeSpeechResponseMetadata")),
			kind("Duration", one("seconds", 1, descriptorpb.FieldDescriptorProto_TYPE_INT64), integer("nanos", 2)),
			kind("RetryInfo", inner("retry_delay", 1, "Duration")),
		},
	}, nil)
	if err != nil {
		panic(err) // the description above is wrong
	}
	return file
})

func descriptor(message string) protoreflect.MessageDescriptor {
	return protocol().Messages().ByName(protoreflect.Name(message))
}

func field(m *dynamicpb.Message, name string) protoreflect.FieldDescriptor {
	return m.Descriptor().Fields().ByName(protoreflect.Name(name))
}

// Decode returns the fields of a message of the protocol, named such as
// "SynthesizeSpeechRequest".
func Decode(message string, b []byte) (m *dynamicpb.Message, err error) {
	// protobuf 1.36.12 panics where the key of a map's entry comes a second time with another type.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the protobuf library failed: %v", r)
		}
	}()
	m = dynamicpb.NewMessage(descriptor(message))
	return m, proto.Unmarshal(b, m)
}
