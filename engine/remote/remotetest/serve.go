package remotetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"
)

// serve is the process of a server.
func serve(o Options) error {
	speak, ok := protocol(o.Kind)
	if !ok {
		return fmt.Errorf("no server of kind %q", o.Kind)
	}
	v := newVoice(o)
	address := o.Address
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := listen(address)
	if err != nil {
		return err
	}
	h := hello{Address: l.Addr().String()}
	var served net.Listener = accepting{l, v}
	if o.TLS {
		var before hello
		if err := json.Unmarshal([]byte(os.Getenv(authority)), &before); err != nil {
			return err
		}
		var config *tls.Config
		if config, h.CA, h.Key, err = certificates(v, o.Names, before); err != nil {
			return err
		}
		served = tls.NewListener(served, config)
	}
	control, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	h.Control = control.Addr().String()
	go func() { _ = http.Serve(control, controls(v)) }() // until the process ends
	go func() {
		// The other end is closed when the process that started this one ends.
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if err := json.NewEncoder(os.Stdout).Encode(h); err != nil {
		return err
	}
	return speak(served, v)
}

// listen tries for a while: an address that a killed process had may be taken for a moment.
func listen(address string) (net.Listener, error) {
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		l, err := net.Listen("tcp", address)
		if err == nil || time.Now().After(deadline) {
			return l, err
		}
	}
}

func controls(v *Voice) http.Handler {
	answer := func(w http.ResponseWriter, x any) {
		_ = json.NewEncoder(w).Encode(x) // the test sees what is missing
	}
	requests := func() []Request {
		v.mu.Lock()
		defer v.mu.Unlock()
		all := make([]Request, len(v.requests))
		for i, r := range v.requests {
			all[i] = *r
		}
		return all
	}
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /fault", func(w http.ResponseWriter, r *http.Request) {
		var f Fault
		if err := json.NewDecoder(r.Body).Decode(&f); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		v.set(f)
	})
	mux.HandleFunc("GET /requests", func(w http.ResponseWriter, r *http.Request) { answer(w, requests()) })
	mux.HandleFunc("GET /settled", func(w http.ResponseWriter, r *http.Request) {
		v.mu.Lock()
		idle := v.idle
		v.mu.Unlock()
		select {
		case <-idle:
			answer(w, requests())
		case <-time.After(10 * time.Second):
			http.Error(w, "the server still speaks", http.StatusGatewayTimeout)
		}
	})
	mux.HandleFunc("GET /count", func(w http.ResponseWriter, r *http.Request) {
		v.mu.Lock()
		defer v.mu.Unlock()
		answer(w, v.count)
	})
	return mux
}

// certificates makes two certificates: that of the server and, for [Impostor], one for another name.
// The authority and its key are returned; they are those of an earlier process if there was one.
func certificates(v *Voice, names []string, before hello) (config *tls.Config, ca, private []byte, err error) {
	signer := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "remotetest"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	var key *ecdsa.PrivateKey
	if before.CA != nil {
		if key, err = x509.ParseECPrivateKey(before.Key); err != nil {
			return nil, nil, nil, err
		}
		if signer, err = x509.ParseCertificate(before.CA); err != nil {
			return nil, nil, nil, err
		}
		ca = before.CA
	} else {
		if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			return nil, nil, nil, err
		}
		if ca, err = x509.CreateCertificate(rand.Reader, signer, signer, &key.PublicKey, key); err != nil {
			return nil, nil, nil, err
		}
	}
	if private, err = x509.MarshalECPrivateKey(key); err != nil {
		return nil, nil, nil, err
	}
	issue := func(serial int64, ips []net.IP, names []string) (*tls.Certificate, error) {
		der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "server"},
			NotBefore: signer.NotBefore, NotAfter: signer.NotAfter,
			IPAddresses: ips, DNSNames: names,
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		}, signer, &key.PublicKey, key)
		return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
	}
	right, err := issue(2, []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(127, 0, 0, 2), net.IPv4(127, 0, 0, 3), net.IPv4(127, 0, 0, 4)}, append([]string{"localhost"}, names...))
	if err != nil {
		return nil, nil, nil, err
	}
	wrong, err := issue(3, nil, []string{"elsewhere.example"})
	if err != nil {
		return nil, nil, nil, err
	}
	return &tls.Config{
		NextProtos:             []string{"h2", "http/1.1"},
		SessionTicketsDisabled: true, // each connection must meet the certificate
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			if v.Peek().Trouble == Impostor {
				return wrong, nil
			}
			return right, nil
		},
	}, ca, private, nil
}
