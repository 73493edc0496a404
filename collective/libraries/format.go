package libraries

import (
	"bytes"
	"fmt"
	"io"

	"fabricast/collective"
)

// Format is a kind of file by which a library chooses algorithms.
type Format struct {
	Name  string // of the library, or of the version of the format
	File  string // the usual name of a file
	Usage string // how the library gets the file, in one line
	write func(w *writer, all []Decisions)
}

// formats lists all formats, our own first.
var formats = []Format{
	{"fabricast", "decisions.txt", "collectives: decisions.txt in an experiment", writeOwn},
	{
		"openmpi", "openmpi.conf",
		"mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename $PWD/openmpi.conf " +
			"(Open MPI 4 and 5)", writeOpenMPI,
	},
	{"openmpi-6", "openmpi-6.json", "likewise, from Open MPI 6 on", writeOpenMPIJSON},
	{"mpich", "mpich.json", "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=mpich.json (from MPICH 4.1 on)", writeMPICH},
	{"nccl", "nccl.csv", "NCCL_TUNER_CONFIG_FILE=nccl.csv, with the example of a tuner that comes with NCCL", writeNCCL},
}

// Formats lists the formats that can be written and read, our own first.
func Formats() []Format { return formats }

// writer collects the text of a file, and notes.
type writer struct {
	bytes.Buffer
	notes []string
	told  map[string]bool
}

func (w *writer) printf(format string, a ...any) { fmt.Fprintf(w, format, a...) }

// note adds a note, once.
func (w *writer) note(format string, a ...any) {
	text := fmt.Sprintf(format, a...)
	if w.told == nil {
		w.told = map[string]bool{}
	}
	if !w.told[text] {
		w.told[text] = true
		w.notes = append(w.notes, text)
	}
}

// missing returns a function that notes what a library does not have.
func (w *writer) missing(library string, kind collective.Kind) func(wanted, got collective.Algorithm) {
	return func(wanted, got collective.Algorithm) {
		if got == "" {
			w.note("%s has no %s by %s, nor any other that was tried", library, kind, wanted)
			return
		}
		w.note("%s has no %s by %s: %s is written where it is the fastest that %s has",
			library, kind, wanted, got, library)
	}
}

// Write writes a file with decisions about collectives, each of which occurs once. It returns notes
// about what the format cannot say.
func (f *Format) Write(to io.Writer, all []Decisions) (notes []string, err error) {
	var w writer
	f.write(&w, all)
	_, err = to.Write(w.Bytes())
	return w.notes, err
}
