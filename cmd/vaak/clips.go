package main

import (
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"vaak/internal/seal"
	"vaak/speech/clip"
)

// Names in the data directory.
const (
	secretFile  = "secret"
	clipsDir    = "clips"
	previewsDir = "previews"
)

// minClipBytes is the least room for audio. One clip may take a quarter of it, so that
// it holds nearly six minutes of WAV at 48 kHz, which is about what the longest text
// takes.
const minClipBytes = 128 << 20

// secretFlag says where the deployment's secret is.
type secretFlag struct {
	Secret string `help:"File of the secret that signs links, which is made when it is not there; the same on all servers. Default: secret in the data directory." type:"path" placeholder:"FILE"`
}

// path is where it is.
func (f secretFlag) path(dataDir string) string {
	return cmp.Or(f.Secret, filepath.Join(dataDir, secretFile))
}

// openSecret opens the deployment's secret, which is made when it is not there.
func (f secretFlag) openSecret(dataDir string) (*seal.Secret, error) {
	return seal.Open(f.path(dataDir))
}

// existingSecret opens the secret of the servers, for a command whose links they are
// to serve: one that it made would make links that are dead.
func (f secretFlag) existingSecret(dataDir string) (*seal.Secret, error) {
	path := f.path(dataDir)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, badUsage("there is no secret at %s; --secret names the file of the servers, which no link is good without", path)
	}
	return seal.Open(path)
}

// openClips opens the audio that agents get a link to; nil where the flag turned
// links off. Servers share the directory, so it may be in use.
func (c serveCommand) openClips(log *slog.Logger) (*clip.Service, error) {
	if c.ClipBytes == 0 {
		return nil, nil
	}
	secret, err := c.openSecret(c.DataDir)
	if err != nil {
		return nil, err
	}
	return clip.Open(clip.Config{Dir: filepath.Join(c.DataDir, clipsDir), MaxBytes: c.ClipBytes, Secret: secret, Logger: log})
}
