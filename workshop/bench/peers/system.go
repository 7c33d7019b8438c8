package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vaak/audio"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/server"
)

// system is a server that runs.
type system struct {
	name, version, formats string
	server                 *server.Server
	dial                   func(*server.Server) (speaker, error)
}

func (s *system) title() string { return strings.TrimSpace(s.name + " " + s.version) }

// peer is a server that can be started.
type peer struct {
	name, about string
	pkg         string // the package whose version is told
	script      string
	formats     string
	header      int // bytes of an answer before the audio
	workers     bool
	command     func(bin, script, port string) []string
	request     func(addr string, t corpus.Sample) []byte // nil where it speaks the Wyoming protocol
}

var known = []peer{
	{
		name: "ovos-tts-server", pkg: "ovos-tts-server", script: "ovos.py", formats: "wav", header: server.WavHeader,
		about:   "with ovos-tts-plugin-espeakng {ovos-tts-plugin-espeakng}, which runs espeak-ng once a request and takes its voice from the settings but neither rate nor pitch; FastAPI {fastapi} on uvicorn {uvicorn}, one process with threads, as its own command starts it, cache off",
		command: func(bin, script, port string) []string { return []string{filepath.Join(bin, "python"), script, port} },
		request: func(addr string, t corpus.Sample) []byte {
			return fmt.Appendf(nil, "GET /v2/synthesize?utterance=%s HTTP/1.1\r\nHost: %s\r\n\r\n", url.QueryEscape(t.Text), addr)
		},
	},
	{
		name: "Wyoming server", pkg: "wyoming", script: "wyoming_espeak.py", formats: "pcm",
		about: "the protocol of Home Assistant by its own library, in the shape of its servers; written here since none with espeak can be had: it runs espeak-ng once a request and sends what it writes as it comes; asyncio, one process",
		command: func(bin, script, port string) []string {
			p := corpus.English.Library
			return []string{filepath.Join(bin, "python"), script, "--port", port, "--voice", p.Voice, "--speed", fmt.Sprint(p.Rate), "--pitch", fmt.Sprint(p.Pitch), "--volume", fmt.Sprint(p.Volume)}
		},
	},
	{
		name: "Flask and py-espeak-ng", pkg: "py-espeak-ng", script: "wrapper.py", formats: "wav", header: server.WavHeader, workers: true,
		about: "what wrappers like those around gTTS are, written here: Flask {flask} on gunicorn {gunicorn}, a worker for each core with eight threads; it runs espeak-ng once a request and answers with the whole file",
		command: func(bin, script, port string) []string {
			return []string{filepath.Join(bin, "gunicorn"), "--bind", "127.0.0.1:" + port, "--workers", "2", "--threads", "8", "--keep-alive", "60", "--no-control-socket", "--chdir", filepath.Dir(script), "wrapper:app"}
		},
		request: func(addr string, t corpus.Sample) []byte {
			p := t.Lang.Library
			return fmt.Appendf(nil, "POST /speech?voice=%s&speed=%d&pitch=%d&volume=%d HTTP/1.1\r\nHost: %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s",
				url.QueryEscape(p.Voice), p.Rate, p.Pitch, p.Volume, addr, len(t.Text), t.Text)
		},
	},
}

// descriptions tells what the peers are and how they are set.
func descriptions() string {
	var all []string
	for _, p := range known {
		about := p.about
		for strings.Contains(about, "{") {
			before, rest, _ := strings.Cut(about, "{")
			name, after, _ := strings.Cut(rest, "}")
			about = before + version(name) + after
		}
		all = append(all, fmt.Sprintf("- **%s** (%s %s): %s.", p.name, p.pkg, version(p.pkg), about))
	}
	return strings.Join(all, "\n")
}

// patience is how long a peer may take to start.
const patience = 60 * time.Second

// start starts a peer in a home of its own and returns when it has spoken.
func (p peer) start(ctx context.Context, bin, dir string) (*system, error) {
	home := filepath.Join(dir, p.pkg)
	if err := p.furnish(home); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(home, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close() // the process has its own copy
	args := p.command(bin, filepath.Join(home, p.script), port)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_DATA_HOME="+home, "XDG_STATE_HOME="+home)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &system{name: p.name, version: version(p.pkg), formats: p.formats, dial: overHTTP, server: &server.Server{
		Name: p.name, Addr: "127.0.0.1:" + port, Format: audio.Format{Codec: audio.PCM, SampleRate: libraryRate}, Header: p.header, HasWorker: p.workers, Cmd: cmd,
	}}
	s.server.Request = func(t corpus.Sample) []byte { return p.request(s.server.Addr, t) }
	if p.request == nil {
		s.dial = overWyoming
	}
	if err := s.ready(ctx); err != nil {
		s.server.Stop()
		said, _ := os.ReadFile(log.Name()) // the error says enough without it
		return nil, fmt.Errorf("%w\n%s", err, said)
	}
	return s, nil
}

// furnish writes the scripts and the settings of OpenVoiceOS.
func (p peer) furnish(home string) error {
	voice, variant, _ := strings.Cut(corpus.English.Library.Voice, "+")
	settings, err := json.Marshal(map[string]any{
		"lang": voice, "tts": map[string]any{"ovos_tts_plugin_espeakng": map[string]any{"lang": voice, "voice": variant}},
	})
	if err != nil {
		return err
	}
	script, err := scripts.ReadFile(p.script)
	return errors.Join(err, os.MkdirAll(filepath.Join(home, "mycroft"), 0o700),
		os.WriteFile(filepath.Join(home, "mycroft", "mycroft.conf"), settings, 0o600), os.WriteFile(filepath.Join(home, p.script), script, 0o600))
}

// freePort returns a port that nobody listens on.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), l.Close()
}

// ready returns when the server has spoken a text.
func (s *system) ready(ctx context.Context) error {
	t, err := corpus.New(corpus.English, long)
	if err != nil {
		return err
	}
	for began := time.Now(); ; server.Pause(ctx, 100*time.Millisecond) {
		c, err := s.dial(s.server)
		if err == nil {
			_, _, err = c.speak(t)
			c.Close()
		}
		if err == nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if s.ended() || time.Since(began) > patience {
			return err
		}
	}
}

// ended reports whether the process has ended, and leaves it to be waited for.
func (s *system) ended() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, s.server.Pid(), &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err != nil || info.Signo != 0
}
