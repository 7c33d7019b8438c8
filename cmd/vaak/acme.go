package main

import (
	"net/url"

	"vaak/app/certificate"
	"vaak/app/deployment"
	"vaak/app/usage"
)

// acmeFlags say which certificates an authority issues.
type acmeFlags struct {
	ACMEDomain    []string `help:"Names of this server, each of which gets a certificate by ACME, such as from Let's Encrypt, to whose terms you agree with this flag. The authority calls port 443 of the name, or port 80 with --acme-listen. Default: none." name:"acme-domain" placeholder:"NAME,..."`
	ACMEDirectory string   `help:"Directory of the authority. Default: ${default}, which is Let's Encrypt." name:"acme-directory" default:"${acmeDefault}" placeholder:"URL"`
	ACMEEmail     string   `help:"Where the authority may write to the operator. Default: it is told nothing." name:"acme-email" placeholder:"ADDR"`
	ACMECA        string   `help:"Certificates that vouch for --acme-directory, for a private authority. Default: those of the system." name:"acme-ca" type:"path" placeholder:"FILE"`
	ACMEListen    string   `help:"Address that port 80 of the names leads to, for challenges of the kind HTTP-01, such as 0.0.0.0:80; other requests there are sent on to HTTPS. Default: challenges come by TLS-ALPN-01 to the address of the services." name:"acme-listen" placeholder:"ADDR"`
}

// check refuses settings that do not go together.
func (f acmeFlags) check(files bool) error {
	if len(f.ACMEDomain) == 0 {
		if f.ACMEEmail != "" || f.ACMECA != "" || f.ACMEListen != "" {
			return usage.Errorf("--acme-email, --acme-ca and --acme-listen need --acme-domain")
		}
		return nil
	}
	if files {
		return usage.Errorf("--acme-domain and --tls-cert both name certificates: give one of them")
	}
	for _, name := range f.ACMEDomain {
		if err := certificate.CheckDomain(name); err != nil {
			return usage.Errorf("--acme-domain: %v", err)
		}
	}
	if u, err := url.Parse(f.ACMEDirectory); err != nil || u.Scheme != "https" || u.Host == "" {
		return usage.Errorf("--acme-directory %.200q is not an address such as https://ca.example.org/acme/directory", f.ACMEDirectory)
	}
	return nil
}

// acme returns what the flags say, for a place that keeps the certificates.
func (f acmeFlags) acme(place deployment.Place) certificate.ACME {
	return certificate.ACME{
		Domains: f.ACMEDomain, Directory: f.ACMEDirectory, Email: f.ACMEEmail, Roots: f.ACMECA, Cache: place.In(deployment.ACME),
	}
}
