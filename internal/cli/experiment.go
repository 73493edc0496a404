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
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "replace a field of the experiment, as in `path=value` network.link.latency=50ns (repeatable)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "replace the experiment's seed")
	_ = cmd.RegisterFlagCompletionFunc("set", cobra.NoFileCompletions)
}

// load reads the experiment with the flags laid over it.
func (f *experimentFlags) load(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	assignments := f.set
	if cmd.Flags().Changed("seed") {
		assignments = append(assignments, "seed="+strconv.FormatUint(f.seed, 10))
	}
	return fabricast.Load(file, assignments...)
}

// experimentFiles completes the names of experiment files.
func experimentFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}
