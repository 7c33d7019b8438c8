package doctor

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"vaak/internal/checkup"
	"vaak/internal/pause"
)

// ports checks that each address is free, or that a Vaak listens at it. It takes the free
// addresses at the same time, so two flags with one address are found out.
func (p *Patient) ports(ctx context.Context) checkup.Finding {
	scheme := "http"
	if p.Secure() {
		scheme = "https"
	}
	var found []checkup.Finding
	taken := map[string]string{} // flags by the addresses that they have
	for _, one := range []struct {
		flag, address string
		greets        func(ctx context.Context, base string) checkup.Finding
		scheme        string
	}{
		{"--listen", p.Listen, greetsPublic, scheme},
		{"--admin-listen", p.AdminListen, greetsAdmin, "http"},
		{"--console-listen", p.Console.Listen, greetsConsole, scheme},
		{"--acme-listen", p.ACMEListen, greetsChallenges, "http"},
	} {
		if one.address == "" {
			continue // a console without a named address takes any port; no address takes no challenges
		}
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", one.address)
		if err == nil {
			defer l.Close() // it never accepted anything
			taken[one.address] = one.flag
			found = append(found, checkup.Good("%s is free", one.address))
			continue
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			found = append(found, cannotListen(one.flag, one.address, err))
			continue
		}
		// The address is in use by this very check, which listens for the flag before.
		if other := taken[one.address]; other != "" {
			found = append(found, checkup.Fail("Give each its own port.", "%s and %s are both %s", other, one.flag, one.address))
			continue
		}
		who := one.greets(ctx, one.scheme+"://"+reachable(one.address))
		who.Found = one.address + " " + who.Found
		found = append(found, who)
	}
	return checkup.Worst(found...)
}

// cannotListen says why an address cannot be taken that is not in use.
func cannotListen(flag, address string, err error) checkup.Finding {
	switch {
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return checkup.Fail("Take a port from 1024 on, with a proxy in front, or give the program the capability CAP_NET_BIND_SERVICE.", "%s %s: this user may not listen there", flag, address)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return checkup.Fail("Name an address of this machine with "+flag+", or 0.0.0.0 for all.", "%s %s: this machine has no such address", flag, address)
	}
	return checkup.Fail("Give "+flag+" as address:port, such as 127.0.0.1:8080.", "%s %.64q: %v", flag, address, err)
}

// reachable returns an address at which a server that listens on an address can be asked:
// the loopback address where it listens on all of them.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	switch at, err := netip.ParseAddr(host); {
	case host == "", err == nil && at.IsUnspecified() && at.Is4():
		host = "127.0.0.1"
	case err == nil && at.IsUnspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}

// takenByOther is the finding of an address that is not ours.
func takenByOther(why string) checkup.Finding {
	return checkup.Fail("End the other program, or choose another port.", "is in use by another program: %s", why)
}

// greetsPublic finds out whether a Vaak listens at an address of the services.
func greetsPublic(ctx context.Context, base string) checkup.Finding {
	status, body, err := askListener(ctx, base+"/llms.txt")
	switch {
	case err != nil:
		return takenByOther(err.Error())
	// A Vaak under load may refuse the question itself. Its refusal is as good a sign as
	// its page.
	case status == http.StatusTooManyRequests && strings.Contains(body, `"rate_limit_exceeded"`), strings.HasPrefix(body, "# Vaak\n"):
		return checkup.Good("is in use by a running Vaak")
	}
	return takenByOther("it is no Vaak")
}

// greetsConsole finds out whether a Vaak's console is at an address.
func greetsConsole(ctx context.Context, base string) checkup.Finding {
	status, body, err := askListener(ctx, base+"/nowhere")
	switch {
	case err != nil:
		return takenByOther(err.Error())
	case status == http.StatusNotFound && strings.Contains(body, " · Vaak</title>"):
		return checkup.Good("is in use by a running Vaak's console")
	}
	return takenByOther("it is no Vaak")
}

// greetsChallenges finds out whether something at an address sends clients on, as a Vaak does
// where it answers challenges.
func greetsChallenges(ctx context.Context, base string) checkup.Finding {
	status, _, err := askListener(ctx, base+"/nowhere")
	switch {
	case err != nil:
		return takenByOther(err.Error())
	case status == http.StatusFound:
		return checkup.Good("is in use by a server that sends clients on, as a running Vaak does")
	}
	return takenByOther("it is no Vaak")
}

// greetsAdmin finds out whether a Vaak listens at an address for operators, and
// whether it is ready.
func greetsAdmin(ctx context.Context, base string) checkup.Finding {
	status, body, err := askListener(ctx, base+"/livez")
	switch {
	case err != nil:
		return takenByOther(err.Error())
	case status != http.StatusOK || body != "ok\n":
		return takenByOther("it is no Vaak")
	}
	_, body, err = askListener(ctx, base+"/readyz")
	var ready struct {
		Ready  bool `json:"ready"`
		Checks []struct {
			Name, Error string
			OK          bool
		} `json:"checks"`
	}
	if err != nil || json.Unmarshal([]byte(body), &ready) != nil || ready.Checks == nil {
		return takenByOther("it answers /livez, and /readyz not as Vaak does")
	}
	if ready.Ready {
		return checkup.Good("is in use by a running Vaak, which is ready")
	}
	var why []string
	for _, c := range ready.Checks {
		if !c.OK {
			why = append(why, c.Name+": "+c.Error)
		}
	}
	return checkup.Warn("Mend what it says; until then it gets no requests.", "is in use by a running Vaak that is not ready: %.500s", few(why))
}

// Limits of a request to the server that listens at an address.
const (
	askTimeout = 2 * time.Second
	askBytes   = 64 << 10
)

// asking is a client for servers of this machine. It uses no proxy and accepts any
// certificate, since no request carries a secret.
var asking = &http.Client{
	Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12},
	},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// askListener gets a page. Its error is a short sentence.
func askListener(ctx context.Context, url string) (status int, body string, err error) {
	ctx, cancel := pause.Within(ctx, askTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", errors.New("its address cannot be asked")
	}
	resp, err := asking.Do(r)
	if err == nil {
		defer resp.Body.Close() // read only
		var b []byte
		if b, err = io.ReadAll(io.LimitReader(resp.Body, askBytes)); err == nil {
			return resp.StatusCode, string(b), nil
		}
	}
	if ctx.Err() != nil {
		return 0, "", fmt.Errorf("it does not answer within %v", askTimeout)
	}
	return 0, "", fmt.Errorf("it does not speak %s", strings.ToUpper(r.URL.Scheme))
}
