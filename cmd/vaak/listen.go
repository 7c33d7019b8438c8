package main

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"vaak/app/usage"
)

// loopback is the host of a port that is given alone.
const loopback = "127.0.0.1"

// listenDefault is the default listen address of the services.
const listenDefault = loopback + ":8080"

// listenAddress reads the value of a flag that says where to listen. A port alone is a
// port of this machine that nobody else can reach, so that a short answer never opens
// the server to the network. Other values stay as they are.
func listenAddress(text string) string {
	if _, err := strconv.ParseUint(text, 10, 16); err == nil {
		return net.JoinHostPort(loopback, text)
	}
	return text
}

// AfterApply completes the addresses when the flags have their values: a port alone gets
// a host, and --port goes into the address of the services. A port that --listen names
// as well must be the same.
func (c *serveCommand) AfterApply() error {
	for _, address := range []*string{&c.Listen, &c.AdminListen, &c.ConsoleListen, &c.ACMEListen} {
		*address = listenAddress(*address)
	}
	if c.Port == nil {
		return nil
	}
	if *c.Port < 0 || *c.Port > 65535 {
		return usage.Errorf("--port %d is outside 0 to 65535", *c.Port)
	}
	port := strconv.Itoa(*c.Port)
	host, named, err := net.SplitHostPort(c.Listen)
	switch {
	// Nobody named a host, as the value is the default.
	case c.Listen == listenDefault:
		c.Listen = net.JoinHostPort(loopback, port)
	case err != nil && hostAlone(c.Listen):
		c.Listen = net.JoinHostPort(strings.Trim(c.Listen, "[]"), port)
	case err == nil && named != port:
		return usage.Errorf("--port %s and --listen %s name different ports; --listen %s says both", port, c.Listen, net.JoinHostPort(host, port))
	}
	return nil
}

// hostAlone reports whether an address is a name or an IP address without a port.
func hostAlone(address string) bool {
	_, err := netip.ParseAddr(strings.Trim(address, "[]"))
	return err == nil || address != "" && !strings.ContainsAny(address, ":/")
}

// checkListen refuses addresses at which no machine can listen.
func (c serveCommand) checkListen() error {
	for _, one := range []struct{ flag, address string }{
		{"--listen", c.Listen}, {"--admin-listen", c.AdminListen}, {"--console-listen", c.ConsoleListen}, {"--acme-listen", c.ACMEListen},
	} {
		if one.flag == "--console-listen" && !c.consoleNamed() || one.flag == "--acme-listen" && one.address == "" {
			continue
		}
		_, port, err := net.SplitHostPort(one.address)
		if err == nil {
			// A port may have a name, such as http.
			_, err = net.LookupPort("tcp", port)
		}
		if err != nil {
			return usage.Errorf("%s: %.64q is not HOST:PORT such as 127.0.0.1:8080, nor a port alone, which is one of 127.0.0.1", one.flag, one.address)
		}
	}
	return nil
}

// connectionFlags bound the connections of clients.
type connectionFlags struct {
	MaxConnections           int `help:"Connections that clients may have open at once, on the public address and the console together; 0 is half of the files that the process may open. Default: ${default}." default:"0" placeholder:"N"`
	MaxConnectionsPerAddress int `help:"Connections that one client address may have open at once, be it a proxy that --trusted-proxies does not name; 0 is half of --max-connections. Default: ${default}." default:"0" placeholder:"N"`
}

func (f connectionFlags) check() error {
	if f.MaxConnections < 0 {
		return usage.Errorf("--max-connections %d is under 0; 0 is half of the files that the process may open", f.MaxConnections)
	}
	if f.MaxConnectionsPerAddress < 0 {
		return usage.Errorf("--max-connections-per-address %d is under 0; 0 is half of --max-connections", f.MaxConnectionsPerAddress)
	}
	return nil
}
