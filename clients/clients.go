// Package clients holds the client of JavaScript as pages of the server load it. The sources of
// the clients are beside it, in js and python; their types are generated from the descriptions
// of the server.
package clients

import (
	"embed"
	"path"
)

//go:generate go run ./generate

//go:embed js/src/*.js
var modules embed.FS

// Modules returns the modules of @vaak/client by their names, such as "index.js". They import each
// other by relative paths, so they must be served from one directory.
func Modules() (map[string][]byte, error) {
	const dir = "js/src"
	entries, err := modules.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = modules.ReadFile(path.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return files, nil
}
