package accounttest_test

import (
	"testing"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/store/storetest"
)

// What is in memory does as the databases do.

func TestRequests(t *testing.T) {
	t.Parallel()
	storetest.RunRequests(t, func(*testing.T) account.UsageStore { return accounttest.New(nil) })
}

func TestLimits(t *testing.T) {
	t.Parallel()
	storetest.RunLimits(t, func(*testing.T) storetest.OpenedLimits {
		c := storetest.NewClock()
		return storetest.OpenedLimits{Limits: accounttest.NewLimits(c.Now), Clock: c}
	})
}
