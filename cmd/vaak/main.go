// Command vaak speaks text, runs the Vaak services and manages who may use
// them. See `vaak --help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"vaak/account"
	"vaak/app"
	"vaak/app/certificate"
	"vaak/app/usage"
	"vaak/audio"
)

// version is set by the linker.
var version = "dev"

// cli is the command line. Every flag can also be set as VAAK_<FLAG>, and those
// of serve in the file that --config names; flags win over the environment,
// the environment over the file.
type cli struct {
	Serve        serveCommand        `cmd:"" help:"Run the services."`
	Takeover     takeoverCommand     `cmd:"" help:"Replace a running server by a new process of this program, without losing a request."`
	Org          orgCommand          `cmd:"" help:"Manage organisations."`
	Key          keyCommand          `cmd:"" help:"Manage API keys."`
	Person       personCommand       `cmd:"" help:"See who may sign in to the console, and make them a new link."`
	Lot          lotCommand          `cmd:"" help:"Grant characters."`
	Plan         planCommand         `cmd:"" help:"Manage plans."`
	Subscription subscriptionCommand `cmd:"" help:"Manage who is on which plan, and for how long."`
	Dataset      datasetCommand      `cmd:"" help:"Measure, ingest and publish datasets of the catalogue."`
	Files        filesCommand        `cmd:"" help:"Check the files of datasets, move them to and from object storage."`
	Croissant    croissantCommand    `cmd:"" help:"Show and check Croissant metadata."`
	Enquiry      enquiryCommand      `cmd:"" help:"See enquiries and their mails, release samples, delete what is old."`
	Dictionary   dictionaryCommand   `cmd:"" help:"See the pronunciation dictionaries of organisations, delete them."`
	Webhook      webhookCommand      `cmd:"" help:"Manage the addresses that get events, of the operator or of an organisation; see what was delivered, send it again."`
	Voice        voiceCommand        `cmd:"" help:"Add neural voices, see, test and remove them."`
	ONNXWorker   onnxWorkerCommand   `cmd:"" name:"onnx-worker" hidden:""`
	Demo         demoCommand         `cmd:"" help:"Make demonstration datasets with the engine, measure and publish them."`
	Backup       backupCommands      `cmd:"" help:"Copy database and files into one file or object, while the server runs or not, and list such backups. vaak backup FILE is vaak backup write FILE."`
	Restore      restoreCommand      `cmd:"" help:"Bring back what vaak backup wrote."`
	Speak        speakCommand        `cmd:"" help:"Speak a text, without a server or a key."`
	Text         textCommand         `cmd:"" help:"See how texts would be read."`
	Telephony    telephonyCommand    `cmd:"" help:"Answer telephone calls: media streams of Twilio, Telnyx, Plivo and Vonage, and AudioSocket of Asterisk."`
	MCP          mcpCommand          `cmd:"" name:"mcp" help:"Serve MCP over standard input and output."`
	OpenAPI      openapiCommand      `cmd:"" name:"openapi" help:"Print the OpenAPI description of the HTTP operations."`
	AsyncAPI     asyncapiCommand     `cmd:"" name:"asyncapi" help:"Print the AsyncAPI description of the WebSockets."`
	Doctor       doctorCommand       `cmd:"" help:"Check what serve with the same flags needs: engine, languages, store, ports, disk and more; speak a sentence."`
	Upgrade      upgradeCommand      `cmd:"" help:"See what an upgrade to this program does to a deployment, before it."`
	Migrate      migrateCommand      `cmd:"" help:"Bring the database to this version (serve does it too)."`
	Version      versionCommand      `cmd:"" help:"Print the version, as vaak --version does."`
	Help         helpCommand         `cmd:"" help:"Tell what there is, or how a command is used, such as vaak help speak."`

	Config string `help:"TOML file with settings, named as the flags are." placeholder:"FILE" type:"path"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// helpVars returns what the help texts of the flags and commands name.
func helpVars() kong.Vars {
	return kong.Vars{
		"version": version, "defaultPlan": account.DefaultPlan, "consoleDefault": app.ConsoleDefault,
		"listenDefault": listenDefault, "acmeDefault": certificate.LetsEncrypt, "formats": formats(), "lossy": audio.LossyNames,
	}
}

// run runs one command and returns the exit status: 0 success, 1 failure, 2
// wrong usage.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	file := &configFile{lenient: slices.Contains(args, doctorName) || slices.Contains(args, upgradeName)}
	exit := -1
	parser, err := kong.New(&cli{},
		kong.Name("vaak"),
		kong.Description("Speech in 80 languages, and a catalogue of speech datasets, over HTTP and MCP."),
		kong.DefaultEnvars("VAAK"),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(out, errOut),
		// Kong ends the program after --help. A panic leaves kong from where it is instead,
		// so that run returns to its caller; parse recovers it.
		kong.Exit(func(code int) { exit = code; panic(exited{}) }),
		kong.Resolvers(file),
		helpVars(),
	)
	if err != nil {
		fmt.Fprintf(errOut, "vaak: %v\n", err)
		return 1
	}
	// The file must be read before the command line is parsed: it gives values to flags
	// that are missing there, and required flags may be among them.
	if err := file.read(configPath(args)); err != nil {
		fmt.Fprintf(errOut, "vaak: %v\n", err)
		return 2
	}
	command, err := parse(parser, args)
	if exit >= 0 { // --help
		return exit
	}
	if err != nil {
		fmt.Fprintf(errOut, "vaak: %v\n", withHelp(err))
		return 2
	}
	reports := command.Command() == doctorName || command.Command() == upgradeName+" check"
	if file.faults != nil && !reports {
		fmt.Fprintf(errOut, "vaak: %v\n", file.faults[0])
		return 2
	}
	if err := secretsFromFiles(command, file, logger(streams{err: errOut}, slog.LevelWarn)); err != nil {
		if reports {
			file.faults = append(file.faults, err)
		} else {
			fmt.Fprintf(errOut, "vaak: %v\n", err)
			return 2
		}
	}
	command.Bind(file, streams{in, out, errOut}, parser)
	command.BindTo(ctx, (*context.Context)(nil))
	err = command.Run()
	if exit >= 0 { // vaak help
		return exit
	}
	if err != nil {
		// Joined errors come on a line each, and programs that read standard error expect one.
		fmt.Fprintf(errOut, "vaak: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
		if _, ok := errors.AsType[usage.Error](err); ok {
			return 2
		}
		return 1
	}
	return 0
}

// withHelp adds to the error of a command line which --help explains the command. An error
// of the command itself says what is allowed, so it needs no such pointer.
func withHelp(err error) error {
	wrong, ok := errors.AsType[*kong.ParseError](err)
	if _, said := errors.AsType[usage.Error](err); said || !ok || wrong.Context == nil {
		return err
	}
	name := "vaak"
	if node := wrong.Context.Selected(); node != nil {
		name += " " + node.Path()
	}
	return fmt.Errorf("%w; see %s --help", err, name)
}

// exited is the panic with which parse leaves kong when it has printed the help and wants to
// end the program.
type exited struct{}

func parse(parser *kong.Kong, args []string) (c *kong.Context, err error) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(exited); !ok {
				panic(p)
			}
		}
	}()
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	// --version is no flag of kong, since a flag of all commands would hide their own flags.
	case args[0] == "--version":
		args = append([]string{"version"}, args[1:]...)
	}
	return parser.Parse(args)
}

type versionCommand struct{ jsonFlag }

func (c versionCommand) Run(s streams) error {
	if c.JSON {
		return s.inertJSON(jsonObject{{"version", version}})
	}
	_, err := fmt.Fprintln(s.out, "vaak", version)
	return err
}

// helpCommand prints what --help prints.
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"The command, such as speak, or org create. Default: all commands."`
}

// Run prints what --help prints.
func (c helpCommand) Run(parser *kong.Kong) error {
	_, err := parse(parser, append(c.Command, "--help"))
	if err != nil {
		return usage.Error{Err: withHelp(err)}
	}
	return nil
}
