// Package traces has the subcommand trace, and opens traces for subcommands that replay them.
package traces
