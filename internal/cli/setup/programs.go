package setup

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fabricast/experiment"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/config"
	"fabricast/workload"
)

// programList is the JSON output of fabricast programs.
type programList struct {
	Schema   string         `json:"schema"`
	Programs []programEntry `json:"programs"`
}

// programEntry is a program that an experiment can name.
type programEntry struct {
	Name       string           `json:"name"`
	Summary    string           `json:"summary"`
	LeastRanks int              `json:"least_ranks"`
	Parameters []parameterEntry `json:"parameters"`
	// Example is an experiment that runs the program; Recording is the file that it names, if any.
	Example   string `json:"example"`
	Recording string `json:"recording,omitempty"`
}

// parameterEntry is a parameter of a program.
type parameterEntry struct {
	Name    string   `json:"name"`
	Value   string   `json:"value"` // what is written: a time, a whole number, a word ...
	Unit    string   `json:"unit,omitempty"`
	Default string   `json:"default,omitempty"` // empty: the parameter must be given
	Text    string   `json:"text"`
	Words   []string `json:"words,omitempty"`
}

func NewPrograms() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "programs [NAME]",
		Short: "List the programs that an experiment can name, or describe one",
		Long: `List the programs that an experiment can name in workload.program, with their parameters. With a name,
print its parameters with their values, units and defaults, and an experiment that runs it.`,
		Example: `  fabricast programs
  fabricast programs halo3d`,
		Args:      oneProgram,
		ValidArgs: workload.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := programList{Schema: "fabricast.programs/1"}
			print := printPrograms
			if len(args) == 1 {
				print = describeProgram
			}
			for _, p := range workload.Programs() {
				if len(args) == 0 || p.Name == args[0] {
					list.Programs = append(list.Programs, entryOf(p))
				}
			}
			return console.Show(cmd, asJSON, &list, print)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the programs and their parameters as JSON")
	return cmd
}

// oneProgram returns an error unless the arguments are at most one name of a program.
func oneProgram(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return cmdline.WrongArguments(cmd, args, "the name of one program, or none")
	}
	if len(args) == 1 && workload.Find(args[0]) == nil {
		err := fmt.Errorf("program: found %s, expected %s", args[0], config.OneOf(workload.Names()))
		return cmdline.Usage(cmd, cmdline.Suggested(err, args[0], workload.Names()))
	}
	return nil
}

func entryOf(p *workload.Program) programEntry {
	entry := programEntry{
		Name: p.Name, Summary: p.Summary, LeastRanks: max(1, p.MinRanks), Example: exampleOf(p),
		Parameters: []parameterEntry{},
	}
	if p.NeedsFile() {
		entry.Recording = exampleRecording
	}
	fields := experiment.Fields()
	for i := range p.Params {
		param := &p.Params[i]
		at := slices.IndexFunc(fields, func(f experiment.Field) bool { return f.Path == "workload."+param.Name })
		e := parameterEntry{
			Name: param.Name, Value: fields[at].Value, Unit: fields[at].Unit, Default: param.Default, Text: param.Summary,
		}
		for _, w := range fields[at].Words {
			e.Words = append(e.Words, w.Word)
		}
		if param.Name == "algorithm" {
			kind, _ := p.Calls(1)
			e.Value, e.Words = "a word", cmdline.AlgorithmsOf(string(kind))
		}
		entry.Parameters = append(entry.Parameters, e)
	}
	if text := pacingOf(p); text != "" {
		entry.Parameters = append(
			entry.Parameters, parameterEntry{Name: "pacing", Value: text, Default: "not paced", Text: "of its packets"},
		)
	}
	return entry
}

// pacingOf says how a program can be paced; "" if it cannot.
func pacingOf(p *workload.Program) string {
	switch {
	case p.Collective(workload.Params{}) != nil:
		return "mod, hops, a number of packet times, or {gap, scale, barrier}"
	case p.Round(workload.Params{}) != nil:
		return "mod, hops, a number of packet times, or {gap, scale}"
	case p.Paceable():
		return "a number of packet times"
	}
	return ""
}

// exampleRecording is the recording in examples of programs that replay one.
const exampleRecording = "step,source,destination,bytes\n0,0,1,4096\n1,compute,1,10us\n2,1,0,4096\n"

// exampleOf returns an experiment that runs a program on a small network.
func exampleOf(p *workload.Program) string {
	given := []string{"program: " + p.Name}
	for _, param := range p.Params {
		switch {
		case param.Name == "file" && p.NeedsFile():
			given = append(given, "file: recording.csv")
		case param.Default == "":
			given = append(given, param.Name+": 4KiB")
		}
	}
	ranks := 16
	if p.NeedsFile() {
		ranks = 2 // of the recording
	}
	return fmt.Sprintf("network: {topology: {kind: torus, dims: [4, 4]}}\nworkload: {%s}\nranks: %d\n",
		strings.Join(given, ", "), ranks)
}

func printPrograms(out io.Writer, list *programList) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i := range list.Programs {
		p := &list.Programs[i]
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n", p.Name, p.Summary)
		for _, param := range p.Parameters {
			text := param.Text
			if param.Name == "pacing" {
				text += ": " + param.Value
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\n", param.Name, param.otherwise(), text)
		}
	}
	return w.Flush()
}

// describeProgram prints all that is known of one program.
func describeProgram(out io.Writer, list *programList) error {
	p := &list.Programs[0]
	least := ""
	if p.LeastRanks > 1 {
		least = fmt.Sprintf("; on at least %d ranks", p.LeastRanks)
	}
	folded(out, p.Name+": ", p.Summary+least)
	for _, param := range p.Parameters {
		value := param.Value
		if len(param.Words) > 0 {
			value = config.OneOf(param.Words)
		}
		heading := fmt.Sprintf("  %-10s  ", param.Name)
		folded(out, heading, param.Text+": "+value)
		folded(out, strings.Repeat(" ", len(heading)), param.otherwise())
	}
	_, err := fmt.Fprintf(out, "\nan experiment\n%s", p.Example)
	if err == nil && p.Recording != "" {
		_, err = fmt.Fprintf(out, "\nrecording.csv\n%s", p.Recording)
	}
	return err
}

func (p *parameterEntry) otherwise() string {
	if p.Default == "" {
		return "(must be given)"
	}
	return "default " + p.Default
}
