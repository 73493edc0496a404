// Package leftover keeps track of temporary files and folders, so that they can be removed if the
// process must end early. Its functions are safe for concurrent use.
package leftover

import (
	"os"
	"sync"
	"time"
)

var (
	mutex sync.Mutex
	paths = map[string]bool{}
)

// Make calls make, which creates a file or folder and returns its path, and records the path. End
// cannot run in between.
func Make(make func() (path string, err error)) error {
	mutex.Lock()
	defer mutex.Unlock()
	path, err := make()
	if err == nil {
		paths[path] = true
	}
	return err
}

// Drop forgets a file or folder that has been removed or is no longer temporary.
func Drop(path string) {
	mutex.Lock()
	defer mutex.Unlock()
	delete(paths, path)
}

// TempDir creates a temporary folder and returns a function that removes it.
func TempDir(pattern string) (path string, remove func(), err error) {
	err = Make(func() (string, error) {
		path, err = os.MkdirTemp("", pattern)
		return path, err
	})
	if err != nil {
		return "", nil, err
	}
	return path, func() {
		_ = os.RemoveAll(path) // it is in the system's folder for temporary files
		Drop(path)
	}, nil
}

// Remove removes all recorded files and folders.
func Remove() {
	mutex.Lock()
	defer mutex.Unlock()
	removeAll()
}

// End is like Remove for a process that is about to end while other goroutines may still write.
// After it, Make blocks for ever.
func End() {
	mutex.Lock() // never unlocked
	removeAll()
}

// attempts is the number of times to try to remove a folder in which other goroutines create files.
const attempts = 100

func removeAll() {
	for path := range paths {
		for range attempts {
			if os.RemoveAll(path) == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	clear(paths)
}
