// Command sbom writes what a package is made of: a bill of materials in SPDX 2.3 and the texts of
// the licences. It reads the modules from the program itself, where the linker has written them.
//
//	sbom -program FILE -version V -epoch SECONDS -library NAME=VERSION=LICENCE... -sbom OUT -licences OUT
//
// The same input gives the same bytes.
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// library is a C library that a program of the package is linked with or brings the data of.
type library struct{ name, version, licence string }

func main() {
	program := flag.String("program", "", "the Go program")
	version := flag.String("version", "", "version of the package")
	epoch := flag.Int64("epoch", 0, "time of the commit, in Unix seconds")
	bill := flag.String("sbom", "", "file to write the bill of materials to")
	texts := flag.String("licences", "", "file to write the licences to")
	var libraries []library
	flag.Func("library", "a Debian package as NAME=VERSION=LICENCE; may be repeated", func(s string) error {
		part := strings.Split(s, "=")
		if len(part) != 3 {
			return errors.New("want NAME=VERSION=LICENCE")
		}
		libraries = append(libraries, library{part[0], part[1], part[2]})
		return nil
	})
	flag.Parse()
	if err := write(*program, *version, time.Unix(*epoch, 0).UTC(), libraries, *bill, *texts); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// document is an SPDX 2.3 document.
type document struct {
	Version       string         `json:"spdxVersion"`
	DataLicense   string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []part         `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type part struct {
	Name          string      `json:"name"`
	ID            string      `json:"SPDXID"`
	Version       string      `json:"versionInfo"`
	Download      string      `json:"downloadLocation"`
	FilesAnalyzed bool        `json:"filesAnalyzed"`
	Concluded     string      `json:"licenseConcluded"`
	Declared      string      `json:"licenseDeclared"`
	Copyright     string      `json:"copyrightText"`
	Checksums     []checksum  `json:"checksums,omitempty"`
	Comment       string      `json:"comment,omitempty"`
	References    []reference `json:"externalRefs,omitempty"`
}

type checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const (
	unknown = "NOASSERTION"
	root    = "SPDXRef-Package-vaak"
)

func write(program, version string, at time.Time, libraries []library, bill, texts string) error {
	built, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(content)
	doc := document{
		Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: "vaak-" + version,
		Namespace: fmt.Sprintf("https://spdx.org/spdxdocs/vaak-%s-%x", version, digest),
		Creation:  creation{at.Format(time.RFC3339), []string{"Tool: vaak-sbom"}},
		Packages: []part{{
			Name: "vaak", ID: root, Version: version, Download: unknown, Concluded: "Apache-2.0 AND GPL-3.0-or-later",
			Declared: "Apache-2.0 AND GPL-3.0-or-later", Copyright: unknown,
			Checksums: []checksum{{"SHA256", hex.EncodeToString(digest[:])}}, Comment: "The checksum is that of the program vaak.",
		}},
		Relationships: []relationship{{"SPDXRef-DOCUMENT", "DESCRIBES", root}},
	}
	var licences bytes.Buffer
	add := func(p part, how string) {
		doc.Packages = append(doc.Packages, p)
		doc.Relationships = append(doc.Relationships, relationship{root, how, p.ID})
	}
	standard := strings.TrimPrefix(strings.Fields(built.GoVersion)[0], "go")
	text, err := licence(goRoot())
	if err != nil {
		return err
	}
	fmt.Fprintf(&licences, "The Go standard library %s\n\n%s\n", standard, text)
	add(part{
		Name: "stdlib", ID: id("stdlib", standard), Version: standard, Download: unknown, Concluded: "BSD-3-Clause", Declared: "BSD-3-Clause", Copyright: unknown,
		References: []reference{{"PACKAGE-MANAGER", "purl", "pkg:golang/stdlib@" + standard}},
	}, "STATIC_LINK")
	for _, m := range built.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		text, err := licence(moduleDir(m))
		if err != nil {
			return err
		}
		fmt.Fprintf(&licences, "%s\n%s %s\n\n%s\n", strings.Repeat("=", 78), m.Path, m.Version, text)
		p := part{
			Name: m.Path, ID: id(m.Path, m.Version), Version: m.Version, Download: unknown, Concluded: unknown, Declared: name(text), Copyright: unknown,
			References: []reference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + m.Path + "@" + m.Version}},
		}
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) == sha256.Size {
			p.Comment = "go.sum has " + m.Sum
		}
		add(p, "STATIC_LINK")
	}
	for _, l := range libraries {
		how := "STATIC_LINK"
		if strings.HasSuffix(l.name, "-data") {
			how = "CONTAINS"
		}
		add(part{
			Name: l.name, ID: id(l.name, l.version), Version: l.version, Download: unknown, Concluded: unknown, Declared: l.licence, Copyright: unknown,
			References: []reference{{"PACKAGE-MANAGER", "purl", "pkg:deb/debian/" + l.name + "@" + strings.ReplaceAll(l.version, "+", "%2B")}},
		}, how)
	}
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(bill, append(out, '\n'), 0o644), os.WriteFile(texts, licences.Bytes(), 0o644))
}

var odd = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// id makes an SPDX identifier.
func id(name, version string) string {
	return "SPDXRef-Package-" + odd.ReplaceAllString(name+"-"+version, "-")
}

// goRoot returns where the Go distribution is.
func goRoot() string {
	out, _ := exec.Command("go", "env", "GOROOT").Output() // "" has no licence, which is reported
	return strings.TrimSpace(string(out))
}

// moduleDir returns where the source of a module is: the module was compiled from there.
func moduleDir(m *debug.Module) string {
	out, _ := exec.Command("go", "env", "GOMODCACHE").Output()
	var path strings.Builder // a capital letter is an exclamation mark and the small one
	for _, r := range m.Path + "@" + m.Version {
		if 'A' <= r && r <= 'Z' {
			path.WriteByte('!')
			r += 'a' - 'A'
		}
		path.WriteRune(r)
	}
	return filepath.Join(strings.TrimSpace(string(out)), path.String())
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense)([.-].*)?$`)

// licence returns the texts of the licence files at the top of a directory.
func licence(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		all = append(all, strings.TrimSpace(string(text)))
	}
	if all == nil {
		return "", fmt.Errorf("%s has no licence", dir)
	}
	return strings.Join(all, "\n\n"), nil
}

// phrases tell licences apart, the first that has all of its phrases.
var phrases = []struct {
	id   string
	have []string
}{
	{"Apache-2.0", []string{"Apache License", "Version 2.0"}},
	{"MPL-2.0", []string{"Mozilla Public License", "2.0"}},
	{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "endorse or promote products"}},
	{"BSD-2-Clause", []string{"Redistribution and use in source and binary forms"}},
	{"MIT", []string{"Permission is hereby granted, free of charge"}},
	{"ISC", []string{"Permission to use, copy, modify, and"}},
	{"Unlicense", []string{"This is free and unencumbered software released into the public domain"}},
}

// name returns the SPDX name of a licence text. Texts of several licences have a name for each.
func name(text string) string {
	flat := strings.Join(strings.Fields(text), " ")
	var names []string
	for _, p := range phrases {
		all := !slices.ContainsFunc(p.have, func(phrase string) bool { return !strings.Contains(flat, phrase) })
		if all && !(p.id == "BSD-2-Clause" && slices.Contains(names, "BSD-3-Clause")) {
			names = append(names, p.id)
		}
	}
	if names == nil {
		return unknown
	}
	return strings.Join(names, " AND ")
}
