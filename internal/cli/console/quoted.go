package console

import (
	"strings"

	"fabricast/internal/pattern"
)

// Quoted quotes a word for a shell, if necessary.
func Quoted(word string) string {
	if plain().MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// plain matches words that need no quotes in a shell.
var plain = pattern.Lazy(`^[\w./:=,@%+-]+$`)
