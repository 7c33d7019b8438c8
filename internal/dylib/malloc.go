package dylib

import (
	"sync"

	"github.com/ebitengine/purego"
)

const (
	mallocMmapThreshold = -3 // M_MMAP_THRESHOLD of malloc.h
	mallocBig           = 64 << 10
)

// returnBigBlocks makes C's malloc get blocks of 64 KiB and more from the system, and return
// them when they are freed. By default glibc stops that after the first one is freed, and keeps
// freed blocks in arenas of threads, of which Go has many. With 1,000 mp3 encoders open, 390
// MiB are resident instead of 120; when all are closed, 86 MiB or more remain instead of 35.
//
// A C library other than glibc may lack mallopt. Then nothing is changed.
var returnBigBlocks = sync.OnceFunc(func() {
	address, err := purego.Dlsym(purego.RTLD_DEFAULT, "mallopt")
	if err != nil {
		return
	}
	var mallopt func(param, value int32) int32
	purego.RegisterFunc(&mallopt, address)
	mallopt(mallocMmapThreshold, mallocBig)
})
