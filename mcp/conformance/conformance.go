// Command conformance serves the fixtures of the official conformance suite of
// the Model Context Protocol. The tools, resources and prompts are the suite's;
// the transport and the middlewares before it are those of the product, so what
// the suite finds out is true of the product too.
//
// It is equipment of the tests and no part of what is shipped: it needs no key
// and keeps nothing. It prints "ready http://HOST:PORT/mcp" when it listens,
// and stops at SIGINT or SIGTERM.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		stop()
		os.Exit(1)
	}
}

// settings are what the command line says.
type settings struct {
	listen    string
	stateless bool // no sessions, as with several replicas
}

// run serves until ctx ends. out gets the ready line and nothing else.
func run(ctx context.Context, args []string, out, errs io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:0", "`address` to listen at")
	flags.BoolVar(&s.stateless, "stateless", false, "give clients no sessions, as a server with several replicas does")
	if err := flags.Parse(args); err != nil {
		return err
	}
	h, err := newHandler(s, slog.New(slog.NewTextHandler(errs, nil)))
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen)
	if err != nil {
		return fmt.Errorf("listen at %s: %w", s.listen, err)
	}
	return serve(ctx, l, h, out)
}

// patience is how long requests may take to end when the server stops.
const patience = 5 * time.Second

// serve answers connections of l until ctx ends, and closes l.
func serve(ctx context.Context, l net.Listener, h http.Handler, out io.Writer) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: patience}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	if _, err := fmt.Fprintf(out, "ready http://%s%s\n", l.Addr(), endpoint); err != nil {
		return errors.Join(fmt.Errorf("write ready line: %w", err), srv.Close(), ended(<-served))
	}
	select {
	case err := <-served:
		return ended(err)
	case <-ctx.Done():
	}
	// ctx has ended, and a context made of it would end at once.
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if srv.Shutdown(drain) != nil {
		_ = srv.Close() // streams that clients keep open end with their connections
	}
	return ended(<-served)
}

// ended is nil when a server was asked to stop.
func ended(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
