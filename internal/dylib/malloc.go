package dylib

import (
	"sync"

	"github.com/ebitengine/purego"
)

const (
	mallocMmapThreshold = -3 // M_MMAP_THRESHOLD of malloc.h
	mallocBig           = 64 << 10
)

// returnBigBlocks makes C's malloc take blocks from 64 KiB on from the system and
// give them back when they are freed. By itself glibc stops doing so after the
// first that is freed, and keeps them in an arena of the thread, of which Go has
// many and picks any: of 1,000 mp3 encoders at a time 390 MiB are resident instead
// of 120, and 86 MiB or more remain when all are closed instead of 35.
//
// Another C library than glibc may lack mallopt, and then is left as it is.
var returnBigBlocks = sync.OnceFunc(func() {
	address, err := purego.Dlsym(purego.RTLD_DEFAULT, "mallopt")
	if err != nil {
		return
	}
	var mallopt func(param, value int32) int32
	purego.RegisterFunc(&mallopt, address)
	mallopt(mallocMmapThreshold, mallocBig)
})
