package cmdline

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/ending"
	"fabricast/internal/config"
)

// ExperimentFlags holds the flags of commands that read an experiment.
type ExperimentFlags struct {
	Set     []string
	seed    uint64
	nodes   string
	streams string
}

// RegisterNodes adds the flag --nodes.
func (f *ExperimentFlags) RegisterNodes(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.nodes, "nodes", "", "use these nodes, such as `'node[001-064]'`, of a network "+
		"file that names its hosts; replaces the mapping")
}

// RegisterStreams adds the flag --streams.
func (f *ExperimentFlags) RegisterStreams(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.streams, "streams", "", "`on` or off: simulate packets that follow one another together, or "+
		"each by itself; replaces engine.streams, and does not change the result")
	Completes(cmd, "streams", experiment.StreamsOn, experiment.StreamsOff)
}

func (f *ExperimentFlags) Register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.Set, "set", nil, "replace a field by its `path=value`, such as "+
		"network.link.latency=50ns; a file in it is looked for in the current folder (repeatable)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "replace the experiment's seed")
	_ = cmd.RegisterFlagCompletionFunc("set", f.completeSet)
}

// Load reads the experiment file and applies the flags.
func (f *ExperimentFlags) Load(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	return f.loaded(cmd, fabricast.Load, file)
}

// LoadNetwork is like Load for commands that use only the network; the program may be missing.
func (f *ExperimentFlags) LoadNetwork(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	return f.loaded(cmd, fabricast.LoadNetwork, file)
}

// LoadMachine is like Load for commands that run something other than the program in the file.
func (f *ExperimentFlags) LoadMachine(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	return f.loaded(cmd, fabricast.LoadMachine, file)
}

// loaded reads an experiment with the given function. It can be interrupted, because a file may be
// large or on a disk that does not respond.
func (f *ExperimentFlags) loaded(
	cmd *cobra.Command,
	load func(string, ...string) (*fabricast.Experiment, error),
	file string,
) (*fabricast.Experiment, error) {
	return ending.UntilInterrupted(
		cmd.Context(),
		func() (*fabricast.Experiment, error) { return load(file, f.Assignments(cmd)...) },
	)
}

// Parsed is like Load for a file that has already been parsed.
func (f *ExperimentFlags) Parsed(
	cmd *cobra.Command,
	root *config.Node,
	file string,
) (*fabricast.Experiment, error) {
	return ending.UntilInterrupted(cmd.Context(), func() (*fabricast.Experiment, error) {
		d := fabricast.NewDocument(root, filepath.Dir(file))
		for _, a := range f.Assignments(cmd) {
			var err error
			if d, err = d.Set(a); err != nil {
				return nil, err
			}
		}
		return d.Experiment()
	})
}

func (f *ExperimentFlags) Assignments(cmd *cobra.Command) []string {
	assignments := f.Set
	if f.nodes != "" {
		assignments = append([]string{"mapping={nodes: '" + strings.ReplaceAll(f.nodes, "'", "''") + "'}"}, assignments...)
	}
	if cmd.Flags().Changed("seed") {
		assignments = append(assignments, "seed="+strconv.FormatUint(f.seed, 10))
	}
	if f.streams != "" {
		assignments = append(assignments, "engine.streams="+f.streams)
	}
	return assignments
}

// ExperimentFiles completes names of experiment files.
func ExperimentFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}
