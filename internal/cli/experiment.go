package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"fabricast"
)

// experimentFlags are the flags of commands that read an experiment.
type experimentFlags struct {
	set  []string
	seed uint64
}

func (f *experimentFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "replace a field by its `path=value`, such as network.link.latency=50ns (repeatable)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "replace the experiment's seed")
	_ = cmd.RegisterFlagCompletionFunc("set", cobra.NoFileCompletions)
}

// load reads the experiment with the flags laid over it.
func (f *experimentFlags) load(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	return fabricast.Load(file, f.assignments(cmd)...)
}

// loadNetwork is load for commands that only look at the network.
func (f *experimentFlags) loadNetwork(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	return fabricast.LoadNetwork(file, f.assignments(cmd)...)
}

// loadMachine is load for commands that run something else than the file says.
func (f *experimentFlags) loadMachine(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	return fabricast.LoadMachine(file, f.assignments(cmd)...)
}

func (f *experimentFlags) assignments(cmd *cobra.Command) []string {
	if cmd.Flags().Changed("seed") {
		return append(f.set, "seed="+strconv.FormatUint(f.seed, 10))
	}
	return f.set
}

// experimentFiles completes the names of experiment files.
func experimentFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}
