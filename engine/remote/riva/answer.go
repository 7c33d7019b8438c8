package riva

import (
	"context"
	"encoding/binary"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"

	"vaak/engine/remote/wire"
)

// maxSilentMessages is how many messages without audio may follow each other.
const maxSilentMessages = 1000

// maxWordText is the longest word that is taken, in bytes.
const maxWordText = 200

// answer is an answer of a server.
type answer struct {
	ctx      context.Context // of who asked; the answer lives no longer
	call     context.Context // of the call: a part of ctx that ends with the answer
	end      func()          // ends the call
	stream   grpc.ClientStream
	progress *progress
	text     string
	rate     int

	message response
	unread  []byte // of message
	half    bool   // the first byte of a sample came at the end of the last message
	first   byte
	words   []wire.Word
	untimed bool // the times that follow are not those of the answer
	began   bool // there was a sample
	err     error
}

// open asks for speech and waits for the first sound.
func (s *Server) open(ctx context.Context, r *request) (*answer, error) {
	var a *answer
	err := s.call(ctx, true, func(call context.Context, l *link, p *progress) error {
		call, cancel := context.WithCancel(call)
		a = &answer{ctx: ctx, call: call, progress: p, text: r.text, rate: r.rate}
		err := a.begin(l.conn, r)
		if err != nil {
			cancel()
			return err
		}
		a.end = sync.OnceFunc(func() {
			cancel()
			s.drop(l)
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

func (a *answer) begin(conn *grpc.ClientConn, r *request) error {
	stream, err := conn.NewStream(a.call, &grpc.StreamDesc{ServerStreams: true}, synthesize, grpc.ForceCodecV2(codec{}))
	if err != nil {
		return failure(a.ctx, err, a.progress, a.text, false)
	}
	a.stream = stream
	// io.EOF means that the call has ended; why, is told when the answer is read.
	if err := stream.SendMsg(r); err != nil && err != io.EOF {
		return failure(a.ctx, err, a.progress, a.text, false)
	}
	if err := stream.CloseSend(); err != nil {
		return failure(a.ctx, err, a.progress, a.text, false)
	}
	return a.receive()
}

func (a *answer) Rate() int { return a.rate }

func (a *answer) Words() []wire.Word { return a.words }

func (a *answer) Close() { a.end() }

func (a *answer) Read(pcm []int16) (int, error) {
	if len(pcm) == 0 {
		return 0, nil
	}
	n := 0
	for n == 0 {
		if len(a.unread) == 0 {
			if a.err != nil {
				return 0, a.err
			}
			if a.err = a.receive(); a.err != nil {
				a.end()
				return 0, a.err
			}
		}
		if a.half && len(a.unread) > 0 {
			pcm[0] = int16(uint16(a.first) | uint16(a.unread[0])<<8)
			a.half, a.unread, n = false, a.unread[1:], 1
		}
		for ; n < len(pcm) && len(a.unread) >= 2; n++ {
			pcm[n] = int16(binary.LittleEndian.Uint16(a.unread))
			a.unread = a.unread[2:]
		}
		if len(a.unread) == 1 && n < len(pcm) {
			a.half, a.first, a.unread = true, a.unread[0], nil
		}
	}
	a.began = true
	return n, nil
}

// receive waits for the next message with audio. The error is that of Read.
func (a *answer) receive() error {
	for range maxSilentMessages {
		if a.call.Err() != nil && a.ctx.Err() == nil {
			return &wire.Failure{Reason: wire.Broken, Detail: "the answer was closed"}
		}
		err := a.stream.RecvMsg(&a.message)
		switch {
		case err == io.EOF && a.half:
			return &wire.Failure{Reason: wire.Broken, Detail: "the audio ends in the middle of a sample"}
		case err == io.EOF && !a.began:
			return &wire.Failure{Reason: wire.Empty, Detail: "the answer has no audio"}
		case err == io.EOF:
			return io.EOF
		case err != nil:
			return failure(a.ctx, err, a.progress, a.text, a.began)
		case a.message.bad != nil:
			return &wire.Failure{Reason: wire.Broken, Detail: "a message is none of Riva", Err: a.message.bad}
		}
		a.time(a.message.words)
		if len(a.message.audio) > 0 {
			a.unread = a.message.audio
			return nil
		}
	}
	return &wire.Failure{Reason: wire.Broken, Detail: "messages without audio, and no end"}
}

// time takes words with their times. The protocol counts them from the beginning of the answer; if
// they go back, the server counts otherwise, and no more are believed.
func (a *answer) time(words []wire.Word) {
	for _, w := range words {
		last := time.Duration(0)
		if n := len(a.words); n > 0 {
			last = a.words[n-1].Start
		}
		a.untimed = a.untimed || w.Start < last || w.End < w.Start || len(a.words) == maxWords
		if a.untimed {
			return
		}
		if w.Text != "" && len(w.Text) <= maxWordText {
			a.words = append(a.words, w)
		}
	}
}
