// Package cmdline has the arguments and flags that subcommands share: values with bounds, the flags of
// commands that read an experiment, completion by the shell, and errors that say what was expected.
package cmdline
