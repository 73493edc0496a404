package run

import (
	"fmt"
	"strconv"

	"fabricast/internal/config"
	"fabricast/internal/experiment"
	"fabricast/internal/failure"
	"fabricast/internal/input"
	"fabricast/internal/processes"
	"fabricast/internal/version"
)

// sameAcross returns a configuration error, the same in all processes, if those that share the run were
// given different experiments, files or options. Nothing else may be agreed on before.
func (s *settings) sameAcross(e *experiment.Resolved) error {
	if !processes.Several(s.group) {
		return nil
	}
	traits, err := traitsOf(e)
	if err = s.settle(err); err != nil {
		return err
	}
	return failure.NewConfigError(processes.Same(s.group, append(traits, s.traits(e)...)))
}

// traitsOf returns the fields of an experiment, and the contents of the files that it names.
func traitsOf(e *experiment.Resolved) ([]processes.Trait, error) {
	list := []processes.Trait{{Name: "version of Fabricast", Value: version.Full()}}
	text, err := e.YAML()
	if err != nil {
		return nil, err
	}
	root, err := config.Parse(&config.Source{Name: "experiment", Text: string(text)})
	if err != nil {
		return nil, err
	}
	config.EachValue(root, func(path, value string) {
		list = append(list, processes.Trait{Name: path, Value: value})
	})
	err = e.EachNamed(func(field, path string) error {
		print := input.Print(path)
		list = append(list, processes.Trait{Name: field + " (" + path + ")", Value: print, Unknown: print == ""})
		return nil
	})
	return list, err
}

// traits returns the options by which processes agree on different things while a run goes on.
func (s *settings) traits(e *experiment.Resolved) (list []processes.Trait) {
	add := func(name, value string) { list = append(list, processes.Trait{Name: name, Value: value}) }
	given := func(name string, is bool) {
		if is {
			add(name, "one")
		}
	}
	given("result folder", s.recorded())
	given("program in Go", e.OwnProgram())
	given("trace or program in C", e.Launch != nil)
	given("recorder of programs", s.wrap != nil)
	given("runs of jobs alone", s.interference)
	if s.checkpoints != nil {
		add("checkpoints", strconv.Itoa(s.checkpoints.Blocks)+" blocks")
	}
	if f := s.from; f != nil {
		add("checkpoint to go on from", fmt.Sprintf("%s at %d ps", f.Fingerprint, int64(f.Time)))
	}
	if s.look != nil {
		add("period to look at", fmt.Sprintf("%+v", *s.look))
	}
	return list
}
