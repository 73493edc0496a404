// Package clitest runs subcommands within the process of a test.
package clitest

import (
	"bytes"
	"context"

	"fabricast/internal/cli"
)

// Command runs a command, and returns what it prints and its error.
func Command(ctx context.Context, args ...string) (out, log string, err error) {
	var o, l bytes.Buffer
	root := cli.New(&o, &l)
	root.SetArgs(args)
	err = root.ExecuteContext(ctx)
	return o.String(), l.String(), err
}
