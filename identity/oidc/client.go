package oidc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	timeout = 10 * time.Second
	maxBody = 1 << 20 // bytes
)

var errLong = errors.New("the answer of the identity provider has more than 1 MiB")

// bounded returns a client that waits for ten seconds at most, reads a mebibyte at most and
// follows no redirect.
func bounded(from *http.Client) *http.Client {
	c := &http.Client{Timeout: timeout}
	transport := http.DefaultTransport
	if from != nil {
		if from.Transport != nil {
			transport = from.Transport
		}
		if from.Timeout > 0 {
			c.Timeout = min(timeout, from.Timeout)
		}
	}
	c.Transport = short{transport}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// short reads whole answers, within the bound. It returns an error for a GET that is not
// answered with success, so that the library above reports it like a provider that is away.
type short struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (s short) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // read only
	if r.Method == http.MethodGet && resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the identity provider answers with status %d", resp.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxBody:
		return nil, errLong
	}
	resp.Body = io.NopCloser(bytes.NewReader(text))
	return resp, nil
}
