package run

import (
	"runtime"
	"runtime/debug"
)

// worthTrimming is the size of the heap (bytes) from which on it is trimmed: that takes less than a
// hundredth of the time in which so much was set up.
const worthTrimming = 64 << 20

// trim gives back what setting up a large run has left behind. The garbage collector would do so
// only once the heap has doubled, and the run would take as much more memory until then.
func trim() {
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc >= worthTrimming {
		debug.FreeOSMemory()
	}
}
