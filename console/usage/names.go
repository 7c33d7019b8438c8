package usage

import (
	"context"

	"vaak/account"
	"vaak/console/page"
)

// playgroundName is what the key of the console is called.
const playgroundName = "The playground"

// keyNames are what the keys of an organisation are called, by id.
type keyNames struct {
	Keys  []account.Key // the newest last
	names map[string]string
}

// keyNames returns the names of the keys of the organisation. Keys with the same label get
// the last characters of their secret, so that they can be told apart.
func (ps *pages) keyNames(v *page.Visit, ctx context.Context) (keyNames, error) {
	keys, err := ps.Accounts.Keys(ctx, v.Org.ID)
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

// Of returns the name of a key, or the id of one that is not known.
func (n keyNames) Of(id string) string {
	if name, ok := n.names[id]; ok {
		return name
	}
	return id
}
