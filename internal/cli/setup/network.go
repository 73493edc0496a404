package setup

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/failure"
	"fabricast/internal/humanize"
	"fabricast/internal/netfile"
)

// NewNetwork returns the command for network files.
func NewNetwork() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "network",
		Short: "Say what was understood of a network file, or convert it into another format",
		Args:  cmdline.NoSuchCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newNetworkInfo(), newNetworkConvert(), newNetworkFormats())
	return cmd
}

// networkInfo is what "network info --json" prints.
type networkInfo struct {
	Schema string `json:"schema"`
	File   string `json:"file"`
	netfile.Reading
	Routers int `json:"routers"`
	Links   int `json:"links"` // between routers; both directions count as one
	Hosts   int `json:"hosts"`
	Nodes   int `json:"nodes"` // named nodes, which have one or more hosts
}

func newNetworkInfo() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Say what was understood, guessed and ignored of a network file, and what looks wrong",
		Long: `Read a network file, such as the output of ibnetdiscover, and say what was understood, what was
guessed, what is ignored, and what in the network is probably not as it was meant: cables in the
wrong switch, missing links, slow links.`,
		Example: "  fabricast network info ibnetdiscover.txt",
		Args:    oneNetwork,
		RunE: func(cmd *cobra.Command, args []string) error {
			n, problems := netfile.Read(args[0], 1)
			if len(problems) > 0 {
				return failure.NewConfigError(problems)
			}
			info := infoOf(args[0], n)
			if asJSON {
				return console.PrintJSON(cmd, info)
			}
			_, err := io.WriteString(cmd.OutOrStdout(), info.text())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func infoOf(path string, n *netfile.Network) networkInfo {
	size := n.Spec.Size()
	nodes := map[string]bool{}
	for _, name := range n.Spec.HostNames {
		node, _, _ := strings.Cut(name, "/")
		nodes[node] = true
	}
	info := networkInfo{
		Schema: "fabricast.network/1", File: path, Reading: n.Reading, Routers: size.Routers,
		Links: size.Links / 2, Hosts: size.Hosts, Nodes: len(nodes),
	}
	for _, list := range []*[]string{&info.Understood, &info.Guessed, &info.Ignored} {
		if *list == nil {
			*list = []string{} // a list in JSON
		}
	}
	if info.Findings == nil {
		info.Findings = []netfile.Finding{}
	}
	return info
}

func (i *networkInfo) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", i.File, i.Format)
	fmt.Fprintf(&b, "understood  %s, %s between them, %s", humanize.Plural(i.Routers, "switch"),
		humanize.Plural(i.Links, "link"), humanize.Plural(i.Hosts, "host"))
	if i.Nodes > 0 {
		fmt.Fprintf(&b, " of %s", humanize.Plural(i.Nodes, "node"))
	}
	b.WriteByte('\n')
	for _, text := range i.Understood {
		fmt.Fprintf(&b, "            %s\n", text)
	}
	for _, part := range []struct {
		name string
		list []string
	}{{"guessed", i.Guessed}, {"ignored", i.Ignored}} {
		name := part.name
		for _, text := range part.list {
			fmt.Fprintf(&b, "%-10s  %s\n", name, text)
			name = ""
		}
		if len(part.list) == 0 {
			fmt.Fprintf(&b, "%-10s  nothing\n", name)
		}
	}
	for _, f := range i.Findings {
		at := ""
		if f.Line > 0 {
			at = fmt.Sprintf("line %d: ", f.Line)
		}
		fmt.Fprintf(&b, "%s: %s%s\n", f.Kind, at, f.Text)
	}
	return b.String()
}

func newNetworkConvert() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "convert FILE OUTPUT",
		Short: "Write a network file in another format, by the ending of its name or --to",
		Example: `  fabricast network convert ibnetdiscover.txt cluster.graphml
  fabricast network convert cluster.graphml topology.conf`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cmdline.WrongArguments(cmd, args, "a network file and the file to write")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f := netfile.FormatFor(args[1])
			if format != "" {
				f = netfile.FindFormat(format)
			}
			if f == nil || !f.Writes() {
				return cmdline.Usage(cmd, fmt.Errorf("found %s, expected --to and one of %s, or a file with the ending of one",
					args[1], strings.Join(written(), ", ")))
			}
			return convertNetwork(cmd, args[0], args[1], f)
		},
	}
	cmd.Flags().StringVar(&format, "to", "", "the `format` to write (fabricast network formats lists them)")
	cmdline.Completes(cmd, "to", written()...)
	return cmd
}

func convertNetwork(cmd *cobra.Command, from, to string, f *netfile.Format) error {
	n, problems := netfile.Read(from, 1)
	if len(problems) > 0 {
		return failure.NewConfigError(problems)
	}
	t, err := n.Spec.Build(1)
	if err != nil {
		return err
	}
	cables := append(make([]netfile.Cable, 2), n.Cables...) // of links and hosts for which the file gives nothing
	err = atomicfile.Write(to, func(w io.Writer) error { return f.Write(w, t, cables) })
	if unfit := (*netfile.Unfit)(nil); errors.As(err, &unfit) {
		return failure.NewConfigError(fmt.Errorf("%s: %w", from, unfit))
	}
	if err != nil {
		return err
	}
	if f.Loses() != "" {
		console.TellNote(cmd, "the format "+f.Name+" does not hold "+f.Loses())
	}
	return nil
}

// formatList is what "network formats --json" prints.
type formatList struct {
	Schema  string        `json:"schema"`
	Formats []formatEntry `json:"formats"`
}

// formatEntry is a format of network files.
type formatEntry struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	Writes  bool   `json:"writes"` // whether network convert writes it; all formats are read
}

func newNetworkFormats() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "formats",
		Short: "List the formats of network files",
		Args:  cmdline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := formatList{Schema: "fabricast.network-formats/1"}
			for _, f := range netfile.Formats() {
				list.Formats = append(list.Formats, formatEntry{f.Name, f.Summary, f.Writes()})
			}
			return console.Show(cmd, asJSON, &list, printFormats)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the formats as JSON")
	return cmd
}

func printFormats(w io.Writer, list *formatList) error {
	for _, f := range list.Formats {
		if _, err := fmt.Fprintf(w, "%-14s  %s\n", f.Name, f.Summary); err != nil {
			return err
		}
	}
	return nil
}

// written lists the formats that can be written.
func written() (names []string) {
	for _, f := range netfile.Formats() {
		if f.Writes() {
			names = append(names, f.Name)
		}
	}
	return names
}

// oneNetwork returns an error unless there is exactly one argument, the name of a network file.
func oneNetwork(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return cmdline.WrongArguments(cmd, args, "the name of one network file")
	}
	return nil
}
