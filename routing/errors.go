package routing

import (
	"fmt"

	"fabricast/routing/internal/files"
	"fabricast/routing/internal/legs"
)

// TooFewVCsError reports that an algorithm needs more virtual channels to be free of deadlock.
type TooFewVCsError struct {
	Algorithm  string
	Need, Have int
}

func (e *TooFewVCsError) Error() string {
	return fmt.Sprintf(
		"%s on this network needs at least %d virtual channels to be free of deadlock, not %d",
		e.Algorithm, e.Need, e.Have,
	)
}

// enoughChannels returns an error if an algorithm needs more virtual channels than there are, or if
// there are more than MaxVCs.
func enoughChannels(vcs, need int, algorithm string) error {
	if vcs < need {
		return &TooFewVCsError{Algorithm: algorithm, Need: need, Have: vcs}
	}
	if vcs > MaxVCs {
		return fmt.Errorf("at most %d virtual channels, not %d", MaxVCs, vcs)
	}
	return nil
}

// TooLargeError reports that a network is too large for an algorithm's tables, which have an entry
// for every pair of routers.
type TooLargeError = legs.TooLargeError

// FileError reports a wrong word in a file of routes or tables, by Line and Column; FileErrors holds
// the first mistakes of a file.
type (
	FileError  = files.Error
	FileErrors = files.Errors
)
