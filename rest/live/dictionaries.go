package live

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/rest/elevenlabs"
	"vaak/rest/live/message"
	"vaak/text/respell"
)

// lookUpTime is how long a socket waits for dictionaries. The socket handles no messages during
// this time.
const lookUpTime = 3 * time.Second

// dictionaries holds the dictionaries of a handshake, in the order in which they apply.
type dictionaries struct {
	named []dictionary.Locator
	ready respell.Dictionaries // one for each of named
}

// use returns the dictionaries of the handshake, followed by those in the list of a message. It
// does not look up the first ones again, so that a socket keeps their versions. The error is of
// kind NotFound, Invalid when there are too many, or Unavailable. If the socket must end, the
// error is the reason for that.
func (c *connection) use(list []dictionary.Locator) (respell.Dictionaries, error) {
	named := dictionary.Merge(c.dictionaries.named, list...)
	if n := len(named); n > dictionary.MaxPerRequest {
		return nil, fault.BadParameter(elevenlabs.FieldLocators,
			"%d pronunciation dictionaries are named with that of the address; at most %d are allowed", n, dictionary.MaxPerRequest)
	}
	ready := make(respell.Dictionaries, len(named))
	var missing []dictionary.Locator
	for i, l := range named {
		// Merge keeps those of the handshake at the front. Only a locator that names a version
		// where the handshake named none replaces one, and is then looked up.
		if i < len(c.dictionaries.named) && l == c.dictionaries.named[i] {
			ready[i] = c.dictionaries.ready[i]
		} else {
			missing = append(missing, l)
		}
	}
	found, err := c.handler.lookUp(c.present, c.caller.OrgID, missing)
	if err != nil {
		// lookUp stops at the first failure and returns those before it, so that their number is
		// the index of the one that failed.
		return nil, atEntry(list, missing[len(found)], err)
	}
	for i := range ready { // found is in the order of the gaps
		if ready[i] == nil {
			ready[i], found = found[0], found[1:]
		}
	}
	return ready, nil
}

// atEntry makes the error of a dictionary that does not exist name the entry of the list that
// names the dictionary.
func atEntry(list []dictionary.Locator, missing dictionary.Locator, err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.NotFound {
		return err
	}
	at := elevenlabs.FieldLocators + "." + strconv.Itoa(slices.Index(list, missing))
	e := *f
	e.Field, e.Msg = at+"."+f.Field, at+": "+f.Msg
	return &e
}

// lookUp finds dictionaries of an organisation. It gives up after lookUpTime, and when the server
// ends its sockets. With an error it returns the dictionaries before the one that failed.
func (h *Handler) lookUp(ctx context.Context, org string, locators []dictionary.Locator) (respell.Dictionaries, error) {
	if len(locators) == 0 {
		return nil, nil
	}
	if h.cfg.Dictionaries == nil {
		return nil, dictionary.NotFound(locators[0].ID)
	}
	within, cancel := context.WithTimeout(ctx, lookUpTime)
	defer cancel()
	// Ends with within, which the deferred cancel ends, so it does not outlive the look-up.
	go func() {
		select {
		case <-h.stopping:
			cancel()
		case <-within.Done():
		}
	}()
	var all respell.Dictionaries
	for _, l := range locators {
		// One at a time, so that the caller can tell which of them failed.
		found, err := h.cfg.Dictionaries.Use(within, org, l)
		if err != nil {
			return all, lookUpError(ctx, within, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// lookUpError returns the reason why a look-up failed. Within is the context of the look-up, which
// ends earlier than ctx, that of the socket.
func lookUpError(ctx, within context.Context, err error) error {
	switch {
	case within.Err() == nil, fault.KindOf(err) == fault.NotFound:
		return err
	case ctx.Err() != nil:
		// The socket has ended, and the look-up only felt it. The cause says why: a revoked key, or the
		// client left.
		if why := context.Cause(ctx); fault.KindOf(why) != fault.Internal {
			return why
		}
		return gone(err)
	case within.Err() == context.DeadlineExceeded:
		return fault.Down(fault.CodeStoreUnavailable, time.Second, err, "the pronunciation dictionaries cannot be looked up at present; try again")
	default:
		return message.ErrStopping
	}
}
