package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fabricast"
	"fabricast/internal/atomicfile"
	"fabricast/internal/cluster/claims"
	"fabricast/internal/input"
)

// share is a store that several processes may use at once, also on several machines. A process
// claims a point before running it, and reads the outcomes of other processes from the store. The
// store also holds the errors of failed points, so that no other process runs these points again.
type share struct {
	store
	claims *claims.Claims
	member string // key of the claim that this process holds while it takes part
	code   func(error) int

	labels  map[string][]Label               // axis values of each point, by key
	damaged func(file, point, damage string) // is told of each damaged file once
	told    sync.Map                         // keys of the damaged files
}

// failureEnding is the extension of files that hold the errors of failed points.
const failureEnding = ".failed"

// memberPrefix is the prefix of the keys of claims that processes hold while they take part.
const memberPrefix = "process-"

// openShare opens a store for a process that takes part in its sweep. If retry is true and no other
// process takes part, it removes stored failures, so that these points are run again.
func openShare(dir string, retry bool, code func(error) int) (*share, error) {
	store, err := openStore(dir)
	if err != nil {
		return nil, err
	}
	if code == nil {
		code = func(error) int { return 1 }
	}
	host, _ := os.Hostname() // without a host name the time must be unique enough
	s := &share{
		store: store, claims: claims.Open(store.dir, claims.Usual), code: code,
		member: fmt.Sprintf("%s%s-%d-%d", memberPrefix, host, os.Getpid(), time.Now().UnixNano()),
	}
	if _, _, err := s.claims.Take(s.member); err != nil {
		s.claims.Close()
		return nil, err
	}
	if others := s.others(); retry && !others {
		_, failures, _, _ := s.keys()
		for key := range failures {
			_ = os.Remove(s.failureFile(key))
		}
	}
	return s, nil
}

// readShare opens a store for a process that only reads it, and takes no part.
func readShare(dir string) (*share, error) {
	s, err := openStore(dir)
	return &share{store: s}, err
}

// others reports whether other processes take part. It removes the claims of processes that no
// longer take part.
func (s *share) others() (some bool) {
	_, _, claimed, _ := s.keys()
	for key := range claimed {
		switch {
		case !strings.HasPrefix(key, memberPrefix) || key == s.member:
		case s.claims.Fresh(key, s.member):
			some = true
		default:
			s.claims.Settle(key)
		}
	}
	return some
}

func (s *share) close() {
	if s != nil && s.claims != nil {
		s.claims.Close()
	}
}

// sharedError is the error of a point as stored for other processes.
type sharedError struct {
	Text string `json:"error"`
	Code int    `json:"exit_code"`
}

func (e *sharedError) Error() string { return e.Text }

// ExitCode returns the exit code of the error in the process where it occurred.
func (e *sharedError) ExitCode() int { return e.Code }

func (s *share) failureFile(key string) string { return filepath.Join(s.dir, key+failureEnding) }

// failed returns the stored error of a point; nil if there is none.
func (s *share) failed(key string) error {
	text, err := input.Bytes(s.failureFile(key), input.Result)
	if err != nil {
		return nil
	}
	e := &sharedError{}
	if json.Unmarshal(text, e) != nil {
		return nil
	}
	return e
}

// known sets o to the outcome in the store, and reports whether there is one.
func (s *share) known(key string, o *outcome) bool {
	var damage string
	if o.result, damage = s.load(key); damage != "" && s.damaged != nil {
		if _, again := s.told.LoadOrStore(key, true); !again {
			s.damaged(s.file(key), labelText(s.labels[key]), damage)
		}
	}
	if o.result == nil {
		o.err = s.failed(key)
	}
	return o.result != nil || o.err != nil
}

// take claims a point. mine reports whether this process now owns the claim, and known whether the
// outcome is known. Both are false while another process owns the claim.
func (s *share) take(key string, o *outcome) (mine, known bool, err error) {
	if s.known(key, o) {
		return false, true, nil
	}
	mine, _, err = s.claims.Take(key)
	if err != nil || !mine {
		return false, false, err
	}
	if s.known(key, o) { // another process may have stored it in the meantime
		s.claims.Settle(key)
		return false, true, nil
	}
	return true, false, nil
}

// keep stores the outcome of a point that this process has claimed. If the point was interrupted,
// it only releases the claim.
func (s *share) keep(key string, result *fabricast.Result, found error) error {
	var err error
	switch {
	case interrupted(found):
		s.claims.Give(key)
		return nil
	case found != nil:
		text, wrong := json.Marshal(sharedError{found.Error(), s.code(found)})
		err = errors.Join(wrong, atomicfile.WriteBytes(s.failureFile(key), text))
	default:
		err = s.save(key, s.labels[key], result)
	}
	if err != nil {
		s.claims.Give(key)
		return err
	}
	s.claims.Settle(key)
	return nil
}
