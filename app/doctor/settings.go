package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"slices"
	"time"

	"vaak/app"
	"vaak/app/certificate"
	"vaak/internal/checkup"
)

// program tells which program this is.
func (p *Patient) program(context.Context) checkup.Finding {
	return checkup.Good("vaak %s, %s, %s", p.Version, runtime.Version(), app.Platform())
}

// settings checks the file, and what the flags, the environment and the file say
// together. A command line that cannot be parsed never comes here.
func (p *Patient) settings(context.Context) checkup.Finding {
	const look = "Change what the line names; vaak serve --help says what is allowed."
	where := checkup.Good("flags and environment alone, no configuration file")
	if p.File != "" {
		where = checkup.Good("%d settings in %s", p.Settings, p.File)
	}
	all := []checkup.Finding{where}
	for _, err := range p.Faults {
		if err != nil {
			all = append(all, checkup.Fail(look, "%v", err))
		}
	}
	return checkup.Worst(all...)
}

// links checks that clients can follow the addresses that the server hands out.
func (p *Patient) links(context.Context) checkup.Finding {
	if p.PublicURL != "" {
		if err := app.CheckPublicURL(p.PublicURL); err != nil {
			return checkup.Fail("Give the whole address, such as https://speech.example.org.", "%v", err)
		}
		if u, err := url.Parse(p.PublicURL); err == nil && u.Scheme == "http" && p.Secure() {
			return checkup.Warn("Let --public-url begin with https://.", "links begin with %s, and the server speaks TLS alone", p.PublicURL)
		}
		return checkup.Good("links begin with %s", p.PublicURL)
	}
	host, _, err := net.SplitHostPort(p.Listen)
	if err != nil {
		return checkup.Skip("--listen %.64q is not of the form address:port", p.Listen)
	}
	at, err := netip.ParseAddr(host)
	if host == "" || err == nil && at.IsUnspecified() {
		return checkup.Warn("Name the address that clients see with --public-url.",
			"the server listens on all addresses and was not told which of them clients see: its links lead nowhere, and agents get none")
	}
	return checkup.Good("links begin with the listen address, %s", p.Listen)
}

// tls checks the certificate, if there is one.
func (p *Patient) tls(context.Context) checkup.Finding {
	if p.ACME.On() {
		return p.issued()
	}
	if p.TLSCert == "" || p.TLSKey == "" {
		return checkup.Good("none: plain HTTP, for one machine or behind a proxy that speaks TLS")
	}
	pair, err := tls.LoadX509KeyPair(p.TLSCert, p.TLSKey)
	if err != nil {
		return checkup.Fail("Give the chain as PEM, the server's own certificate first, and the key that it was made for.", "%v", err)
	}
	findings := []checkup.Finding{validity(pair.Leaf, time.Now()), p.named(pair.Leaf), chained(pair)}
	// Only the bits of others count. A group may read the key, as with the group ssl-cert
	// of Debian.
	if info, err := os.Stat(p.TLSKey); err == nil && info.Mode().Perm()&0o007 != 0 {
		findings = append(findings, checkup.Warn("chmod o= "+p.TLSKey,
			"every user of this machine may use the key (mode %04o)", info.Mode().Perm()))
	}
	return checkup.Worst(findings...)
}

// issued checks the certificates that an authority has issued.
func (p *Patient) issued() checkup.Finding {
	var findings []checkup.Finding
	for _, name := range p.ACME.Domains {
		leaf, err := certificate.Cached(p.ACME.Cache, name)
		switch {
		case err != nil:
			findings = append(findings, checkup.Fail("Remove the file; the server gets another certificate.", "%s: %v", name, err))
		case leaf == nil:
			findings = append(findings, checkup.Warn("Start the server, and see its log if this stays.", "%s has no certificate yet; a server asks for it when it starts", name))
		default:
			one := validity(leaf, time.Now())
			one.Found = name + " " + one.Found
			if one.State == checkup.Warning || one.State == checkup.Failure {
				one.Remedy = "See in the log of the server why the authority does not renew it."
			}
			findings = append(findings, one)
		}
	}
	if u, err := url.Parse(p.PublicURL); p.PublicURL != "" && err == nil && !slices.Contains(p.ACME.Domains, u.Hostname()) {
		findings = append(findings, checkup.Fail("Name it with --acme-domain, or change --public-url.", "no certificate is asked for %.253s of --public-url", u.Hostname()))
	}
	return checkup.Worst(findings...)
}

// validity checks that a certificate is valid now and will be for a while.
func validity(leaf *x509.Certificate, now time.Time) checkup.Finding {
	const renew = "Renew the certificate; a running server reads it within seconds."
	until := leaf.NotAfter.UTC().Format(time.RFC3339)
	switch {
	case now.Before(leaf.NotBefore):
		return checkup.Fail("Set the clock right, or wait.", "the certificate is valid only from %s on", leaf.NotBefore.UTC().Format(time.RFC3339))
	case now.After(leaf.NotAfter):
		return checkup.Fail(renew, "the certificate expired on %s", until)
	case leaf.NotAfter.Sub(now) < certificate.Soon:
		return checkup.Warn(renew, "the certificate expires soon, on %s", until)
	}
	return checkup.Good("valid until %s", until)
}

// named checks that a certificate is for the address that clients see.
func (p *Patient) named(leaf *x509.Certificate) checkup.Finding {
	u, err := url.Parse(p.PublicURL)
	if p.PublicURL == "" || err != nil || u.Hostname() == "" {
		return checkup.Good("for %s", certifiedFor(leaf))
	}
	if err := leaf.VerifyHostname(u.Hostname()); err != nil {
		return checkup.Fail("Get a certificate for that name, or change --public-url.", "the certificate is for %s, not for %.253s of --public-url", certifiedFor(leaf), u.Hostname())
	}
	return checkup.Good("for %s", u.Hostname())
}

// certifiedFor lists the first names of a certificate.
func certifiedFor(leaf *x509.Certificate) string {
	list := leaf.DNSNames
	for _, ip := range leaf.IPAddresses {
		list = append(list, ip.String())
	}
	return cmp.Or(few(list), "no name")
}

// chained checks that each certificate of a chain is signed by the next one.
func chained(pair tls.Certificate) checkup.Finding {
	const order = "Put the server's certificate first and each authority behind what it signed."
	// i counts from the leaf, so the certificate that der should have signed is
	// Certificate[i]. The trust in the last one is the client's matter.
	for i, der := range pair.Certificate[1:] {
		signer, err := x509.ParseCertificate(der)
		if err != nil {
			return checkup.Fail(order, "certificate %d of the chain cannot be read", i+2)
		}
		signed, err := x509.ParseCertificate(pair.Certificate[i])
		if err == nil {
			err = signed.CheckSignatureFrom(signer)
		}
		if err != nil {
			return checkup.Warn(order, "certificate %d of the chain did not sign certificate %d", i+2, i+1)
		}
	}
	return checkup.Good("a chain of %d", len(pair.Certificate))
}
