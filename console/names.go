package console

import (
	"context"

	"vaak/account"
	"vaak/lang"
	"vaak/voice"
)

// playgroundName is what the key of the console is called.
const playgroundName = "The playground"

// keyNames are what the keys of an organisation are called, by id.
type keyNames struct {
	Keys  []account.Key // the newest last
	names map[string]string
}

// keyNames asks for them. Keys that share a label are told apart by the end of their
// secret.
func (v *visit) keyNames(ctx context.Context) (keyNames, error) {
	keys, err := v.Accounts.Keys(ctx, v.org.ID)
	if err != nil {
		return keyNames{}, err
	}
	labels := map[string]int{playgroundName: 1}
	for _, k := range keys {
		labels[k.Label]++
	}
	out := keyNames{keys, map[string]string{account.ConsoleKey: playgroundName}}
	for _, k := range keys {
		out.names[k.ID] = k.Label
		if labels[k.Label] > 1 {
			out.names[k.ID] += " …" + k.LastFour
		}
	}
	return out, nil
}

// Of returns the name of a key; one that is not known is called by its id.
func (n keyNames) Of(id string) string {
	if name, ok := n.names[id]; ok {
		return name
	}
	return id
}

// voiceName returns the name of a voice; one that is not of the roster is called by its
// id.
func voiceName(id string) string {
	if v, ok := voice.Lookup(voice.ID(id)); ok {
		return v.Name
	}
	return id
}

// languageName returns the name of a language in English; one that is not known is
// called by its code.
func languageName(code string) string {
	if l, ok := lang.Lookup(lang.Code(code)); ok {
		return l.Name
	}
	return code
}
