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

// keyNames asks for them. Keys that share a label are told apart by the end of their
// secret.
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

// Of returns the name of a key; one that is not known is called by its id.
func (n keyNames) Of(id string) string {
	if name, ok := n.names[id]; ok {
		return name
	}
	return id
}
