// Package clients holds the client of JavaScript as pages of the server load it. The sources of
// the clients are beside it, in js and python; their types are generated from the descriptions
// of the server.
package clients

import "embed"

//go:generate go run ./generate

// Modules are the modules of @vaak/client, below js/src. They import each other by relative
// paths, so they must be served from one directory.
//
//go:embed js/src/*.js
var Modules embed.FS
