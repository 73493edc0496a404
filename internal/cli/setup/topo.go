package setup

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/netfile"
	"fabricast/report"
)

// topoFlags holds the flags of fabricast topo.
type topoFlags struct {
	experiment cmdline.ExperimentFlags
	json       bool
	svg        string
	export     []string
	paths      []string
	routes     int
}

func NewTopo() *cobra.Command {
	var f topoFlags
	cmd := &cobra.Command{
		Use:   "topo FILE.yaml",
		Short: "Describe an experiment's network: counts, distances, bisection, a picture, routes",
		Long: `Describe the network of an experiment without running it: how many hosts, routers and links of
which class, the diameter and mean distance of hosts, and the bisection bandwidth, each with how it
is known. The file need not say what runs on the network.`,
		Example: `  fabricast topo dragonfly.yaml --svg dragonfly.svg
  fabricast topo dragonfly.yaml --path 0:71 --path 3:40
  fabricast topo dragonfly.yaml --export dragonfly.graphml --export dragonfly.dot`,
		Args:              cmdline.OneFile,
		ValidArgsFunction: cmdline.ExperimentFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.topo(cmd, args[0]) },
	}
	f.experiment.Register(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the description as JSON")
	cmd.Flags().StringVar(&f.svg, "svg", "", "draw the network into this `file`")
	cmd.Flags().StringArrayVar(&f.export, "export", nil,
		"write the network into this `file` as its ending "+
			"says: .graphml, .dot, .edges or another format of networks (repeatable)")
	cmd.Flags().StringArrayVar(&f.paths, "path", nil,
		"print the routes between two hosts `A:B`, such as "+
			"0:71 (repeatable)")
	f.routes = fabricast.ListedRoutes
	cmdline.Count(cmd.Flags(), &f.routes, "routes", 1,
		"list at most so many different routes "+
			"for each --path")
	_ = cmd.RegisterFlagCompletionFunc("path", cobra.NoFileCompletions)
	return cmd
}

func (f *topoFlags) topo(cmd *cobra.Command, file string) error {
	pairs, err := f.pairs(cmd)
	if err != nil {
		return err
	}
	for _, name := range f.export {
		if exportFormat(name) == "" {
			return cmdline.Usage(
				cmd,
				fmt.Errorf("found --export %s, expected a file that ends in .graphml, .dot, .edges or as another format of networks", name),
			)
		}
	}
	if len(f.paths) == 0 {
		if err := cmdline.NoneChanged(cmd, "without --path, whose routes it counts", "routes"); err != nil {
			return err
		}
	}
	if f.svg != "" && !strings.EqualFold(filepath.Ext(f.svg), ".svg") {
		return cmdline.Usage(cmd, fmt.Errorf("found --svg %s, expected a file that ends in .svg", f.svg))
	}
	e, err := f.experiment.LoadNetwork(cmd, file)
	if err != nil {
		return err
	}
	var layout *fabricast.Layout
	survey, err := ending.UntilInterrupted(cmd.Context(), func() (survey *fabricast.Survey, err error) {
		if layout, err = e.Layout(); err != nil {
			return nil, err
		}
		return f.survey(cmd, layout, pairs)
	})
	if err != nil {
		return err
	}
	if err := f.files(layout); err != nil {
		return err
	}
	if f.json {
		return console.PrintJSON(cmd, survey)
	}
	return report.Survey(cmd.OutOrStdout(), survey)
}

// survey measures a network and finds the requested routes.
func (f *topoFlags) survey(
	cmd *cobra.Command,
	layout *fabricast.Layout,
	pairs [][2]int,
) (*fabricast.Survey, error) {
	var routes []fabricast.Route
	var searches []fabricast.RouteSearch
	for i, pair := range pairs {
		if hosts := layout.Topology.Graph().Hosts; max(pair[0], pair[1]) >= hosts {
			return nil, cmdline.Usage(
				cmd,
				fmt.Errorf("found --path %s, expected hosts from 0 to %d", f.paths[i], hosts-1),
			)
		}
		found, search, err := layout.RoutesUpTo(pair[0], pair[1], f.routes)
		if err != nil {
			return nil, err
		}
		routes, searches = append(routes, found...), append(searches, search)
	}
	survey := layout.Survey()
	survey.Routes, survey.Searches = routes, searches
	return survey, nil
}

// pairs parses the pairs of hosts given by --path.
func (f *topoFlags) pairs(cmd *cobra.Command) ([][2]int, error) {
	var list [][2]int
	for _, text := range f.paths {
		from, to, ok := strings.Cut(text, ":")
		a, errA := strconv.Atoi(from)
		b, errB := strconv.Atoi(to)
		if !ok || errA != nil || errB != nil || a < 0 || b < 0 || a == b {
			return nil, cmdline.Usage(
				cmd, fmt.Errorf("found --path %s, expected two different hosts such as 0:71", text),
			)
		}
		list = append(list, [2]int{a, b})
	}
	return list, nil
}

// exportFormat returns the export format for a file name, by its extension; "" if there is none.
func exportFormat(name string) string {
	if f := netfile.FormatFor(name); f != nil {
		return f.Name
	}
	return ""
}

// files writes the requested images and exports.
func (f *topoFlags) files(l *fabricast.Layout) error {
	if f.svg != "" {
		if err := atomicfile.Write(f.svg, l.SVG); err != nil {
			return err
		}
	}
	for _, name := range f.export {
		if err := atomicfile.Write(
			name, func(w io.Writer) error { return l.Export(w, exportFormat(name)) },
		); err != nil {
			return err
		}
	}
	return nil
}
