package runs

import (
	"path/filepath"
	"strconv"
	"strings"

	"fabricast"
	"fabricast/internal/cli/console"
	"fabricast/record"
)

// again returns the command line that repeats the run of a C program, with the experiment in its
// result folder. It omits flags whose values are recorded in that experiment.
func (f *runFlags) again(e *fabricast.Experiment, command []string) string {
	words := f.againOnNetwork()
	if f.program.stack != "" {
		words = append(words, "--stack", console.Quoted(f.program.stack))
	}
	if e.Workload.Command != "" {
		return strings.Join(words, " ") // the experiment names the program
	}
	words = append(words, "--")
	for _, w := range command {
		words = append(words, console.Quoted(w))
	}
	return strings.Join(words, " ")
}

// againOnNetwork returns the first words of a command line that repeats a run: the experiment, and
// the algorithms of collectives.
func (f *runFlags) againOnNetwork() []string {
	words := []string{"fabricast", "run", console.Quoted(filepath.Join(f.out, record.ExperimentFile))}
	for _, a := range f.program.algorithms {
		if kind, algorithm, _, _ := cutCollective(a); algorithm != "" {
			words = append(words, "--collective", console.Quoted(kind+"="+algorithm))
		}
	}
	return words
}

// againReplayed returns the command line that repeats the replay of a trace.
func (f *runFlags) againReplayed() string {
	words := append(f.againOnNetwork(), "--trace", console.Quoted(f.trace.path))
	if f.trace.partial {
		words = append(words, "--partial")
	}
	if given := f.trace.operations.Text; given != "" {
		words = append(words, "--operations", console.Quoted(given))
	}
	if f.trace.sets {
		words = append(words, "--task-sets")
	}
	for _, given := range f.trace.compute {
		words = append(words, "--scale-compute", console.Quoted(given))
	}
	if f.trace.scale.Messages != 1 {
		words = append(words, "--scale-messages", strconv.FormatFloat(f.trace.scale.Messages, 'g', -1, 64))
	}
	return strings.Join(words, " ")
}
