package machine

import (
	"runtime"
	"testing"
)

func TestUsed(t *testing.T) {
	block := make([]byte, 32<<20)
	for i := range block {
		block[i] = 1
	}
	u := Used()
	if runtime.GOOS == "linux" && u.PeakRSS < 32<<20 {
		t.Errorf("peak memory is %d bytes after touching 32 MiB", u.PeakRSS)
	}
	if u.User+u.Sys < 0 {
		t.Errorf("CPU time is %v and %v", u.User, u.Sys)
	}
	runtime.KeepAlive(block)
}

func TestMemory(t *testing.T) {
	if m := Memory(); runtime.GOOS == "linux" && m < 1<<20 {
		t.Errorf("%d bytes of memory available", m)
	}
}
