// Package usercache keeps results of long calculations in the user's cache folder, for later runs of the same
// program. It never fails: what cannot be written is not kept, and what cannot be read is calculated again.
package usercache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"fabricast/internal/atomicfile"
	"fabricast/internal/input"
)

// Variable names the environment variable that moves the cache to another folder, or switches it off if it is "off".
const Variable = "FABRICAST_CACHE"

// Key is the SHA-256 of all that a result depends on (see Folder.Hash).
type Key [sha256.Size]byte

// Folder holds results. It is safe for concurrent use, also by several processes. A nil *Folder holds nothing and
// keeps nothing.
type Folder struct {
	path    string
	program string     // identifies the program that calculates the results
	writing sync.Mutex // files being written are named by process
}

// current is the folder in use.
var current atomic.Pointer[Folder]

// Enable makes Current return the cache of this user and program. Programs that do not call it leave the user's
// folder alone: tests, and programs in Go that use Fabricast as a library.
func Enable() {
	if f := find(os.Getenv(Variable)); f != nil {
		current.Store(f)
	}
}

// Current returns the folder in use, nil if there is none.
func Current() *Folder { return current.Load() }

// find returns the folder that a value of the environment variable selects; nil if there is none, or if the program
// cannot be identified.
func find(variable string) *Folder {
	path, program := variable, buildID()
	if path == "off" || program == "" {
		return nil
	}
	if path == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil
		}
		path = filepath.Join(user, "fabricast")
	}
	return At(path, program)
}

// At returns the folder with a path, for results of a program.
func At(path, program string) *Folder { return &Folder{path: path, program: program} }

// Hash returns a hash to which the caller writes all that a result depends on, except the program. Its sum is a Key.
func (f *Folder) Hash() hash.Hash {
	h := sha256.New()
	h.Write([]byte(f.program + "\n"))
	return h
}

// Get returns the result under a key. ok is false if there is none, or if its file is damaged.
func (f *Folder) Get(key Key) (data []byte, ok bool) {
	if f == nil {
		return nil, false
	}
	file, err := input.Bytes(f.file(key), input.Cached)
	if err != nil || len(file) < sha256.Size {
		return nil, false
	}
	sum, data := file[:sha256.Size], file[sha256.Size:]
	return data, bytes.Equal(sum, checksum(key, data))
}

// Put keeps a result under a key.
func (f *Folder) Put(key Key, data []byte) {
	if f == nil {
		return
	}
	f.writing.Lock()
	defer f.writing.Unlock()
	if os.MkdirAll(f.path, 0o700) != nil {
		return
	}
	if atomicfile.WriteBytes(f.file(key), append(checksum(key, data), data...)) == nil {
		f.prune()
	}
}

func (f *Folder) file(key Key) string { return filepath.Join(f.path, hex.EncodeToString(key[:])) }

// checksum returns what a file begins with. It contains the key, so that a renamed file counts as damaged.
func checksum(key Key, data []byte) []byte {
	sum := sha256.Sum256(append(key[:], data...))
	return sum[:]
}
