package speech

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"vaak/account"
	"vaak/audio"
	"vaak/lang"
	"vaak/speech/cache"
	"vaak/text/respell"
	"vaak/voice"
)

// CacheUse says what the cache of answers had to do with one; "" is nothing.
type CacheUse string

// The uses.
const (
	CacheHit  CacheUse = "hit"  // the answer was there
	CacheMiss CacheUse = "miss" // it was made, and is there now if there is room
)

// cacheKey digests all that decides the bytes of an answer, and whose it is: an
// organisation is never answered from what another has asked.
func (a *answer) cacheKey(caller account.Caller) cache.Key {
	b, err := json.Marshal(struct {
		Revision, Org       string
		Text, Before, After string
		Hint                string
		Language            lang.Code
		Voice               voice.ID
		Format              audio.Format
		Speed               float64
		Stream              bool
		Sampling            Sampling
		Dictionaries        [][32]byte
	}{
		a.service.revision, caller.OrgID,
		a.req.Text, a.req.PreviousText, a.req.NextText,
		a.req.Language, a.info.Language, a.voice.ID, a.info.Format, a.req.Speed, a.req.Stream, a.req.Sampling,
		digests(a.req.Dictionaries),
	})
	if err != nil {
		panic(err) // strings and numbers; checkSpeed has refused what is no number
	}
	return sha256.Sum256(b)
}

// digests returns what tells dictionaries apart.
func digests(all respell.Dictionaries) [][32]byte {
	var out [][32]byte
	for _, d := range all {
		out = append(out, d.Digest())
	}
	return out
}

// remembers reports whether an answer to a caller may come from the cache.
func (a *answer) remembers(caller account.Caller) bool {
	return a.service.cache != nil && caller != account.Local
}

// recall answers from the cache; ok is false when the answer is not there.
func (a *answer) recall(ctx context.Context, caller account.Caller, key cache.Key, w io.Writer) (_ Result, ok bool, err error) {
	entry, ok := a.service.cache.Get(key)
	if !ok {
		return Result{}, false, nil
	}
	defer entry.Close()
	var k keepsake
	if err := k.parse(entry.Head()); err != nil {
		a.service.log.Error("a kept answer cannot be read", "error", err)
		return Result{}, false, nil
	}
	hold, err := a.service.ledger.Reserve(ctx, caller, a.info.Characters)
	if err != nil {
		return Result{Info: a.info}, true, err
	}
	defer hold.Cancel()
	a.info.Cache = CacheHit
	out := a.response(w)
	if !a.req.Stream {
		if out.whole, err = a.room(caller, w); err != nil {
			return Result{Info: a.info}, true, err
		}
		defer func() { out.whole.Close() }() // unless it is handed over
	}
	if err = out.replay(ctx, entry); err == nil {
		err = out.finish()
	}
	result, err := a.settle(ctx, hold, out, err, k.duration, func() (int, time.Duration) {
		heard := float64(k.duration) * float64(out.bytes) / float64(entry.Size())
		return k.characters(out.bytes), time.Duration(heard)
	})
	return result, true, err
}

// replays are the buffers of answers from the cache.
var replays = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// replay passes the bytes of an answer on. One that turns out shorter than it
// was is an error.
func (r *response) replay(ctx context.Context, entry *cache.Entry) error {
	buf := replays.Get().(*[32 << 10]byte)
	defer replays.Put(buf)
	for left := entry.Size(); left > 0; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		piece := buf[:min(left, int64(len(buf)))]
		if _, err := io.ReadFull(entry, piece); err != nil {
			return fmt.Errorf("read a kept answer: %w", err)
		}
		if err := r.pipe(piece); err != nil {
			return err
		}
		left -= int64(len(piece))
	}
	return nil
}

// keepsake is what is kept beside the bytes of an answer.
type keepsake struct {
	duration time.Duration // of the audio
	handed   []handed      // ascending
}

// handed says of how many characters the audio is in the first so many bytes.
type handed struct {
	bytes      int64
	characters int
}

// append appends the keepsake's binary form.
func (k *keepsake) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(k.duration))
	var last handed
	for _, h := range k.handed {
		b = binary.AppendUvarint(b, uint64(h.bytes-last.bytes))
		b = binary.AppendUvarint(b, uint64(h.characters-last.characters))
		last = h
	}
	return b
}

// parse is the inverse of append.
func (k *keepsake) parse(b []byte) error {
	next := func() (uint64, error) {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return 0, errors.New("its head ends in a number")
		}
		b = b[n:]
		return v, nil
	}
	d, err := next()
	if err != nil {
		return err
	}
	k.duration = time.Duration(d)
	var last handed
	for len(b) > 0 {
		bytes, err := next()
		if err != nil {
			return err
		}
		characters, err := next()
		if err != nil {
			return err
		}
		last = handed{last.bytes + int64(bytes), last.characters + int(characters)}
		k.handed = append(k.handed, last)
	}
	return nil
}

// characters returns those whose audio is in the first so many bytes.
func (k *keepsake) characters(bytes int64) int {
	n := 0
	for _, h := range k.handed {
		if h.bytes <= bytes {
			n = h.characters
		}
	}
	return n
}
