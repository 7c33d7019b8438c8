package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// exchange trades a code for an ID token at the provider (RFC 6749, section 4.1.3).
func (p *Provider) exchange(ctx context.Context, d *discovered, code, verifier string) (string, error) {
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {p.config.RedirectURL}, "code_verifier": {verifier},
	}
	inForm := d.inForm || p.config.ClientSecret == ""
	if inForm {
		form.Set("client_id", p.config.ClientID)
		if p.config.ClientSecret != "" {
			form.Set("client_secret", p.config.ClientSecret)
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.tokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return "", away(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	if !inForm {
		// Both are written as a form writes them before they are joined: section 2.3.1.
		r.SetBasicAuth(url.QueryEscape(p.config.ClientID), url.QueryEscape(p.config.ClientSecret))
	}
	resp, err := p.client.Do(r)
	if err != nil {
		return "", p.lost(ctx, err)
	}
	defer resp.Body.Close() // read only
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", p.lost(ctx, err)
	}
	var answer struct {
		IDToken string `json:"id_token"`
		Error   string `json:"error"`
	}
	err = json.Unmarshal(text, &answer)
	switch {
	case resp.StatusCode == http.StatusOK && err == nil && answer.IDToken != "":
		return answer.IDToken, nil
	case resp.StatusCode == http.StatusBadRequest && err == nil && answer.Error == "invalid_grant":
		return "", refused("the identity provider takes this code no more; begin again")
	case err != nil:
		err = errors.New("the answer is not JSON")
	default:
		err = fmt.Errorf("error %.64q", answer.Error)
	}
	return "", away(fmt.Errorf("code for a token: status %d: %w", resp.StatusCode, err))
}

// lost returns the error of a request without an answer.
func (p *Provider) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return cancelled()
	}
	return away(err)
}
