package cli

import (
	"os"
	"sync"

	"fabricast/cmpi"
)

// wrappersFolder is where wrappers has made them; "" before.
var wrappersFolder string

// wrappers returns the folder of compilers for programs in C. They are made once for all tests: that takes
// seconds, and a script tests the command that makes them.
var wrappers = sync.OnceValues(func() (folder string, err error) {
	if wrappersFolder, err = os.MkdirTemp("", "wrappers-"); err != nil {
		return "", err
	}
	_, err = cmpi.Install(wrappersFolder)
	return wrappersFolder, err
})
