package cli

import (
	"path/filepath"
	"regexp"
	"strings"

	"fabricast/record"
)

// again is the command that runs a program once more on the network of a result's experiment, which has all else that
// the flags said.
func (f *runFlags) again(command []string) string {
	words := []string{"fabricast", "run", quoted(filepath.Join(f.out, record.ExperimentFile))}
	for _, a := range f.program.algorithms {
		if kind, algorithm, _, _ := cutCollective(a); algorithm != "" {
			words = append(words, "--collective", quoted(kind+"="+algorithm))
		}
	}
	if f.program.stack != "" {
		words = append(words, "--stack", quoted(f.program.stack))
	}
	words = append(words, "--")
	for _, w := range command {
		words = append(words, quoted(w))
	}
	return strings.Join(words, " ")
}

// quoted is a word as a shell reads it.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// plain words mean themselves in a shell.
var plain = regexp.MustCompile(`^[\w./:=,@%+-]+$`)
