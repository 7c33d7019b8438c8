package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"vaak/app/usage"
	"vaak/internal/telemetry"
	"vaak/telephony"
	"vaak/telephony/hear"
	"vaak/telephony/line"
	"vaak/telephony/live"
)

type telephonyCommand struct {
	Server string  `help:"Address of the Vaak server that speaks. Default: ${default}." default:"http://127.0.0.1:8080" placeholder:"URL"`
	Key    string  `help:"Key of that server. VAAK_KEY_FILE names a file with the value. Each call takes one stream of it." placeholder:"KEY" secret:""`
	Voice  string  `help:"Voice, by id or name. Default: a native voice of the language." placeholder:"VOICE"`
	Lang   string  `help:"Language. Default: detected from the first text of each phrase." placeholder:"LANG"`
	Speed  float64 `help:"Speed, 0.7 to 1.5. Default: 1." placeholder:"X"`

	Agent      string `help:"WebSocket of your agent, which is dialled for each call and says what is said; docs/telephony.md has the messages." placeholder:"wss://..."`
	AgentToken string `help:"Sent to the agent as Authorization: Bearer. VAAK_AGENT_TOKEN_FILE names a file with the value." placeholder:"TOKEN" secret:""`
	AgentAudio bool   `help:"Send the agent what the caller says, μ-law at 8 kHz." default:"true" negatable:""`
	Prompt     string `help:"Without an agent: say this and hang up." placeholder:"TEXT"`
	Apology    string `help:"Say this and hang up when the agent cannot be reached or has left. Default: hang up." placeholder:"TEXT"`

	BargeIn      bool          `help:"Stop what is said when the caller speaks." default:"true" negatable:""`
	BargeInAfter time.Duration `help:"How long the caller must speak until that counts. Default: ${default}." default:"60ms" placeholder:"TIME"`
	BargeInLevel float64       `help:"How loud, in dB relative to full scale. Default: ${default}." default:"-40" placeholder:"DB"`

	Listen       string         `help:"Address of /twilio, /telnyx, /plivo and /vonage. Default: ${default}." default:"127.0.0.1:8088" placeholder:"ADDR"`
	AdminListen  string         `help:"Address of /livez, /readyz and /metrics; keep it private. Default: ${default}." default:"127.0.0.1:8089" placeholder:"ADDR"`
	PublicURL    string         `help:"Address that providers dial, such as wss://calls.example.org; needed for --twilio-auth-token." name:"public-url" placeholder:"URL"`
	Token        string         `help:"Secret that the address of a call must have, as in /telnyx/TOKEN, or its Authorization: Bearer. VAAK_TOKEN_FILE names a file with the value." placeholder:"TOKEN" secret:""`
	TwilioToken  string         `help:"Auth token of your Twilio account: calls at /twilio must have its signature. VAAK_TWILIO_AUTH_TOKEN_FILE names a file with the value." name:"twilio-auth-token" placeholder:"TOKEN" secret:""`
	TLSCert      string         `help:"Certificate chain for wss, where no proxy stands in front." name:"tls-cert" type:"path" placeholder:"FILE"`
	TLSKey       string         `help:"Key of the certificate." name:"tls-key" type:"path" placeholder:"FILE"`
	Asterisk     string         `help:"Address at which AudioSocket of Asterisk is taken. Default: nowhere." name:"audiosocket" placeholder:"ADDR"`
	AsteriskFrom []netip.Prefix `help:"Networks from which it is taken. Default: ${default}." name:"audiosocket-from" default:"127.0.0.0/8,::1/128" placeholder:"CIDR,..."`

	Lead         time.Duration `help:"How much audio is sent ahead to providers, which buffer it: a frame that is late by less is not heard. 0 to 1s. Default: ${default}." default:"60ms" placeholder:"TIME"`
	AsteriskLead time.Duration `help:"The same for Asterisk, which does not buffer and cannot take it back. 0 to 1s. Default: ${default}." name:"audiosocket-lead" default:"0s" placeholder:"TIME"`
	MaxCalls     int           `help:"Calls at once. Default: ${default}." default:"200" placeholder:"N"`
	MaxCall      time.Duration `help:"How long a call may take. Default: ${default}." name:"max-call-time" default:"1h" placeholder:"TIME"`
	DrainTimeout time.Duration `help:"How long running calls may go on after SIGTERM. Default: ${default}." default:"60s" placeholder:"TIME"`
}

// Help is what vaak telephony --help says beside the flags.
func (telephonyCommand) Help() string {
	return `Takes the media streams of telephone providers, says what your agent writes, and plays it to the caller at pace.

Try it without a provider, with a server of ` + "`make run`" + `:

  vaak telephony --key sk_live_… --prompt "Hello. Nobody is here yet." --audiosocket 127.0.0.1:9092

and in the dialplan of Asterisk: AudioSocket(${UUID()},127.0.0.1:9092). With --agent instead of --prompt your own program decides what is said. docs/telephony.md has the setup of each provider and the messages of agents.

When ready it prints one line: ready calls=ws://… admin=http://…, and audiosocket=… where that is on. SIGTERM refuses new calls, lets the running ones end for --drain-timeout, and exits 0, or 1 if calls were cut off.`
}

// Run takes calls until the context ends.
func (c telephonyCommand) Run(ctx context.Context, s streams) error {
	for _, address := range []*string{&c.Listen, &c.AdminListen} {
		*address = listenAddress(*address)
	}
	if c.Asterisk != "" {
		c.Asterisk = listenAddress(c.Asterisk)
	}
	if err := c.check(); err != nil {
		return err
	}
	speech, err := live.New(c.Server, c.Key)
	if err != nil {
		return usage.Errorf("--server: %v", err)
	}
	certificate, err := c.certificate()
	if err != nil {
		return err
	}
	log := logger(s, slog.LevelInfo)
	tel, err := telemetry.New(telemetry.Config{Version: version, Logger: log})
	if err != nil {
		return err
	}
	bridge, err := telephony.New(telephony.Config{
		Speech: speech, Voice: live.Settings{Voice: c.Voice, Language: c.Lang, Speed: c.Speed},
		AgentURL: c.Agent, AgentToken: c.AgentToken, Prompt: c.Prompt, Apology: c.Apology, SendAudio: c.AgentAudio,
		BargeIn: c.BargeIn, Hear: hear.Config{Level: c.BargeInLevel, After: c.BargeInAfter},
		Lead: c.Lead, AsteriskLead: c.AsteriskLead, MaxCalls: c.MaxCalls, MaxCall: c.MaxCall,
		Token: c.Token, TwilioToken: c.TwilioToken, PublicURL: c.PublicURL, AsteriskFrom: c.AsteriskFrom,
		Telemetry: tel, Logger: log,
	})
	if err != nil {
		return err
	}
	defer bridge.Close()
	return bridge.Run(ctx, telephony.Listen{
		Calls: c.Listen, Admin: c.AdminListen, Asterisk: c.Asterisk, TLS: certificate, Drain: c.DrainTimeout,
	}, func(at telephony.Addresses) error {
		text := fmt.Sprintf("ready calls=%s admin=%s", at.Calls, at.Admin)
		if at.Asterisk != "" {
			text += " audiosocket=" + at.Asterisk
		}
		_, err := fmt.Fprintln(s.out, text)
		return err
	})
}

func (c telephonyCommand) certificate() (*tls.Config, error) {
	if c.TLSCert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return nil, usage.Errorf("--tls-cert and --tls-key: %v", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

func (c telephonyCommand) check() error {
	if c.Key == "" {
		return usage.Errorf("--key is needed, a key of the Vaak server; VAAK_KEY_FILE names a file with it")
	}
	if (c.Agent == "") == (c.Prompt == "") {
		return usage.Errorf("give either --agent, the address of your agent, or --prompt, a text to say")
	}
	if u, err := url.Parse(c.Agent); c.Agent != "" && (err != nil || u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "") {
		return usage.Errorf("--agent is not an address such as wss://agent.example.org/calls")
	}
	if n := len([]rune(c.Prompt)); n > maxPrompt {
		return usage.Errorf("--prompt has %d characters; at most %d are allowed", n, maxPrompt)
	}
	for _, r := range []struct {
		flag             string
		value, low, high float64
		off              bool // 0 is the default
	}{
		{"--speed", c.Speed, 0.7, 1.5, true},
		{"--lead", c.Lead.Seconds(), 0, 1, false},
		{"--audiosocket-lead", c.AsteriskLead.Seconds(), 0, 1, false},
		{"--barge-in-after", c.BargeInAfter.Seconds(), 0.01, 2, false},
		{"--barge-in-level", c.BargeInLevel, -80, -1, false},
		{"--max-calls", float64(c.MaxCalls), 1, 10_000, false},
		{"--max-call-time", c.MaxCall.Seconds(), 1, 24 * 3600, false},
		{"--drain-timeout", c.DrainTimeout.Seconds(), 0, 24 * 3600, false},
	} {
		if (r.value < r.low || r.value > r.high) && !(r.off && r.value == 0) {
			return usage.Errorf("%s %g is outside %g to %g", r.flag, r.value, r.low, r.high)
		}
	}
	if c.TwilioToken != "" && !strings.HasPrefix(c.PublicURL, "wss://") {
		return usage.Errorf("--twilio-auth-token needs --public-url, the address that TwiML names, such as wss://calls.example.org: Twilio signs it")
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return usage.Errorf("--tls-cert and --tls-key go together")
	}
	return c.checkListen()
}

// maxPrompt is how many characters --prompt may have.
const maxPrompt = 5000

// checkListen refuses addresses at which no machine can listen, and those at which strangers could
// call without a secret.
func (c telephonyCommand) checkListen() error {
	for _, one := range []struct{ flag, address string }{
		{"--listen", c.Listen}, {"--admin-listen", c.AdminListen}, {"--audiosocket", cmp.Or(c.Asterisk, loopback+":0")},
	} {
		if _, port, err := net.SplitHostPort(one.address); err != nil {
			return usage.Errorf("%s: %.64q is not HOST:PORT such as 127.0.0.1:8088, nor a port alone, which is one of 127.0.0.1", one.flag, one.address)
		} else if _, err := net.LookupPort("tcp", port); err != nil {
			return usage.Errorf("%s: %.64q names no port", one.flag, one.address)
		}
	}
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return err
	}
	ip, err := netip.ParseAddr(host)
	local := host == "localhost" || err == nil && ip.IsLoopback()
	if c.Token == "" && !local {
		return usage.Errorf("--listen %s takes calls from other machines, so --token is needed: a secret of at least %d characters", c.Listen, minToken)
	}
	if c.Token != "" && (len(c.Token) < minToken || len(c.Token) > line.MaxMessage || url.PathEscape(c.Token) != c.Token) {
		return usage.Errorf("--token must have at least %d letters, digits, - or _", minToken)
	}
	return nil
}

// minToken is the least length of a token, which must not be guessed.
const minToken = 16
