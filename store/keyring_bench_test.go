package store

import (
	"path/filepath"
	"testing"

	"vaak/store/storetest/pgtest"
)

// BenchmarkCredentialOf compares where a credential comes from: memory or
// PostgreSQL, and for comparison SQLite, with 16 clients.
func BenchmarkCredentialOf(b *testing.B) {
	post := openDSN(b, pgtest.DSN(b))
	lite := openAt(b, filepath.Join(b.TempDir(), "vaak.db"))
	keysIn(b, lite, 100)
	_, hashes := keysIn(b, post, 100)
	for _, bb := range []struct {
		name string
		call func(i int) error
	}{
		{"PostgreSQL kept", func(i int) error {
			_, err := post.Credential(b.Context(), hashes[i%100])
			return err
		}},
		{"PostgreSQL asked", func(i int) error {
			_, err := post.lookupCredential(b.Context(), hashes[i%100])
			return err
		}},
		{"SQLite", func(i int) error {
			_, err := lite.Credential(b.Context(), hashes[i%100])
			return err
		}},
	} {
		b.Run(bb.name, func(b *testing.B) { measure(b, bb.call) })
	}
}
