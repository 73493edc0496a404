// Package console prints the output of commands: data as text or JSON, notes, and progress. On a
// terminal progress is updated in place; elsewhere it is one line a minute.
package console
