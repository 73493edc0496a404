package cmdline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fabricast/internal/config"
)

// FlagError returns an error that explains the problem with a flag or its value.
func FlagError(cmd *cobra.Command, err error) error {
	var (
		invalid *pflag.InvalidValueError
		missing *pflag.ValueRequiredError
		unknown *pflag.NotExistError
	)
	switch {
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		err = fmt.Errorf("found --%s %s, expected %s", flag.Name, invalid.GetValue(), valueOf(flag))
	case errors.As(err, &missing):
		err = withoutValue(missing.GetFlag())
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		name := "--" + unknown.GetSpecifiedName()
		err = Suggested(
			fmt.Errorf("found %s, expected a flag of %s", name, cmd.CommandPath()), name,
			flagNames(cmd),
		)
	}
	return Usage(cmd, err)
}

// Suggested adds to an error the known word that the user probably meant, if there is one.
func Suggested(err error, found string, known []string) error {
	if hint := config.DidYouMean(found, known); hint != "" {
		return fmt.Errorf("%w (%s)", err, hint)
	}
	return err
}

// flagNames returns the names of a command's flags.
func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, "--"+flag.Name) })
	return names
}

// withoutValue returns the error for a flag whose value is missing.
func withoutValue(flag *pflag.Flag) error {
	what := valueOf(flag)
	if kind, _ := pflag.UnquoteUsage(flag); strings.Contains(flag.Usage, "`"+kind+"`") {
		what = "a " + kind
	}
	return fmt.Errorf("found --%s without a value, expected %s", flag.Name, what)
}

// valueOf describes the values that a flag accepts.
func valueOf(flag *pflag.Flag) string {
	if b, ok := flag.Value.(limits); ok {
		return b.expected()
	}
	switch kind := flag.Value.Type(); kind {
	case "uint64":
		return "a whole number, not negative"
	case "bool":
		return "true or false"
	case "duration":
		return "a time such as 30s"
	case "string", "stringSlice", "stringArray":
		return "a value"
	default:
		return "a " + kind
	}
}

// EmptyFlags returns an error if a flag has an empty value, for example from an unset shell
// variable. The user did not mean the default value in that case.
func EmptyFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if err == nil && flag.Value.Type() == "string" && flag.Value.String() == "" {
			err = Usage(cmd, withoutValue(flag))
		}
	})
	return err
}

// NoneChanged returns an error if one of the named flags is given. why explains that it has no
// effect.
func NoneChanged(cmd *cobra.Command, why string, names ...string) error {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return Usage(cmd, fmt.Errorf("found --%s %s", name, why))
		}
	}
	return nil
}

// NoSuchCommand returns an error for arguments of a command that has only subcommands.
func NoSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return Usage(
		cmd,
		Suggested(fmt.Errorf("found %s, expected %s", args[0], config.OneOf(names)), args[0], names),
	)
}

// StrictHelp makes the commands added by the cobra library (help and completion) refuse unknown
// arguments.
func StrictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				target, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return NoSuchCommand(target, rest)
				}
				return nil
			}
		case "completion":
			c.Args = NoSuchCommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}
