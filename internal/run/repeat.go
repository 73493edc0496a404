package run

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"fabricast/internal/experiment"
	"fabricast/record"
)

// howToRepeat returns a comment for an experiment file whose program is the user's own, and so not
// in the file. It says what ran and how to run it again. It returns nil for built-in programs.
func howToRepeat(e *experiment.Resolved) []byte {
	if !e.OwnProgram() {
		return nil
	}
	lines := []string{"What ran is not in this file. To repeat the run:", "  " + e.Command}
	if e.Command == "" {
		field, name := functionInGo(e)
		lines = []string{
			fmt.Sprintf(
				"What ran is not in this file: %s, a function in Go of the program %s.",
				name, filepath.Base(os.Args[0]),
			),
			"Start that program to repeat the run, or have the function run here:",
			fmt.Sprintf("  e, err := fabricast.LoadMachine(%q)", record.ExperimentFile),
			"  e." + field + " = " + name,
			"  result, err := e.Run(ctx)",
		}
	}
	text := strings.NewReplacer("\n", "\n# ", "\r", "\n# ").Replace(strings.Join(lines, "\n"))
	return []byte("# " + text + "\n")
}

// functionInGo returns the experiment's field that holds the ranks' Go function, and the function's
// name.
func functionInGo(e *experiment.Resolved) (field, name string) {
	field, f := "Program", reflect.ValueOf(e.Program)
	if e.Launch != nil {
		field, f = "Launch", reflect.ValueOf(e.Launch)
	}
	return field, runtime.FuncForPC(f.Pointer()).Name()
}
