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

// TooLargeError reports that a network is too large for an algorithm's tables, which have an entry
// for every pair of routers.
type TooLargeError = legs.TooLargeError

// FileError reports a wrong word in a file of routes or tables, by Line and Column; FileErrors holds
// the first mistakes of a file.
type (
	FileError  = files.Error
	FileErrors = files.Errors
)
