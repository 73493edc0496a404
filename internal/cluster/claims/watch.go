package claims

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"time"
)

// sight is the last inspection of a claim of another process.
type sight struct {
	text  []byte // content of the file
	looks int    // number of inspections with the same content
	last  time.Time
}

// look inspects a claim. It returns the owner as far as it is known, whether the claim exists, and
// whether its owner is dead.
//
// On NFS, opening a file before reading it shows all data that its owner had written when it last
// closed the file. Only inspections are counted, not time: while a file server does not respond, no
// heartbeats can be seen.
func (c *Claims) look(path string) (owner Owner, there, dead bool) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		c.forget(path)
		return Owner{}, false, false
	}
	if err == nil {
		owner = parse(text)
	}
	switch {
	case owner.gone():
		return owner, true, true
	case owner.here():
		return owner, true, false
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	before, known := c.seen[path]
	now := time.Now()
	switch {
	case !known || !bytes.Equal(before.text, text):
		c.seen[path] = sight{text, 0, now}
	case now.Sub(before.last) >= c.pace.Beat:
		before.looks++
		before.last = now
		c.seen[path] = before
	}
	return owner, true, c.seen[path].looks >= c.pace.Patience
}

// forget forgets a claim that no longer exists.
func (c *Claims) forget(path string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.seen, path)
}
