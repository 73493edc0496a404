package cmdline

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"fabricast/internal/cli/ending"
)

// Usage returns an error for invalid arguments, which has exit code 2.
func Usage(cmd *cobra.Command, err error) error {
	return &ending.UsageError{Err: fmt.Errorf("%w\nTry '%s --help'", err, cmd.CommandPath())}
}

// UsageUnlessEnded converts an error to a usage error, unless the command has been interrupted.
func UsageUnlessEnded(cmd *cobra.Command, err error) error {
	if cmd.Context().Err() != nil {
		return err
	}
	return Usage(cmd, err)
}

func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usage(cmd, fmt.Errorf("found the argument %q, expected none", args[0]))
	}
	return nil
}

// OneFile returns an error unless there is exactly one argument, a file name.
func OneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return WrongArguments(cmd, args, "the name of one experiment file")
	}
	if args[0] == "" {
		return Usage(cmd, errors.New("found an empty name, expected that of an experiment file"))
	}
	return nil
}

// SomeFolders returns an error unless there is at least one argument.
func SomeFolders(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return Usage(cmd, errors.New("found no argument, expected the folders of results"))
	}
	return nil
}

// Folders completes the names of folders.
func Folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// WrongArguments returns an error that states the number of arguments found and the expected ones.
func WrongArguments(cmd *cobra.Command, args []string, expected string) error {
	found := fmt.Sprintf("%d arguments", len(args))
	if len(args) == 1 {
		found = "1 argument"
	}
	return Usage(cmd, fmt.Errorf("found %s, expected %s", found, expected))
}
