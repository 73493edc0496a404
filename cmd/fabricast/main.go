// Command fabricast predicts how programs communicate on networks that may not exist yet.
package main

import (
	"os"

	"fabricast/internal/cli"
)

func main() { os.Exit(cli.Main()) }
