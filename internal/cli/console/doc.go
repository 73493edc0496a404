// Package console prints the output of commands: data as text or JSON, notes, and progress.
// Progress is updated in place on a terminal, and printed as one line per minute elsewhere.
package console
