package runs

import (
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/ending"
	"fabricast/internal/cluster"
	"fabricast/internal/cluster/transport"
	"fabricast/internal/config"
	"fabricast/internal/input"
)

// sameCommand returns an error, the same in all processes of a launcher, if they were started with
// different commands or with files of different contents. It must be the first exchange between the
// processes.
func sameCommand(cmd *cobra.Command, p *fabricast.Processes) error {
	err := cluster.Same(p, commandTraits(cmd))
	if err != nil {
		return &ending.UsageError{Err: err}
	}
	return nil
}

// commandTraits returns the command, its flags and arguments, and the contents of the files that
// they name. It omits the number of workers, which may differ between processes.
func commandTraits(cmd *cobra.Command) []cluster.Trait {
	list := []cluster.Trait{
		{Name: "version", Value: ending.VersionLine()}, {Name: "command", Value: cmd.CommandPath()},
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "workers" {
			list = append(list, cluster.Trait{Name: "--" + f.Name, Value: f.Value.String()})
		}
	})
	contents := func(name, path string) {
		print := input.Print(path)
		list = append(list, cluster.Trait{Name: name, Value: print, Unknown: print == ""})
	}
	args := cmd.Flags().Args()
	if cmd.Name() == "run" && len(args) > 0 { // experiments are compared by content
		list = append(list, fieldTraits(args[0])...)
		args = args[1:]
		if len(args) > 0 {
			contents("program", args[0])
		}
	}
	for i, arg := range args {
		list = append(list, cluster.Trait{Name: "argument " + strconv.Itoa(i+1), Value: arg})
	}
	if f := cmd.Flags().Lookup("trace"); f != nil && f.Value.String() != "" {
		contents("trace "+f.Value.String(), f.Value.String())
	}
	return list
}

// fieldTraits returns the fields of an experiment file. If the file cannot be read, or not more
// than once, it returns an unknown trait; loading the file reports the reason.
func fieldTraits(path string) (list []cluster.Trait) {
	if input.Print(path) == "" {
		return []cluster.Trait{{Name: experimentFile, Unknown: true}}
	}
	root, _, err := experiment.Open(path)
	if err != nil {
		return []cluster.Trait{{Name: experimentFile, Unknown: true}}
	}
	config.EachValue(root, func(field, value string) {
		list = append(list, cluster.Trait{Name: field, Value: value, Part: experimentFile})
	})
	return list
}

// experimentFile is the trait of an experiment whose fields are unknown.
const experimentFile = "experiment"

// together lists the commands that compare themselves with those of the other processes of a launcher,
// because they share their work.
var together = []string{"run", "resume", "failures"}

// BesideOthers checks a command that shares no run, if mpirun has started other processes alongside
// it. If one of them executes a shared run, it would wait for this process forever, so both get an
// error. Without a matching MPI library there are no shared runs.
func BesideOthers(cmd *cobra.Command) error {
	l, launched := transport.Launched()
	if !launched || !l.Joins() || slices.Contains(together, cmd.Name()) {
		return nil
	}
	p, err := fabricast.JoinProcesses()
	if err != nil || p == nil {
		return nil
	}
	err = sameCommand(cmd, p)
	p.End()
	return ending.Silent(err, p.First())
}
