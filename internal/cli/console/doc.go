// Package console is what commands print: data as text or JSON, notes, and progress, on a terminal in
// place, elsewhere as a line a minute.
package console
