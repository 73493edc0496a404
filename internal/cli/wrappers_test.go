package cli

import (
	"os"
	"sync"

	"fabricast/cmpi"
)

// wrappersFolder is the folder made by wrappers; "" before.
var wrappersFolder string

// wrappers returns the folder of compilers for C programs. It is made once for all tests, which
// takes seconds. A script tests the command that makes it.
var wrappers = sync.OnceValues(func() (folder string, err error) {
	if wrappersFolder, err = os.MkdirTemp("", "wrappers-"); err != nil {
		return "", err
	}
	_, err = cmpi.Install(wrappersFolder)
	return wrappersFolder, err
})
