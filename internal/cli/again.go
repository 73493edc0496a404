package cli

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"fabricast/record"
)

// again returns the command line that runs a program again with the experiment of its result
// folder. Flags that are recorded in that experiment are left out.
func (f *runFlags) again(command []string) string {
	words := f.againOnNetwork()
	if f.program.stack != "" {
		words = append(words, "--stack", quoted(f.program.stack))
	}
	words = append(words, "--")
	for _, w := range command {
		words = append(words, quoted(w))
	}
	return strings.Join(words, " ")
}

// againOnNetwork returns the first words of such a command line: the experiment, and the algorithms
// of collectives.
func (f *runFlags) againOnNetwork() []string {
	words := []string{"fabricast", "run", quoted(filepath.Join(f.out, record.ExperimentFile))}
	for _, a := range f.program.algorithms {
		if kind, algorithm, _, _ := cutCollective(a); algorithm != "" {
			words = append(words, "--collective", quoted(kind+"="+algorithm))
		}
	}
	return words
}

// againReplayed returns the command line that replays a trace again.
func (f *runFlags) againReplayed() string {
	words := append(f.againOnNetwork(), "--trace", quoted(f.trace.path))
	if f.trace.partial {
		words = append(words, "--partial")
	}
	if given := f.trace.operations.text; given != "" {
		words = append(words, "--operations", quoted(given))
	}
	if f.trace.sets {
		words = append(words, "--task-sets")
	}
	for _, given := range f.trace.compute {
		words = append(words, "--scale-compute", quoted(given))
	}
	if f.trace.scale.Messages != 1 {
		words = append(words, "--scale-messages", strconv.FormatFloat(f.trace.scale.Messages, 'g', -1, 64))
	}
	return strings.Join(words, " ")
}

// quoted quotes a word for a shell, if necessary.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// plain matches words that need no quotes in a shell.
var plain = regexp.MustCompile(`^[\w./:=,@%+-]+$`)
