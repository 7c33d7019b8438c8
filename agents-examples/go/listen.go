package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
)

// listenDefinition is a tool that we have ourselves: the server links to samples,
// and whoever wants to hear one fetches it.
var listenDefinition = definition{"function", function{
	Name:        "listen_to_sample",
	Description: "Fetch the WAV sample of a dataset, by its URL in the record, and say how long, how loud and in how many channels it is.",
	Parameters: map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"url"},
		"properties": map[string]any{"url": map[string]any{"type": "string", "description": "Address of the WAV file."}},
	},
}}

func listen(ctx context.Context, arguments string) string {
	var in struct{ URL string }
	if err := json.Unmarshal([]byte(arguments), &in); err != nil {
		return "the arguments are not JSON: " + err.Error()
	}
	if err := ofServer(in.URL, os.Getenv("VAAK_URL")); err != nil {
		return err.Error()
	}
	sample, err := fetch(ctx, in.URL)
	if err != nil {
		return "the sample could not be fetched: " + err.Error()
	}
	heard, err := describe(sample)
	if err != nil {
		return "the sample could not be read: " + err.Error()
	}
	return heard
}

// ofServer refuses addresses that are not of our server. The model has read what
// strangers wrote of their datasets: whoever can put an address into its mind could
// have this program call anything that it can reach.
func ofServer(address, server string) error {
	ours, err := url.Parse(server)
	if err != nil {
		return err
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != ours.Scheme || u.Host != ours.Host || u.User != nil {
		return fmt.Errorf("only samples of %s://%s are listened to; %.200q is none: take the address from the record", ours.Scheme, ours.Host, address)
	}
	return nil
}

// describe says what is heard in a WAV file of 16-bit samples.
func describe(wav []byte) (string, error) {
	if len(wav) < 12 || string(wav[:4]) != "RIFF" || string(wav[8:12]) != "WAVE" {
		return "", errors.New("it is no WAV file")
	}
	var channels, rate int
	for at := wav[12:]; len(at) >= 8; {
		name, size := string(at[:4]), int(binary.LittleEndian.Uint32(at[4:]))
		body := at[8:min(8+size, len(at))]
		switch {
		case name == "fmt " && len(body) >= 16:
			channels, rate = int(binary.LittleEndian.Uint16(body[2:])), int(binary.LittleEndian.Uint32(body[4:]))
		case name == "data" && channels > 0 && rate > 0:
			frames := len(body) / 2 / channels
			var sum float64
			for i := range frames * channels {
				sample := float64(int16(binary.LittleEndian.Uint16(body[2*i:]))) / 32768
				sum += sample * sample
			}
			level := 10 * math.Log10(sum/float64(max(frames*channels, 1))+1e-12)
			return fmt.Sprintf("%.1f s in %d channels at %d Hz, %.0f dBFS on average.", float64(frames)/float64(rate), channels, rate, level), nil
		}
		at = at[min(8+size+size%2, len(at)):]
	}
	return "", errors.New("it holds no samples")
}

// save fetches a file into the working directory.
func save(ctx context.Context, address, name string) error {
	content, err := fetch(ctx, address)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "  wrote %s, %d bytes\n", name, len(content))
	return os.WriteFile(name, content, 0o644)
}

// maxFetched is the largest file that is fetched.
const maxFetched = 64 << 20

// straight follows no redirect: it might lead to another host.
var straight = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func fetch(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := straight.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", address, resp.Status)
	}
	content, err := io.ReadAll(io.LimitReader(resp.Body, maxFetched+1))
	if err == nil && len(content) > maxFetched {
		err = fmt.Errorf("%s has more than %d bytes", address, maxFetched)
	}
	return content, err
}
