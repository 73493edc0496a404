package machine

import (
	"encoding/binary"
	"fmt"
	"os/exec"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Counter counts the instructions of other processes. A nil *Counter runs them without counting.
type Counter struct{ kind, event uint64 }

// NewCounter returns a counter of instructions in user mode, or an error if the kernel offers none.
func NewCounter() (*Counter, error) {
	c := &Counter{unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS}
	fd, err := c.open()
	if err != nil {
		return nil, fmt.Errorf("the kernel does not count instructions here (perf_event_open: %w)", err)
	}
	return c, unix.Close(fd)
}

// Run runs the command to its end and returns the number of instructions that it and its children
// executed.
func (c *Counter) Run(cmd *exec.Cmd) (int64, error) {
	if c == nil {
		return 0, cmd.Run()
	}
	// The counter belongs to the thread that opens it. The process that this
	// thread starts inherits it, and its exec turns it on.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	fd, err := c.open()
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	if err := cmd.Run(); err != nil {
		return 0, err
	}
	var value [8]byte
	if _, err := unix.Read(fd, value[:]); err != nil {
		return 0, fmt.Errorf("reading the counter: %w", err)
	}
	return int64(binary.NativeEndian.Uint64(value[:])), nil
}

// open opens the counter for processes that this thread will start.
func (c *Counter) open() (int, error) {
	attr := unix.PerfEventAttr{
		Type:   uint32(c.kind),
		Config: c.event,
		Bits: unix.PerfBitDisabled | unix.PerfBitInherit | unix.PerfBitEnableOnExec |
			unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	attr.Size = uint32(unsafe.Sizeof(attr))
	return unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
}
