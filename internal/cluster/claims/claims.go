package claims

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fabricast/internal/leftover"
	"fabricast/internal/panics"
)

// Claims manages the claims of this process in a folder. Its methods are safe for concurrent use.
type Claims struct {
	folder string
	pace   Pace
	owner  Owner

	mutex sync.Mutex
	held  map[string]int   // generation, by key
	seen  map[string]sight // claims of other processes, by path
	end   chan struct{}
	ended sync.WaitGroup
}

// Pace is the interval of heartbeats, and the number of heartbeats that may be missing.
type Pace struct {
	Beat     time.Duration // between two heartbeats
	Patience int           // inspections without a new heartbeat until an owner is dead
}

// Usual is the pace of all commands: an owner on another machine is considered dead after a minute.
var Usual = Pace{Beat: 5 * time.Second, Patience: 12}

// Open prepares for claims of this process in a folder. It claims nothing yet. Call Close at the
// end.
func Open(folder string, pace Pace) *Claims { return open(folder, pace, self()) }

func open(folder string, pace Pace, owner Owner) *Claims {
	c := &Claims{
		folder: folder, pace: pace, owner: owner,
		held: map[string]int{}, seen: map[string]sight{}, end: make(chan struct{}),
	}
	c.ended.Go(panics.Guarded("heartbeat of claims", c.heart))
	return c
}

// infix separates the key and the generation in a claim's name.
const infix = ".claim."

// Key returns the key of the claim stored in a file of the given name; "" for other files.
func Key(name string) string {
	key, _, is := strings.Cut(name, infix)
	if !is {
		return ""
	}
	return key
}

func (c *Claims) path(key string, generation int) string {
	return filepath.Join(c.folder, fmt.Sprintf("%s%s%d", key, infix, generation))
}

// Take claims a piece of work. It returns true if this process now has it. If another process has
// it and may be alive, it returns false and that process, about which nothing may be known if the
// claim has just been made. A process must not take a piece of work that it already has.
//
// Another process may have completed the work just before it was taken: check this before doing it.
func (c *Claims) Take(key string) (bool, Owner, error) {
	for {
		generation, owner, free := c.latest(key)
		if !free {
			return false, owner, nil
		}
		err := c.create(key, generation+1)
		switch {
		case err == nil:
			return true, c.owner, nil
		case !errors.Is(err, fs.ErrExist):
			return false, Owner{}, err
		}
	}
}

// latest returns the latest generation of claims of a key (0 if there is none) and its owner. free
// is true if the next generation may be created.
func (c *Claims) latest(key string) (generation int, owner Owner, free bool) {
	free = true
	for {
		next, there, dead := c.look(c.path(key, generation+1))
		if !there {
			return generation, owner, free
		}
		generation, owner, free = generation+1, next, dead
	}
}

// create creates a claim's file.
func (c *Claims) create(key string, generation int) error {
	text, _ := c.owner.form()
	path := c.path(key, generation)
	err := leftover.Make(func() (string, error) {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return "", err
		}
		_, err = file.Write(text)
		if err = errors.Join(err, file.Close()); err != nil {
			err = errors.Join(err, os.Remove(path))
		}
		return path, err
	})
	if err != nil {
		return err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.held[key] = generation
	return nil
}

// Give releases a piece of work that is not completed.
func (c *Claims) Give(key string) {
	if generation, mine := c.drop(key); mine {
		c.remove(key, generation)
	}
}

// remove removes a claim, unless another process has taken the work over.
func (c *Claims) remove(key string, generation int) {
	path := c.path(key, generation)
	if _, err := os.Lstat(c.path(key, generation+1)); errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(path) // if this fails, others can take the work over after this process has ended
	}
	leftover.Drop(path)
}

// Settle removes all claims of a completed piece of work. Its results must already be in place.
func (c *Claims) Settle(key string) {
	c.drop(key)
	for generation := 1; ; generation++ {
		path := c.path(key, generation)
		if os.Remove(path) != nil {
			return
		}
		leftover.Drop(path)
	}
}

// Fresh reports whether the last heartbeat of the claim key is about as recent as that of the claim
// mine, which this process has just made. Unlike Take it need not wait for heartbeats: it compares
// two times of the file server.
func (c *Claims) Fresh(key, mine string) bool {
	owner, there, dead := c.look(c.path(key, 1))
	if !there || dead {
		return false
	}
	if owner.here() {
		return true
	}
	theirs, err := os.Stat(c.path(key, 1))
	ours, wrong := os.Stat(c.path(mine, 1))
	if err != nil || wrong != nil {
		return false
	}
	return ours.ModTime().Sub(theirs.ModTime()) < time.Duration(c.pace.Patience)*c.pace.Beat
}

// drop removes a claim from the list of those that this process holds.
func (c *Claims) drop(key string) (generation int, mine bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	generation, mine = c.held[key]
	delete(c.held, key)
	return generation, mine
}

// Close releases all claims.
func (c *Claims) Close() {
	close(c.end)
	c.ended.Wait()
	for key, generation := range c.held {
		c.remove(key, generation)
	}
	clear(c.held)
}

// heart writes heartbeats until Close.
func (c *Claims) heart() {
	tick := time.NewTicker(c.pace.Beat)
	defer tick.Stop()
	_, at := c.owner.form()
	for beat := 1; ; beat++ {
		select {
		case <-c.end:
			return
		case <-tick.C:
		}
		for _, path := range c.paths() {
			raise(path, at, beat)
		}
	}
}

// paths lists the files of the claims that this process holds.
func (c *Claims) paths() (list []string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for key, generation := range c.held {
		list = append(list, c.path(key, generation))
	}
	return list
}

// raise writes the number of heartbeats into a claim's file, if the file exists. It reports no
// errors: at worst another process takes over the work.
func raise(path string, at int64, beat int) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintf(offset{file, at}, beatForm, beat)
	_ = file.Close()
}

// offset writes at a fixed offset in a file.
type offset struct {
	file *os.File
	at   int64
}

func (o offset) Write(p []byte) (int, error) { return o.file.WriteAt(p, o.at) }
