package machine

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// touchVariable asks this test binary to touch touchedPages pages of memory instead of
// running its tests.
const (
	touchVariable = "FABRICAST_TEST_TOUCH"
	touchedPages  = 10_000
)

func TestMain(m *testing.M) {
	if os.Getenv(touchVariable) == "" {
		os.Exit(m.Run())
	}
	done := make(chan error)
	go func() { done <- touch() }() // on another thread, which must be counted too
	if err := <-done; err != nil {
		panic(err)
	}
}

func touch() error {
	size := os.Getpagesize()
	block, err := unix.Mmap(
		-1, 0, touchedPages*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE,
	)
	if err != nil {
		return err
	}
	// Without support for huge pages, refusing them fails; that is as good.
	_ = unix.Madvise(block, unix.MADV_NOHUGEPAGE)
	for i := 0; i < len(block); i += size {
		block[i] = 1
	}
	return nil
}

// TestCounterFollowsTheChild counts page faults, which need no hardware, rather
// than instructions: those of all threads of the child, and not those of this process.
func TestCounterFollowsTheChild(t *testing.T) {
	c := &Counter{unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_PAGE_FAULTS}
	fd, err := c.open()
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("nothing may be counted here: %v", err) // containers rarely allow it
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), touchVariable+"=1")
	if err := touch(); err != nil {
		t.Fatal(err)
	}
	n, err := c.Run(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if n < touchedPages || n > touchedPages*3/2 {
		t.Errorf("%d page faults, expected %d and those of starting a process", n, touchedPages)
	}
}

func TestNoCounterRunsAllTheSame(t *testing.T) {
	var c *Counter
	if n, err := c.Run(exec.Command("true")); n != 0 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if _, err := c.Run(exec.Command("false")); err == nil {
		t.Error("a command that failed passed")
	}
}
