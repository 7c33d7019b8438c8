package wiretest

import (
	"crypto/tls"

	"vaak/engine/remote/remotetest"
)

// TLS trusts the authority of a test server.
func TLS(s *remotetest.Server) *tls.Config { return &tls.Config{RootCAs: s.CA()} }
