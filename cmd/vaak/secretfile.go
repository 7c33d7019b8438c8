package main

import (
	"log/slog"
	"os"

	"github.com/alecthomas/kong"

	"vaak/app/deployment"
	"vaak/app/usage"
)

// secretTag marks flags whose value holds a secret. Such a value may be in a file, which the
// environment names with VAAK_FLAG_FILE, or the file of settings with flag-file.
const secretTag = "secret"

// fileSuffix ends the name of a setting that names the file of a secret.
const fileSuffix = "-file"

// isSecret reports whether the value of a flag holds a secret.
func isSecret(flag *kong.Flag) bool { return flag.Tag.Has(secretTag) }

// secretsFromFiles sets the flags of a command whose secrets are in files. It refuses a secret
// that is given as a value too, wherever that comes from.
func secretsFromFiles(command *kong.Context, file *configFile, log *slog.Logger) error {
	for _, flag := range command.Flags() {
		if !isSecret(flag) {
			continue
		}
		source, path := secretFile(flag, file)
		if path == "" {
			continue
		}
		if flag.Target.String() != "" {
			return usage.Errorf("%s and --%s both give a value: leave one of them out", source, flag.Name)
		}
		secret, open, err := deployment.ReadSecret(path)
		if err != nil {
			return usage.Errorf("%s: %v", source, err)
		}
		if open {
			log.Warn("every user of this machine may read a file with a secret; chmod o= mends it", "setting", source, "file", path)
		}
		flag.Target.SetString(secret)
	}
	return nil
}

// secretFile returns the file with the value of a flag, and the setting that names it. The
// environment wins over the file of settings.
func secretFile(flag *kong.Flag, file *configFile) (source, path string) {
	for _, env := range flag.Envs {
		if path := os.Getenv(env + "_FILE"); path != "" {
			return env + "_FILE", path
		}
	}
	path, _ = file.values[flag.Name+fileSuffix].(string)
	return flag.Name + fileSuffix, path
}
