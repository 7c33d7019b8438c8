package peers

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/server"
)

// speaker is a connection on which texts are spoken, one after the other.
type speaker interface {
	// speak returns the time until the first audio, and how many bytes of it came.
	speak(corpus.Sample) (first time.Duration, bytes int64, err error)
	Close()
}

// httpSpeaker has one text spoken by each request.
type httpSpeaker struct {
	*client.Client
	server *server.Server
}

func overHTTP(s *server.Server) (speaker, error) {
	c, err := client.Dial(s)
	return httpSpeaker{c, s}, err
}

func (h httpSpeaker) speak(t corpus.Sample) (first time.Duration, bytes int64, err error) {
	request := h.server.Request(t)
	began := time.Now()
	if err := h.Ask(request); err != nil {
		return 0, 0, err
	}
	bytes = -int64(h.server.Header)
	for {
		b, err := h.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, 0, err
		}
		if bytes += int64(len(b)); bytes > 0 && first == 0 {
			first = time.Since(began)
		}
	}
	if bytes <= 0 {
		return 0, 0, errors.New("the answer has no audio")
	}
	return first, bytes, nil
}

// wyoming speaks the Wyoming protocol: lines of JSON, each with as many bytes of more JSON, and of
// audio, as it says; https://github.com/OHF-Voice/wyoming.
type wyoming struct {
	net.Conn
	in *bufio.Reader
}

func overWyoming(s *server.Server) (speaker, error) {
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		return nil, err
	}
	return wyoming{conn, bufio.NewReaderSize(conn, 64<<10)}, nil
}

func (w wyoming) Close() { _ = w.Conn.Close() } // nothing that was sent matters any more

func (w wyoming) speak(t corpus.Sample) (first time.Duration, bytes int64, err error) {
	request, err := json.Marshal(map[string]any{"type": "synthesize", "data": map[string]any{"text": t.Text}})
	if err != nil {
		return 0, 0, err
	}
	if err := w.SetDeadline(time.Now().Add(server.Patience)); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if _, err := w.Write(append(request, '\n')); err != nil {
		return 0, 0, err
	}
	for {
		kind, n, err := event(w.in)
		if err != nil {
			return 0, 0, err
		}
		switch kind {
		case "audio-chunk":
			if first == 0 {
				first = time.Since(began)
			}
			bytes += n
		case "audio-stop":
			if bytes == 0 {
				return 0, 0, errors.New("the answer has no audio")
			}
			return first, bytes, nil
		case "error":
			return 0, 0, errors.New("the server answers with an error")
		}
	}
}

// event reads an event and returns its type and how many bytes of audio it had.
func event(in *bufio.Reader) (kind string, audio int64, err error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return "", 0, err
	}
	var head struct {
		Type          string `json:"type"`
		DataLength    int    `json:"data_length"`
		PayloadLength int    `json:"payload_length"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return "", 0, fmt.Errorf("the line %.80q: %w", line, err)
	}
	_, err = in.Discard(head.DataLength + head.PayloadLength)
	return head.Type, int64(head.PayloadLength), err
}
