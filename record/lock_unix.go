//go:build unix

package record

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a file until it is closed or the process ends. It returns false if another process
// holds the lock, or if the file cannot be locked.
func lock(file *os.File) bool { return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil }
