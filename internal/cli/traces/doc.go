// Package traces has the subcommand trace. It also opens traces for subcommands that replay them.
package traces
