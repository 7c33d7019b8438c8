//go:build ignore

// go run receive.go; WEBHOOK_SECRET holds the secret of the endpoint.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// verified reports whether a request was signed with the secret, not long ago.
func verified(secret string, h http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	seconds, err2 := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if err != nil || err2 != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", h.Get("webhook-id"), h.Get("webhook-timestamp"), body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for sent := range strings.FieldsSeq(h.Get("webhook-signature")) {
		if hmac.Equal([]byte(sent), []byte(want)) {
			return true
		}
	}
	return false
}

func main() {
	http.HandleFunc("POST /hook", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil || !verified(os.Getenv("WEBHOOK_SECRET"), r.Header, body) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event struct {
			Type string
			Data json.RawMessage
		}
		if json.Unmarshal(body, &event) == nil {
			fmt.Println(r.Header.Get("webhook-id"), event.Type, string(event.Data))
		}
		w.WriteHeader(http.StatusNoContent)
	})
	l, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("http://" + l.Addr().String() + "/hook")
	log.Fatal(http.Serve(l, nil))
}
