package claims

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// quick is a pace for tests.
var quick = Pace{Beat: 5 * time.Millisecond, Patience: 20}

// stranger is a process of another machine, of which nothing is known but its heartbeat.
func stranger(n int) Owner {
	return Owner{Host: fmt.Sprint("host", n), PID: 7, Machine: fmt.Sprint("machine", n), ID: fmt.Sprint(n)}
}

// mustTake takes a key, and checks whether that succeeds.
func mustTake(t *testing.T, c *Claims, key string, want bool) {
	t.Helper()
	got, owner, err := c.Take(key)
	if err != nil || got != want {
		t.Fatalf("taking %s: %t, %v, %v, expected %t", key, got, owner, err, want)
	}
}

// kill ends the heartbeat of a process and leaves its claims.
func kill(c *Claims) {
	close(c.end)
	c.ended.Wait()
}

func TestClaims(t *testing.T) {
	folder := t.TempDir()
	a, b := Open(folder, quick), open(folder, quick, stranger(1))
	defer a.Close()
	mustTake(t, a, "x", true)
	mustTake(t, b, "x", false)
	mustTake(t, b, "y", true)
	if _, owner, _ := b.Take("x"); owner.PID != os.Getpid() {
		t.Errorf("x belongs to %v", owner)
	}
	a.Give("x")
	mustTake(t, b, "x", true)
	b.Close() // gives x and y back
	mustTake(t, a, "x", true)
	mustTake(t, a, "y", true)
	a.Settle("x")
	a.Settle("y")
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestDeadStranger: what a process of another machine has claimed is taken over once its heart has
// not beaten for a time, by one process only; not before, and not while it beats.
func TestDeadStranger(t *testing.T) {
	folder := t.TempDir()
	dead, alive := open(folder, quick, stranger(1)), open(folder, quick, stranger(2))
	defer alive.Close()
	mustTake(t, dead, "x", true)
	mustTake(t, alive, "y", true)
	kill(dead)
	heirs := []*Claims{open(folder, quick, stranger(3)), Open(folder, quick)}
	var took [2]int
	for looks := 0; took[0]+took[1] == 0; looks++ {
		for i, c := range heirs {
			if mine, _, err := c.Take("x"); err != nil {
				t.Fatal(err)
			} else if mine {
				took[i]++
			}
			if mine, _, _ := c.Take("y"); mine && alive.beats() {
				t.Fatal("the claim of a process that lives was taken over")
			}
		}
		if looks < quick.Patience && took[0]+took[1] > 0 {
			t.Fatalf("taken over after %d looks", looks)
		}
		time.Sleep(quick.Beat)
	}
	for i, c := range heirs {
		if took[i] == 0 {
			mustTake(t, c, "x", false)
		}
	}
	for i, c := range heirs {
		if took[i] == 1 {
			c.Settle("x") // and what the dead one has left
		}
		defer c.Close()
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "x*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// beats reports whether the heart of a process beats fast enough for the tests, on a machine that
// may be busy.
func (c *Claims) beats() bool {
	text, _ := os.ReadFile(c.path("y", 1))
	time.Sleep(time.Duration(quick.Patience) * quick.Beat / 2)
	later, _ := os.ReadFile(c.path("y", 1))
	return string(text) != string(later)
}

// TestKilledHere: a process of this machine that was killed loses its claims at once, also while
// nobody has asked for its exit code, and one that has the number of a process that lives.
func TestKilledHere(t *testing.T) {
	folder := t.TempDir()
	c := Open(folder, Usual)
	defer c.Close()
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	owner := self()
	owner.PID = cmd.Process.Pid
	owner.Start, _ = started(owner.PID)
	other := open(folder, Usual, owner)
	mustTake(t, other, "x", true)
	mustTake(t, c, "x", false)
	reused := self()
	reused.Start = "1"
	mustTake(t, open(folder, Usual, reused), "y", true)
	mustTake(t, c, "y", true)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for !owner.gone() {
		time.Sleep(time.Millisecond)
	}
	mustTake(t, c, "x", true)
	_ = cmd.Wait() // it was killed
}

// TestHalfWritten: a claim whose owner was killed while it wrote it counts, until it is too old.
func TestHalfWritten(t *testing.T) {
	text, _ := stranger(1).form()
	rapid.Check(t, func(t *rapid.T) {
		folder, err := os.MkdirTemp("", "claims-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(folder)
		c := Open(folder, Pace{Beat: time.Microsecond, Patience: 3})
		defer c.Close()
		part := text[:rapid.IntRange(0, len(text)).Draw(t, "bytes")]
		if err := os.WriteFile(c.path("x", 1), part, 0o666); err != nil {
			t.Fatal(err)
		}
		if mine, _, err := c.Take("x"); mine || err != nil {
			t.Fatalf("%q: %t, %v", part, mine, err)
		}
		for range 1000 {
			time.Sleep(time.Microsecond)
			if mine, _, _ := c.Take("x"); mine {
				return
			}
		}
		t.Fatalf("%q is for ever", part)
	})
}

// TestOnlyOne: many processes that want the same work, and give some of it back, or die, never do
// a piece at the same time, and all is done once.
func TestOnlyOne(t *testing.T) {
	const processes, pieces = 6, 20
	rapid.Check(t, func(t *rapid.T) {
		folder, err := os.MkdirTemp("", "claims-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(folder)
		var doing, done [pieces]atomic.Int32
		fates := rapid.SliceOfN(rapid.IntRange(0, 3), processes*pieces, -1).Draw(t, "fates")
		var all sync.WaitGroup
		for p := range processes {
			owner := self() // of this machine, so that nobody waits for a dead one
			if p%2 == 0 {
				owner = stranger(p)
			}
			c := open(folder, Pace{Beat: time.Hour, Patience: 1}, owner)
			all.Go(func() {
				defer c.Close()
				for left := pieces; left > 0; {
					left = 0
					for i := range pieces {
						key := fmt.Sprint("piece", i)
						if done[i].Load() > 0 {
							continue
						}
						left++
						mine, _, err := c.Take(key)
						if err != nil {
							t.Errorf("%v", err)
							return
						}
						if !mine {
							continue
						}
						if doing[i].Add(1) > 1 {
							t.Errorf("piece %d belongs to two processes", i)
						}
						time.Sleep(time.Duration(fates[p*pieces+i]) * 10 * time.Microsecond)
						give := fates[p*pieces+i] == 0 && done[i].Load() == 0
						fates[p*pieces+i] = 1 // once
						doing[i].Add(-1)
						if give {
							c.Give(key)
							continue
						}
						if done[i].Load() == 0 { // as users look for the outcome
							done[i].Add(1)
						}
						c.Settle(key)
					}
				}
			})
		}
		all.Wait()
		for i := range pieces {
			if n := done[i].Load(); n != 1 {
				t.Errorf("piece %d was done %d times", i, n)
			}
		}
		if left, _ := os.ReadDir(folder); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
}
