package main

import (
	"context"
	"fmt"
	"os"

	"vaak/app/door"
)

// takeoverCommand replaces a running server. It is what systemd runs to reload vaak.service.
type takeoverCommand struct {
	PID int `arg:"" help:"Number of the process of the running server." name:"pid"`
}

// Run prints the number of the new process.
func (c takeoverCommand) Run(ctx context.Context, s streams) error {
	pid, err := door.Succession{PID: c.PID, Socket: os.Getenv(door.NotifySocket), Out: s.out, Err: s.err}.Run(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, pid)
	return err
}
