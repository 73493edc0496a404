// Package traces has the subcommand trace, and opens traces for others that replay them.
package traces
