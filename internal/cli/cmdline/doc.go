// Package cmdline has the arguments and flags that subcommands share: values with limits, the flags
// of commands that read an experiment, shell completion, and errors that state the expected value.
package cmdline
