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
	"vaak/text/frontend"
	"vaak/text/respell"
	"vaak/voice"
)

// CacheUse tells how an answer used the cache; "" means that it did not.
type CacheUse string

// The uses.
const (
	CacheHit  CacheUse = "hit"  // the answer came from the cache
	CacheMiss CacheUse = "miss" // the answer was made, and put into the cache if there is room
)

// cacheKey returns a digest of everything that decides the bytes of an answer, and of the
// organisation: an organisation must never get an answer that another one has paid for.
func (a *answer) cacheKey(caller account.Caller) cache.Key {
	b, err := json.Marshal(struct {
		Head                int // the form of the entry's head
		Revision, Org       string
		Engine              string
		Text, Before, After string
		Hint                string
		Language            lang.Code
		Offered             []lang.Code
		Voice               voice.ID
		Format              audio.Format
		Speed               float64
		Stream              bool
		Sampling            Sampling
		Dictionaries        [][32]byte
		Style               frontend.Style
	}{
		2, a.service.revision, caller.OrgID,
		a.speaker.engine.Name() + " " + a.speaker.traits.Revision,
		a.req.Text, a.req.PreviousText, a.req.NextText,
		a.req.Language, a.info.Language, a.service.offered, a.voice.ID, a.info.Format, a.req.Speed, a.req.Stream, a.req.Sampling,
		digests(a.req.Dictionaries), a.req.Style,
	})
	if err != nil {
		panic(err) // strings and numbers; checkSpeed has refused what is no number
	}
	return sha256.Sum256(b)
}

// digests returns the digests of dictionaries, in order, since their order decides which
// rule applies.
func digests(all respell.Dictionaries) [][32]byte {
	var out [][32]byte
	for _, d := range all {
		out = append(out, d.Digest())
	}
	return out
}

// cacheable reports whether an answer to a caller may come from the cache. Previews and
// the command line, which speak as account.Local, have no organisation to keep it for. What
// another voice said in the place of the requested one is not to be said again later.
func (a *answer) cacheable(caller account.Caller) bool {
	return a.service.cache != nil && caller != account.Local && a.speaker.traits.Deterministic && a.speaker.voice.ID == a.voice.ID
}

// fromCache answers from the cache; ok is false if the answer is not there.
func (a *answer) fromCache(ctx context.Context, caller account.Caller, key cache.Key, w io.Writer) (_ Result, ok bool, err error) {
	entry, ok := a.service.cache.Get(key)
	if !ok {
		return Result{}, false, nil
	}
	defer entry.Close()
	var k entryHead
	if err := k.parse(entry.Head()); err != nil {
		// A damaged entry is no reason to fail: the answer is made again.
		a.service.log.Error("a kept answer cannot be read", "error", err)
		return Result{}, false, nil
	}
	// A repeated answer costs what the first one did.
	hold, err := a.service.ledger.Reserve(ctx, caller, a.info.Characters)
	if err != nil {
		return Result{Info: a.info}, true, err
	}
	defer hold.Cancel()
	a.info.Cache, a.info.Engine = CacheHit, k.engine
	out := a.response(w)
	if !a.req.Stream {
		if out.whole, err = a.openBuffer(caller, w); err != nil {
			return Result{Info: a.info}, true, err
		}
		defer func() { out.whole.Close() }() // unless it is handed over
	}
	if err = out.replay(ctx, entry); err == nil {
		// A listener who leaves is charged in proportion to the bytes sent; a complete answer
		// costs what it cost when it was made.
		err = out.finish()
	}
	result, err := a.settle(ctx, hold, out, err, k.duration, func() (int, time.Duration) {
		heard := float64(k.duration) * float64(out.bytes) / float64(entry.Size())
		return k.characters(out.bytes), time.Duration(heard)
	})
	return result, true, err
}

// replayBuffers are the copy buffers of answers from the cache.
var replayBuffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// replay sends the bytes of a cached answer. If the file turns out shorter than its entry
// says, it returns an error.
func (r *response) replay(ctx context.Context, entry *cache.Entry) error {
	buf := replayBuffers.Get().(*[32 << 10]byte)
	defer replayBuffers.Put(buf)
	for left := entry.Size(); left > 0; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		piece := buf[:min(left, int64(len(buf)))]
		if _, err := io.ReadFull(entry, piece); err != nil {
			return fmt.Errorf("read a kept answer: %w", err)
		}
		// Each piece is sent before the next is read, so an answer of any length takes one buffer.
		if err := r.pipe(piece); err != nil {
			return err
		}
		left -= int64(len(piece))
	}
	return nil
}

// entryHead is the head of a cache entry: what must be known of an answer beside its
// bytes, to charge for it.
type entryHead struct {
	duration    time.Duration // of the audio
	engine      string        // that made it; see [Info.Engine]
	checkpoints []checkpoint  // ascending
}

// checkpoint says that the first so many bytes hold the audio of so many characters.
type checkpoint struct {
	bytes      int64
	characters int
}

// append appends the head's binary form to b: the duration in nanoseconds, the length of the
// engine's name and the name, then the checkpoints as differences. Numbers are unsigned varints
// (encoding/binary).
func (k *entryHead) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(k.duration))
	b = binary.AppendUvarint(b, uint64(len(k.engine)))
	b = append(b, k.engine...)
	var last checkpoint
	for _, h := range k.checkpoints {
		b = binary.AppendUvarint(b, uint64(h.bytes-last.bytes))
		b = binary.AppendUvarint(b, uint64(h.characters-last.characters))
		last = h
	}
	return b
}

// parse decodes what append wrote.
func (k *entryHead) parse(b []byte) error {
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
	n, err := next()
	if err != nil {
		return err
	}
	if n > uint64(len(b)) {
		return errors.New("its head ends in a name")
	}
	k.engine, b = string(b[:n]), b[n:]
	var last checkpoint
	for len(b) > 0 {
		bytes, err := next()
		if err != nil {
			return err
		}
		characters, err := next()
		if err != nil {
			return err
		}
		last = checkpoint{last.bytes + int64(bytes), last.characters + int(characters)}
		k.checkpoints = append(k.checkpoints, last)
	}
	return nil
}

// characters returns how many characters have their audio in the first so many bytes.
func (k *entryHead) characters(bytes int64) int {
	n := 0
	for _, h := range k.checkpoints {
		if h.bytes <= bytes {
			n = h.characters
		}
	}
	return n
}
