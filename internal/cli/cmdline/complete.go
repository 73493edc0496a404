package cmdline

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/workload"
)

// Completes registers the given words as shell completions for the value of a flag.
func Completes(cmd *cobra.Command, flag string, words ...string) {
	_ = cmd.RegisterFlagCompletionFunc(
		flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp),
	)
}

// OrFile returns a completion function for the given words and for file names.
func OrFile(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveDefault)
}

// completeSet completes the value of --set, path=value: first the path of a field, then the words
// that the field accepts.
func (f *ExperimentFlags) completeSet(
	_ *cobra.Command,
	args []string,
	text string,
) ([]string, cobra.ShellCompDirective) {
	s := experiment.Schema()
	path, _, valued := strings.Cut(text, "=")
	if !valued {
		var list []string
		for _, path := range s.Paths() {
			if !strings.ContainsAny(path, "[") && !strings.Contains(path, "NAME") &&
				strings.HasPrefix(path, text) {
				list = append(list, path+"=")
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	words := s.Choices(path)
	if path == "workload.algorithm" {
		words = f.algorithms(args)
	}
	if words == nil && (strings.HasSuffix(path, ".file") || path == "collectives") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return prefixed(path+"=", words, text), cobra.ShellCompDirectiveNoFileComp
}

// prefixed prepends a prefix to each word, and returns the results that begin with text.
func prefixed(prefix string, words []string, text string) (list []string) {
	for _, word := range words {
		if strings.HasPrefix(prefix+word, text) {
			list = append(list, prefix+word)
		}
	}
	return list
}

// algorithms returns the algorithms of the program named in the command line so far, or of all
// programs if it names none.
func (f *ExperimentFlags) algorithms(args []string) []string {
	if program := workload.Find(f.programOf(args)); program != nil {
		kind, _ := program.Calls(1)
		return AlgorithmsOf(string(kind))
	}
	var all []string
	for _, kind := range collective.Kinds() {
		all = append(all, collective.Names(kind)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// AlgorithmsOf returns the algorithms of a collective; nil if there is no such collective.
func AlgorithmsOf(name string) []string {
	if !slices.Contains(collective.Kinds(), collective.Kind(name)) {
		return nil
	}
	return collective.Names(collective.Kind(name))
}

// programOf returns the built-in program selected by the experiment file and --set; "" if unknown.
func (f *ExperimentFlags) programOf(args []string) string {
	root := &config.Node{Kind: config.Mapping}
	if len(args) > 0 {
		if file, err := config.Load(args[0]); err == nil {
			root = file
		}
	}
	for _, a := range f.Set {
		if changed, err := experiment.Assign(root, a); err == nil {
			root = changed
		}
	}
	if n := config.Get(root, "workload.program"); n != nil {
		return n.Text
	}
	return ""
}

// CompleteCollective completes the value of --collective: name=algorithm, optionally with a pacing.
func CompleteCollective(_ *cobra.Command, _ []string, text string) ([]string, cobra.ShellCompDirective) {
	const alone = cobra.ShellCompDirectiveNoFileComp
	name, algorithm, given := strings.Cut(text, "=")
	if !given {
		var list []string
		for _, kind := range collective.Kinds() {
			list = append(list, string(kind)+"=")
		}
		return prefixed("", list, text), alone | cobra.ShellCompDirectiveNoSpace
	}
	const pacing = ",pacing="
	if before, _, paced := strings.Cut(algorithm, pacing); paced {
		return prefixed(
			name+"="+before+pacing,
			[]string{experiment.PacingMOD, experiment.PacingHops},
			text,
		), alone
	}
	return prefixed(name+"=", AlgorithmsOf(name), text), alone
}
