package runs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"fabricast"
	"fabricast/internal/cli/ending"
	"fabricast/internal/config"
	"fabricast/internal/input"
	"fabricast/record"
)

// keepEarlier returns an error if the run would replace the result of another experiment and
// --force is not given. It ignores differences in the data recorded alongside the result. The run
// itself refuses to replace anything other than a result.
func (f *runFlags) keepEarlier(e *fabricast.Experiment) error {
	if f.out == "" || f.force {
		return nil
	}
	earlier, err := input.Text(filepath.Join(f.out, record.ExperimentFile), input.Experiment)
	if err != nil || !present(filepath.Join(f.out, record.ResultFile)) {
		return nil
	}
	difference, err := f.differs(earlier, e)
	if err != nil {
		return err
	}
	if difference == "" {
		return nil
	}
	return &ending.UsageError{
		Err: fmt.Errorf(
			"%s: found the result of another experiment (%s), expected a new name, or --force to "+
				"overwrite it",
			f.out, difference,
		),
	}
}

// differs describes how the recorded experiment of an earlier result differs from e; "" if it does
// not.
func (f *runFlags) differs(earlier string, e *fabricast.Experiment) (string, error) {
	before, err := config.Parse(&config.Source{Name: record.ExperimentFile, Text: earlier})
	if err != nil {
		return "its " + record.ExperimentFile + " cannot be read", nil
	}
	recorded := *e
	for _, file := range []struct {
		path *string
		name string
	}{
		{&recorded.Mapping.File, record.MappingFile},
		{&recorded.Partition.File, record.PartitionFile},
		{&recorded.Imbalance.File, record.ImbalanceFile},
		{&recorded.Noise.File, record.NoiseFile},
		{&recorded.Faults.File, record.FaultsFile},
		{&recorded.Faults.Random.File, record.OutagesFile},
		{&recorded.Collectives.File, record.CollectivesFile},
	} {
		if *file.path == "" {
			continue
		}
		if !sameFile(*file.path, filepath.Join(f.out, file.name)) {
			return file.name + " has other contents", nil
		}
		*file.path = file.name
	}
	text, err := recorded.YAML()
	if err != nil {
		return "", err
	}
	now, err := config.Parse(&config.Source{Name: "experiment", Text: string(text)})
	if err != nil {
		return "", err
	}
	before, now = config.Without(before, "record"), config.Without(now, "record")
	if d := firstDifference("", before, now); d != "" {
		return d, nil
	}
	if there, here := programOf(earlier), programOf("# "+e.Command); there != here {
		return fmt.Sprintf("what ran there is %s, here %s", orNone(there), orNone(here)), nil
	}
	return "", nil
}

// sameFile reports whether two files have the same contents.
func sameFile(a, b string) bool {
	one, errOne := input.Bytes(a, input.Copied)
	other, errOther := input.Bytes(b, input.Copied)
	return errOne == nil && errOther == nil && bytes.Equal(one, other)
}

// firstDifference describes the first field in which two YAML subtrees differ; "" if there is none.
// path is the path of both subtrees.
func firstDifference(path string, there, here *config.Node) string {
	if there == nil || here == nil || there.Kind != config.Mapping || here.Kind != config.Mapping {
		if a, b := flow(there), flow(here); a != b {
			return fmt.Sprintf("%s is %s there, %s here", path, orNone(a), orNone(b))
		}
		return ""
	}
	for _, n := range []*config.Node{there, here} {
		for _, field := range n.Fields {
			below := strings.TrimPrefix(path+"."+field.Key, ".")
			if d := firstDifference(below, child(there, field.Key), child(here, field.Key)); d != "" {
				return d
			}
		}
	}
	return ""
}

// child returns the value of a mapping's field; nil if there is none. In contrast to config.Get,
// the key may contain dots.
func child(n *config.Node, key string) *config.Node {
	for _, f := range n.Fields {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

func present(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// flow formats a node in one line; "" for nil.
func flow(n *config.Node) string {
	if n == nil {
		return ""
	}
	return n.Flow()
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// programOf returns the C program or trace named in the comment at the start of a recorded
// experiment: the text after the path of the experiment file. It skips that path because the same
// folder can be written in several ways.
func programOf(text string) string {
	var comment []string
	for line := range strings.Lines(text) {
		words, found := strings.CutPrefix(line, "#")
		if !found {
			break
		}
		comment = append(comment, strings.TrimSpace(words))
	}
	_, program, _ := strings.Cut(strings.Join(comment, " "),
		string(os.PathSeparator)+record.ExperimentFile)
	return strings.TrimLeft(program, "' ")
}
