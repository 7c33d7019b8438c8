package account

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

// CodeOrganisationExists is the code of the Conflict error of
// [Service.CreateOrganisation] and [Service.Rename].
const CodeOrganisationExists = "organisation_exists"

// CreateOrganisation adds an organisation on a plan; "" is [DefaultPlan]. The
// name has 1 to [MaxName] code points without control characters and must not
// be taken.
func (s *Service) CreateOrganisation(ctx context.Context, name, plan string) (Organisation, error) {
	if err := checkName("name", name); err != nil {
		return Organisation{}, err
	}
	if plan == "" {
		plan = DefaultPlan
	}
	if _, err := s.plans(ctx, named{"plan", plan}); err != nil {
		return Organisation{}, err
	}
	o := Organisation{
		ID: newID(orgPrefix), Name: name, Terms: ledger.Terms{Mode: ledger.Lots, Plan: plan},
		Ceilings: NoCeilings, Created: s.instant(),
	}
	err := s.store.CreateOrganisation(ctx, o)
	if fault.KindOf(err) == fault.Conflict {
		return Organisation{}, nameTaken(name)
	}
	if err != nil {
		return Organisation{}, fmt.Errorf("create organisation: %w", err)
	}
	s.log.InfoContext(ctx, "organisation created", "organisation", o.ID, "plan", plan)
	return o, nil
}

func nameTaken(name string) error {
	return fault.New(fault.Conflict, CodeOrganisationExists, "name", "an organisation named %s exists already", quote(name))
}

// Rename gives an organisation another name, of which holds what
// [Service.CreateOrganisation] says.
func (s *Service) Rename(ctx context.Context, orgID, name string) error {
	if err := checkName("name", name); err != nil {
		return err
	}
	if !isID(orgPrefix, orgID) {
		return noOrganisation(orgID)
	}
	err := s.store.RenameOrganisation(ctx, orgID, name)
	switch fault.KindOf(err) {
	case "":
		s.log.InfoContext(ctx, "organisation renamed", "organisation", orgID)
		return nil
	case fault.NotFound:
		return noOrganisation(orgID)
	case fault.Conflict:
		return nameTaken(name)
	}
	return fmt.Errorf("rename organisation %s: %w", orgID, err)
}

// Organisation returns the organisation with an id, its terms as they are kept:
// [ledger.Terms.At] tells what they have come to.
func (s *Service) Organisation(ctx context.Context, id string) (Organisation, error) {
	if !isID(orgPrefix, id) {
		return Organisation{}, noOrganisation(id)
	}
	o, err := s.store.Organisation(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return Organisation{}, noOrganisation(id)
	}
	if err != nil {
		return Organisation{}, fmt.Errorf("read organisation %s: %w", id, err)
	}
	return o, nil
}

// Organisations returns all organisations, oldest first.
func (s *Service) Organisations(ctx context.Context) ([]Organisation, error) {
	all, err := s.store.Organisations(ctx)
	if err != nil {
		return nil, fmt.Errorf("read organisations: %w", err)
	}
	return all, nil
}

// SetCeilings sets the limits of an organisation over all its keys.
func (s *Service) SetCeilings(ctx context.Context, orgID string, c Ceilings) error {
	for name, n := range map[string]int{"rpm": c.RequestsPerMinute, "streams": c.MaxStreams} {
		if n != ledger.Unlimited && (n < 1 || n > maxRate) {
			return fault.BadParameter(name, "%s %d is outside 1 to %d, and not -1 for none", name, n, maxRate)
		}
	}
	if _, err := s.Organisation(ctx, orgID); err != nil {
		return err
	}
	if err := s.store.SetCeilings(ctx, orgID, c); err != nil {
		return fmt.Errorf("set ceilings of %s: %w", orgID, err)
	}
	return nil
}

// Usage returns what each key of an organisation used in a UTC month, by key
// id; keys without use in that month are left out.
func (s *Service) Usage(ctx context.Context, orgID string, p ledger.Period) ([]KeyUsage, error) {
	if _, ok := ledger.ParsePeriod(string(p)); !ok {
		return nil, fault.BadParameter("period", "period %s is not a month of the form YYYY-MM", quote(string(p)))
	}
	if _, err := s.Organisation(ctx, orgID); err != nil {
		return nil, err
	}
	used, err := s.store.Usage(ctx, orgID, p)
	if err != nil {
		return nil, fmt.Errorf("read usage of %s: %w", orgID, err)
	}
	for i := range used {
		used[i].KeyID = shownKey(used[i].KeyID)
	}
	slices.SortFunc(used, func(a, b KeyUsage) int { return cmp.Compare(a.KeyID, b.KeyID) })
	return used, nil
}

// maxDays is the longest span of [Service.Daily].
const maxDays = 366

// Daily returns an organisation's use by day. Without From it begins with the
// first of this month, without To it ends today, without By it is told apart by
// key.
func (s *Service) Daily(ctx context.Context, orgID string, q DailyQuery) (DailyQuery, []DailyUsage, error) {
	now := s.now().UTC()
	if q.To == "" {
		q.To = now.Format(dayLayout)
	}
	if q.From == "" {
		q.From = now.Format(periodLayout) + "-01"
	}
	if q.By == "" {
		q.By = ByKey
	}
	if err := q.check(); err != nil {
		return q, nil, err
	}
	if _, err := s.Organisation(ctx, orgID); err != nil {
		return q, nil, err
	}
	days, err := s.store.Daily(ctx, orgID, q)
	if err != nil {
		return q, nil, fmt.Errorf("read daily usage of %s: %w", orgID, err)
	}
	if q.By == ByKey {
		showKeys(days)
	}
	return q, days, nil
}

// showKeys makes the groups of sums by key what callers are told of them.
func showKeys(days []DailyUsage) {
	for i := range days {
		days[i].Group = shownKey(days[i].Group)
	}
	slices.SortFunc(days, func(a, b DailyUsage) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Group, b.Group))
	})
}

const periodLayout = "2006-01"

func (q DailyQuery) check() error {
	from, ferr := time.Parse(dayLayout, q.From)
	to, terr := time.Parse(dayLayout, q.To)
	switch {
	case ferr != nil:
		return fault.BadParameter("from", "from %s is not a day of the form YYYY-MM-DD", quote(q.From))
	case terr != nil:
		return fault.BadParameter("to", "to %s is not a day of the form YYYY-MM-DD", quote(q.To))
	case to.Before(from):
		return fault.BadParameter("to", "to %s is before from %s", q.To, q.From)
	case to.Sub(from) >= maxDays*24*time.Hour:
		return fault.BadParameter("from", "from %s to %s are more than %d days", q.From, q.To, maxDays)
	case q.By != ByKey && q.By != ByVoice && q.By != ByLanguage:
		return fault.BadParameter("by", "by %s is not one of key, voice, language", quote(string(q.By)))
	}
	return nil
}

func noOrganisation(sent string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "organisation", "there is no organisation %s", quote(sent))
}
