package main

import "vaak/app/usage"

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
