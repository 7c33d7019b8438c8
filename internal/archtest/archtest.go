// Package archtest checks who imports whom. It holds nothing but a test.
package archtest
