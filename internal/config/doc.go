// Package config reads configuration files written by people. It reports every mistake with its
// file, line, column, field, what was found and what was expected, and as many mistakes at once as
// possible.
//
// A file passes these steps. Parse builds a tree of Nodes that record their positions. Set applies
// command-line assignments. Decode fills a Go struct by its yaml tags and records the position of
// every field, so that later checks of the struct can also refer to the text (Positions.Locate).
//
// The tree never changes after Parse; Set returns a new one.
package config
