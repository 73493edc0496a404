package workload

import (
	"fmt"
	"strings"

	"fabricast/collective"

	"fabricast/mpi"
)

// Program is a communication program with a name.
type Program struct {
	Name    string
	Summary string
	// MinRanks is the least number of ranks it makes sense on.
	MinRanks int
	Params   []Param // what it takes

	// once makes a call of the collective, of programs that are one.
	once func(p Params) func(collective.Comm)
	// loop makes what each rank does from resolved parameters.
	loop func(p Params) *mpi.Loop
}

// programs lists all programs, in the order of documentation.
var programs = append(collectives(), pingpong, ring, randomRing, halo2d, halo3d, stencil3d, uniform, recorded)

// Programs describes all programs.
func Programs() []Program { return programs }

// Calls is the collective that a program calls, by the algorithm that Params.Algorithm names, and for how many bytes (see
// collective.Call) with that size; "" if it takes no algorithm.
func (p *Program) Calls(size int64) (kind collective.Kind, bytes int64) {
	switch {
	case p.once != nil:
		return collective.Kind(p.Name), size
	case p.Name == stencil3d.Name:
		return collective.KindAllreduce, residual
	}
	return "", 0
}

// Names lists the names of all programs.
func Names() []string {
	names := make([]string, len(programs))
	for i, p := range programs {
		names[i] = p.Name
	}
	return names
}

// Find returns the program with a name, nil if there is none.
func Find(name string) *Program {
	for i := range programs {
		if programs[i].Name == name {
			return &programs[i]
		}
	}
	return nil
}

// Takes tells whether the program has a parameter of that name.
func (p *Program) Takes(param string) bool {
	for i := range p.Params {
		if p.Params[i].Name == param {
			return true
		}
	}
	return false
}

// Resolve fills in the defaults of parameters that were not given, and returns
// everything that is wrong with the others.
func (p *Program) Resolve(given Params, ranks int) (Params, []*Problem) {
	var problems []*Problem
	if ranks < p.MinRanks {
		problems = append(problems, &Problem{
			Param: "ranks", Found: fmt.Sprint(ranks), Expected: fmt.Sprintf("at least %d for %s", p.MinRanks, p.Name),
		})
		return given, problems
	}
	for _, param := range every {
		if found := param.given(&given); found != "" && !p.Takes(param.Name) {
			problems = append(problems, &Problem{
				Param: param.Name, Found: found, Expected: fmt.Sprintf("nothing: %s takes %s", p.Name, p.takes()),
			})
		}
	}
	resolved := given
	for _, param := range p.Params {
		if problem := param.resolve(&resolved, ranks); problem != nil {
			problems = append(problems, problem)
		}
	}
	return resolved, problems
}

// every is each parameter once, to notice what a program does not take.
var every = []Param{
	algorithmParam("alltoall"), sizeParam(""), iterationsParam, pairParam, rootParam,
	gridParam(2), computeParam, messagesParam, windowParam, fileParam, barrierParam, byParam,
}

// takes lists the program's parameters in words.
func (p *Program) takes() string {
	var names []string
	for _, param := range p.Params {
		names = append(names, param.Name)
	}
	return words(names, "and")
}

// Build makes what every rank of a program runs. The error is a
// [Problem] of a parameter, or an unknown name.
func Build(name string, given Params, ranks int) (*mpi.Loop, error) {
	program := Find(name)
	if program == nil {
		return nil, &Problem{Param: "program", Found: name, Expected: oneOf(Names()), Choices: Names()}
	}
	p, problems := program.Resolve(given, ranks)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	return program.loop(p), nil
}

// oneOf lists words to choose from.
func oneOf(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return "one of " + words(list, "or")
}

func words(list []string, last string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " " + last + " " + list[len(list)-1]
}
