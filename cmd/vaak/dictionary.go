package main

import (
	"context"
	"errors"
	"log/slog"
	"strconv"

	"vaak/account"
	"vaak/dictionary"
)

type dictionaryCommand struct {
	List   dictionaryListCommand   `cmd:"" help:"List pronunciation dictionaries, the oldest first: id, organisation, name, how many rules, number of the latest version and when it was made, when the dictionary was made and by which key."`
	Show   dictionaryShowCommand   `cmd:"" help:"Show a pronunciation dictionary, one name and value a line: whose it is, the version that is shown and the others that are kept (number, id, how many rules, when), and a line for each rule: term, alias, options that are not the default."`
	Delete dictionaryDeleteCommand `cmd:"" help:"Delete a pronunciation dictionary with all its versions, for good; servers that run refuse requests with it within seconds."`
}

// dictionaries runs do with the pronunciation dictionaries of a database. An error that the
// domain calls invalid is a wrong use of the command.
func (f storeFlags) dictionaries(ctx context.Context, s streams, do func(*dictionary.Service) error) error {
	log := logger(s, slog.LevelWarn)
	db, err := f.place().Existing(ctx, log)
	if err != nil {
		return err
	}
	all, err := dictionary.New(dictionary.Config{Store: db.Dictionaries(), Log: log})
	if err != nil {
		return errors.Join(err, db.Close())
	}
	err = asUsage(do(all))
	all.Close()
	return errors.Join(err, db.Close())
}

type dictionaryListCommand struct {
	storeFlags
	Org  string `help:"Those of one organisation; see vaak org list. Default: of all." placeholder:"ID"`
	JSON bool   `help:"Print them as JSON." name:"json"`
}

// Run prints a line for each. An organisation that does not exist is an error.
func (c dictionaryListCommand) Run(ctx context.Context, s streams) error {
	if c.Org != "" {
		err := c.accounts(ctx, s, c.place().Existing, func(a *account.Service) error {
			_, err := a.Organisation(ctx, c.Org)
			return err
		})
		if err != nil {
			return err
		}
	}
	return c.dictionaries(ctx, s, func(all *dictionary.Service) error { return c.print(ctx, s, all) })
}

func (c dictionaryListCommand) print(ctx context.Context, s streams, all *dictionary.Service) error {
	org := c.Org
	if org == "" {
		org = dictionary.Everyone
	}
	listed := []dictionaryJSON{}
	for q := (dictionary.Query{Size: dictionary.MaxPage, Ascending: true}); ; {
		page, err := all.List(ctx, org, q)
		if err != nil {
			return err
		}
		for _, d := range page.Dictionaries {
			listed = append(listed, describeDictionary(d))
			if c.JSON {
				continue
			}
			if err := s.line(d.ID, d.Org, inert(d.Name), d.Latest.Rules, d.Latest.Number, d.Latest.CreatedAt, d.CreatedAt, inert(d.CreatedBy)); err != nil {
				return err
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	if c.JSON {
		return s.inertJSON(listed)
	}
	return nil
}

type dictionaryShowCommand struct {
	storeFlags
	ID      string `arg:"" help:"Id of the dictionary; see vaak dictionary list."`
	Version string `help:"Number or id of the version to show. Default: the latest." placeholder:"V"`
	JSON    bool   `help:"Print it as JSON." name:"json"`
}

// Run prints it.
func (c dictionaryShowCommand) Run(ctx context.Context, s streams) error {
	return c.dictionaries(ctx, s, func(all *dictionary.Service) error { return c.print(ctx, s, all) })
}

func (c dictionaryShowCommand) print(ctx context.Context, s streams, all *dictionary.Service) error {
	d, rules, err := all.Get(ctx, dictionary.Everyone, c.ID)
	if err != nil {
		return err
	}
	kept, err := all.Versions(ctx, dictionary.Everyone, c.ID)
	if err != nil {
		return err
	}
	shown := d.Latest
	if c.Version != "" {
		if shown, rules, err = all.Version(ctx, dictionary.Everyone, c.ID, versionID(c.Version, kept)); err != nil {
			return err
		}
	}
	if c.JSON {
		return s.inertJSON(describeRules(d, shown, kept, rules))
	}
	return s.lines(dictionaryRows(d, shown, kept, rules))
}

// versionID returns the id of the version that is named by its number; any other name
// is an id.
func versionID(name string, kept []dictionary.Version) string {
	for _, v := range kept {
		if strconv.Itoa(v.Number) == name {
			return v.ID
		}
	}
	return name
}

type dictionaryDeleteCommand struct {
	storeFlags
	ID string `arg:"" help:"Id of the dictionary; see vaak dictionary list."`
}

// Run deletes it.
func (c dictionaryDeleteCommand) Run(ctx context.Context, s streams) error {
	return c.dictionaries(ctx, s, func(all *dictionary.Service) error {
		return all.Delete(ctx, dictionary.Everyone, c.ID)
	})
}
