// Package openai writes the forms of the OpenAI dialect: error objects, and the events of a
// streamed answer. It holds pure functions and no handlers.
package openai

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
)

// Error is the object that the dialect's clients read of a failed request.
type Error struct {
	Message string  `json:"message" doc:"What is wrong, what is allowed and what was sent, in a sentence." example:"speed 1.9 is outside 0.7 to 1.5"`
	Type    string  `json:"type" doc:"The sort of error." enum:"invalid_request_error,authentication_error,insufficient_quota,rate_limit_exceeded,server_error" example:"invalid_request_error"`
	Param   *string `json:"param" nullable:"true" doc:"The parameter at fault; null when it is none." example:"speed"`
	Code    string  `json:"code" doc:"Stable, for programs." example:"invalid_parameter"`
}

// MaxDelta is the most audio that one event carries, in bytes. Its line stays
// under 64 KiB, the most that common clients take, and the audio divides into
// whole samples and whole base64 groups.
const MaxDelta = 48000

const (
	deltaHead = `data: {"type":"speech.audio.delta","audio":"`
	deltaTail = "\"}\n\n"
)

// AppendDelta appends the event that carries a piece of audio, at most
// [MaxDelta] bytes.
func AppendDelta(dst, audio []byte) []byte {
	dst = append(dst, deltaHead...)
	dst = base64.StdEncoding.AppendEncode(dst, audio)
	return append(dst, deltaTail...)
}

// AppendDone appends the event that ends a stream. It counts characters where OpenAI counts
// tokens: those of the text as input, and none as output.
func AppendDone(dst []byte, characters int) []byte {
	dst = append(dst, `data: {"type":"speech.audio.done","usage":{"input_tokens":`...)
	dst = strconv.AppendInt(dst, int64(characters), 10)
	dst = append(dst, `,"output_tokens":0,"total_tokens":`...)
	dst = strconv.AppendInt(dst, int64(characters), 10)
	return append(dst, "}}\n\n"...)
}

// AppendError appends the event that breaks a stream off.
func AppendError(dst []byte, e Error) []byte {
	body, err := json.Marshal(e)
	if err != nil {
		panic(err) // cannot be: the struct holds strings
	}
	dst = append(dst, `data: {"type":"error","error":`...)
	dst = append(dst, body...)
	return append(dst, "}\n\n"...)
}
