package identity

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"net/url"
	"strings"

	"vaak/internal/fault"
)

// CodesOffer is a secret of one-time codes that a person may turn on. It is shown once.
type CodesOffer struct {
	Secret string // base32, 32 characters
	URI    string // otpauth://, for a QR code
	Sealed string // comes back to [Service.TurnOnCodes]
}

var codesEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewCodes offers a person one-time codes. Nothing changes until they are turned on.
func (s *Service) NewCodes(p Person) (CodesOffer, error) {
	if p.HasCodes() {
		return CodesOffer{}, errCodesOn()
	}
	if p.Proof.Password == "" {
		return CodesOffer{}, errCodesAlone()
	}
	secret := make([]byte, codeSecret)
	rand.Read(secret) // never fails
	return s.offer(p, secret), nil
}

// SameCodes opens the sealed part of an offer that was made to a person, and returns the offer
// again, for a person who has mistyped a code.
func (s *Service) SameCodes(p Person, sealed string) (CodesOffer, error) {
	secret, ok := s.codes.Open(sealed, p.ID)
	if !ok || len(secret) != codeSecret {
		return CodesOffer{}, errNotOffered()
	}
	return s.offer(p, secret), nil
}

func (s *Service) offer(p Person, secret []byte) CodesOffer {
	text := codesEncoding.EncodeToString(secret)
	return CodesOffer{Secret: text, URI: s.codesURI(p.Email, text), Sealed: s.codes.Seal(secret, p.ID)}
}

// codesURI is the address that apps of one-time codes read.
func (s *Service) codesURI(email, secret string) string {
	escape := func(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
	return "otpauth://totp/" + escape(s.issuer) + ":" + escape(email) + "?secret=" + secret + "&issuer=" + escape(s.issuer) +
		"&algorithm=SHA1&digits=6&period=30"
}

// TurnOnCodes makes one-time codes necessary for a person from now on. The person gives the
// password; sealed is that of an offer to the same person, and the code proves that their
// app has the secret. All sessions end.
func (s *Service) TurnOnCodes(ctx context.Context, from Client, id, password, sealed, code string) (Person, error) {
	secret, ok := s.codes.Open(sealed, id)
	if !ok || len(secret) != codeSecret {
		return Person{}, errNotOffered()
	}
	digits, ok := parseCode(code)
	if !ok {
		return Person{}, errNoCode()
	}
	p, err := s.Person(ctx, id)
	switch {
	case err != nil:
		return Person{}, err
	case p.HasCodes():
		return Person{}, errCodesOn()
	case p.Proof.Password == "":
		return Person{}, errCodesAlone()
	}
	changed, err := s.turnOnCodes(ctx, from, p, password, secret, digits)
	s.note(ctx, from, id, "codes.on", p, err)
	return changed, err
}

func (s *Service) turnOnCodes(ctx context.Context, from Client, p Person, password string, secret []byte, digits string) (Person, error) {
	if err := s.prove(ctx, from, p, password); err != nil {
		return Person{}, err
	}
	return s.change(ctx, p.ID, func(now *Person) error {
		step, ok := stepOfCode(secret, digits, s.clock(), 0)
		switch {
		case now.HasCodes():
			return errCodesOn()
		case now.Proof.Password != p.Proof.Password:
			return errChanged()
		case !ok:
			return fault.New(fault.Unprocessable, CodeCodeInvalid, "code", "this is not the present code; see that the clock of the phone is right")
		}
		// The code that proved the app counts as used. The epoch ends all sessions.
		now.Proof.Codes, now.Proof.CodesUsed = s.codes.Seal(secret, now.ID), step
		now.Epoch++
		return nil
	})
}

// TurnOffCodes ends the one-time codes of a person, who gives the password. All sessions end.
func (s *Service) TurnOffCodes(ctx context.Context, from Client, id, password string) (Person, error) {
	p, err := s.Person(ctx, id)
	if err != nil {
		return Person{}, err
	}
	if !p.HasCodes() {
		return Person{}, errCodesOff()
	}
	if err = s.prove(ctx, from, p, password); err == nil {
		stored := p.Proof.Password
		p, err = s.change(ctx, id, func(p *Person) error {
			if p.Proof.Password != stored {
				return errChanged()
			}
			p.Proof.Codes, p.Proof.CodesUsed = "", 0
			p.Epoch++
			return nil
		})
	}
	s.note(ctx, from, id, "codes.off", target(p, id), err)
	if err != nil {
		return Person{}, err
	}
	return p, nil
}

// CheckCode signs in the person that [Service.SignIn] has returned with needsCode. Each code
// works once. A wrong one is Unauthenticated; failures are limited by person and by client.
func (s *Service) CheckCode(ctx context.Context, from Client, personID, code string) (Person, error) {
	p, err := s.Person(ctx, personID)
	if err != nil {
		return Person{}, err
	}
	try, err := s.try(ctx, from, codes, byCode, p.Email)
	if err != nil {
		return Person{}, err
	}
	defer try.drop()
	digits, ok := parseCode(code)
	// The step is compared and stored in one change of the person, so of two sign-ins with
	// the same code only one succeeds.
	entered, err := s.enter(ctx, from, p, "sign_in", func(now *Person) error {
		if !now.HasCodes() || now.Proof.Password != p.Proof.Password {
			return errRefused() // the password or the codes were changed meanwhile
		}
		secret, readable := s.codes.Open(now.Proof.Codes, now.ID)
		if !readable {
			return fault.New(fault.Conflict, CodeCodesUnreadable, "",
				"the secret of this account's codes cannot be read, as the deployment's has changed; an operator has to send a new link")
		}
		step, good := stepOfCode(secret, digits, s.clock(), now.Proof.CodesUsed)
		if !ok || !good {
			return fault.New(fault.Unauthenticated, CodeCodeInvalid, "code", "this is not the present code, or it was used already; wait for the next one")
		}
		now.Proof.CodesUsed = step
		return nil
	})
	if outcome(err) == CodeCodeInvalid {
		try.fail(s.clock())
	}
	return entered, err
}

func errNotOffered() error {
	return fault.BadParameter("sealed", "this offer of codes is not one that was made to this person; begin again")
}

func errCodesOn() error {
	return fault.New(fault.Conflict, CodeCodesOn, "", "one-time codes are on already; turn them off to begin again")
}

func errCodesOff() error {
	return fault.New(fault.Conflict, CodeCodesOff, "", "one-time codes are not on")
}

func errCodesAlone() error {
	return fault.New(fault.Conflict, CodeNoPassword, "", "codes are asked for beside a password, and this account has none; the identity provider asks for what it needs")
}

func errNoCode() error {
	return fault.BadParameter("code", "a code has %d digits", codeDigits)
}
