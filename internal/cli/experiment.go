package cli

import (
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/internal/config"
)

// experimentFlags holds the flags of commands that read an experiment.
type experimentFlags struct {
	set  []string
	seed uint64
}

func (f *experimentFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "replace a field by its `path=value`, such as "+
		"network.link.latency=50ns; a file in it is looked for in the current folder (repeatable)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "replace the experiment's seed")
	_ = cmd.RegisterFlagCompletionFunc("set", f.completeSet)
}

// load reads the experiment file and applies the flags.
func (f *experimentFlags) load(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	return f.loaded(cmd, fabricast.Load, file)
}

// loadNetwork is like load for commands that use only the network; the program may be missing.
func (f *experimentFlags) loadNetwork(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	return f.loaded(cmd, fabricast.LoadNetwork, file)
}

// loadMachine is like load for commands that run something other than the program in the file.
func (f *experimentFlags) loadMachine(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	return f.loaded(cmd, fabricast.LoadMachine, file)
}

// loaded reads an experiment with the given function. It can be interrupted, because a file may be
// large or on a disk that does not respond.
func (f *experimentFlags) loaded(
	cmd *cobra.Command,
	load func(string, ...string) (*fabricast.Experiment, error),
	file string,
) (*fabricast.Experiment, error) {
	return untilInterrupted(
		cmd.Context(),
		func() (*fabricast.Experiment, error) { return load(file, f.assignments(cmd)...) },
	)
}

// parsed is like load for a file that has been parsed already.
func (f *experimentFlags) parsed(
	cmd *cobra.Command,
	root *config.Node,
	file string,
) (*fabricast.Experiment, error) {
	return untilInterrupted(cmd.Context(), func() (*fabricast.Experiment, error) {
		d := fabricast.NewDocument(root, filepath.Dir(file))
		for _, a := range f.assignments(cmd) {
			var err error
			if d, err = d.Set(a); err != nil {
				return nil, err
			}
		}
		return d.Experiment()
	})
}

func (f *experimentFlags) assignments(cmd *cobra.Command) []string {
	if cmd.Flags().Changed("seed") {
		return append(f.set, "seed="+strconv.FormatUint(f.seed, 10))
	}
	return f.set
}

// experimentFiles completes names of experiment files.
func experimentFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}
