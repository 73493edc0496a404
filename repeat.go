package fabricast

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"fabricast/record"
)

// howToRepeat is a comment for experiment files that do not say what runs, because it is a program of the user's own:
// what that was, and how it is run again.
func (e *Experiment) howToRepeat() []byte {
	if !e.ownProgram() {
		return nil
	}
	lines := []string{"What ran is not in this file: a program in C. To repeat the run:", "  " + e.Command}
	if e.Command == "" {
		field, name := e.functionInGo()
		lines = []string{
			fmt.Sprintf("What ran is not in this file: %s, a function in Go of the program %s.", name, filepath.Base(os.Args[0])),
			"Start that program to repeat the run, or have the function run here:",
			fmt.Sprintf("  e, err := fabricast.LoadMachine(%q)", record.ExperimentFile),
			"  e." + field + " = " + name,
			"  result, err := e.Run(ctx)",
		}
	}
	text := strings.NewReplacer("\n", "\n# ", "\r", "\n# ").Replace(strings.Join(lines, "\n"))
	return []byte("# " + text + "\n")
}

// functionInGo is what ranks run of a program in Go: the field that has it, and its name in the program.
func (e *Experiment) functionInGo() (field, name string) {
	field, f := "Program", reflect.ValueOf(e.Program)
	if e.Launch != nil {
		field, f = "Launch", reflect.ValueOf(e.Launch)
	}
	return field, runtime.FuncForPC(f.Pointer()).Name()
}
