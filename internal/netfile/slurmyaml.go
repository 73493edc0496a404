package netfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/humanize"
	"fabricast/internal/pattern"
	"fabricast/topology"
)

var _ = register(50, Format{
	Name: "slurm-yaml", Summary: "Slurm's topology.yaml: trees of switches, or blocks",
	Endings: []string{"topology.yaml"}, read: readSlurmYAML, write: writeSlurmYAML, loses: slurmLoses,
	begins: func(text string) bool { return slurmYAMLBegins().MatchString(text) },
})

// slurmYAMLBegins matches the first topology of the list, perhaps after comments.
var slurmYAMLBegins = pattern.Lazy(`^(?:[ \t\r]*(?:#.*|---[ \t\r]*)?\n)*[ \t]*-[ \t]+topology:[ \t]*\S`)

// readYAML parses a file as YAML.
func readYAML(source *config.Source) (*config.Node, config.Problems) {
	root, err := config.ParseValue(source)
	var problems config.Problems
	errors.As(err, &problems)
	return root, problems
}

// readSlurmYAML reads a list of topologies, and takes the default of the cluster: the first with
// cluster_default, or else the first that is not flat.
func readSlurmYAML(source *config.Source, _ int) (*Network, config.Problems) {
	s := newSlurm(source, "slurm-yaml")
	root, problems := readYAML(source)
	if len(problems) > 0 {
		return nil, problems
	}
	if root.Kind != config.List {
		s.fail(root.Position, "", "no list", "a list of topologies, such as - topology: NAME", "")
		return s.finish()
	}
	chosen := s.choose(root.Items)
	if chosen == nil {
		s.fail(root.Position, "topology", "no tree and no blocks", "a topology with one of them", "")
		return s.finish()
	}
	if fieldOf(chosen, "tree", "block") == nil {
		s.fail(chosen.Position, "topology", "a default of the cluster that is a ring or a torus",
			"a tree or blocks", "set cluster_default of another one")
		return s.finish()
	}
	s.topology(chosen)
	return s.finish()
}

// choose returns the default topology that is not flat, or else the first tree or blocks; nil if there is
// none. Others are ignored.
func (s *slurm) choose(list []*config.Node) (chosen *config.Node) {
	var fallback *config.Node
	for _, t := range list {
		switch {
		case fieldOf(t, "tree", "block", "flat", "ring", "torus3d") == nil:
			s.fail(t.Position, "topology", "a topology that is neither tree, block nor flat", "one of them", "")
		case fieldOf(t, "flat") != nil:
		case chosen == nil && textOf(fieldOf(t, "cluster_default")) == "true":
			chosen = t
		case fallback == nil && fieldOf(t, "tree", "block") != nil:
			fallback = t
		}
	}
	if chosen == nil {
		chosen = fallback
	}
	var others []string
	for _, t := range list {
		if t != chosen {
			others = append(others, textOf(fieldOf(t, "topology")))
		}
	}
	if len(others) > 0 {
		s.reading.ignore("%s: %s", humanize.Plural(len(others), "further topology"), some(others))
	}
	return chosen
}

// topology reads the switches of a tree, or blocks.
func (s *slurm) topology(t *config.Node) {
	ignored := tally{}
	for _, f := range t.Fields {
		switch f.Key {
		case "topology", "cluster_default":
		case "tree":
			s.parts(fieldOf(f.Value, "switches"), f.Value.Position, "switch", ignored)
		case "block":
			s.parts(fieldOf(f.Value, "blocks"), f.Value.Position, "block", ignored)
			for _, inner := range f.Value.Fields {
				if inner.Key != "blocks" {
					ignored[inner.Key]++
				}
			}
		default:
			ignored[f.Key]++
		}
	}
	if len(ignored) > 0 {
		s.reading.ignore("options without influence on the network: %s", ignored.list())
	}
}

// parts reads a list of switches or blocks.
func (s *slurm) parts(list *config.Node, at config.Position, kind string, ignored tally) {
	if list == nil || list.Kind != config.List {
		s.fail(at, kind, "no list", "a list such as - "+kind+": NAME", "")
		return
	}
	for _, item := range list.Items {
		name := fieldOf(item, kind)
		if textOf(name) == "" {
			s.fail(item.Position, kind, "an entry without it", "the name of the "+kind, "")
			continue
		}
		for _, f := range item.Fields {
			if f.Key != kind && f.Key != "children" && f.Key != "nodes" {
				ignored[f.Key]++
			}
		}
		s.add(scalarWord(name), scalarWord(fieldOf(item, "children")), scalarWord(fieldOf(item, "nodes")),
			kind == "block")
		if s.problems.Enough() {
			return
		}
	}
}

// scalarWord returns a scalar, or the items of a list separated by commas, as a word; empty if n is
// nil.
func scalarWord(n *config.Node) word {
	if n == nil {
		return word{}
	}
	return word{strings.ReplaceAll(flat(n), " ", ","), n.Position}
}

// writeSlurmYAML writes a network as topology.yaml.
func writeSlurmYAML(w io.Writer, t topology.Topology, _ []Cable) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "- topology: network\n  cluster_default: true\n  tree:\n    switches:\n")
	for _, s := range slurmSwitches(t) {
		fmt.Fprintf(out, "    - switch: %s\n", quoted(s.name))
		if s.nodes != "" {
			fmt.Fprintf(out, "      nodes: %s\n", quoted(s.nodes))
		}
		if s.switches != "" {
			fmt.Fprintf(out, "      children: %s\n", quoted(s.switches))
		}
	}
	return out.Flush()
}
