package workload

import (
	"fmt"
	"strings"

	"fabricast/collective"
	"fabricast/internal/registry"
	"fabricast/mpi"
)

// Program is a built-in communication program.
type Program struct {
	Name    string
	Summary string
	// MinRanks is the minimum number of ranks that the program can run on.
	MinRanks int
	Params   []Param // its parameters

	// once returns the function that calls the collective, or is nil for other programs.
	once func(p Params) func(collective.Comm)
	// round returns the communication of one iteration, for point-to-point programs that can be
	// paced by steps.
	round func(p Params) func(collective.Comm)
	// paceable means that Params.Pacing applies to the point-to-point messages.
	paceable bool
	// calls and bytes are, for a program that is not itself a collective, the collective whose
	// algorithm can be selected, and the size of its data.
	calls collective.Kind
	bytes int64
	// loop returns the loop that each rank runs with resolved parameters.
	loop func(p Params) *mpi.Loop
}

var registered registry.Of[Program]

// register adds a program. It is called in the program's file. Lists and messages show programs in
// ascending order of place. Places must differ.
func register(place int, p Program) struct{} {
	registered.Add(place, p, p.Name)
	return struct{}{}
}

// Programs lists all programs.
func Programs() []*Program { return registered.All() }

// Calls returns the collective that the program calls with Params.Algorithm, and its number of
// bytes (see tables.Call) when the parameter size is `size` bytes. kind is "" if the program has no
// algorithm parameter.
func (p *Program) Calls(size int64) (kind collective.Kind, bytes int64) {
	if p.once != nil {
		return collective.Kind(p.Name), size
	}
	return p.calls, p.bytes
}

// Names lists the names of all programs.
func Names() []string { return registered.Names() }

// Find returns the program with the given name, or nil if there is none.
func Find(name string) *Program { return registered.Find(name) }

// Takes reports whether the program has a parameter with that name.
func (p *Program) Takes(param string) bool {
	for i := range p.Params {
		if p.Params[i].Name == param {
			return true
		}
	}
	return false
}

// Resolve fills in the defaults of missing parameters, and returns all problems with the given
// parameters.
func (p *Program) Resolve(given Params, ranks int) (Params, []*Problem) {
	var problems []*Problem
	if ranks < p.MinRanks {
		problems = append(problems, &Problem{
			Param: "ranks", Found: fmt.Sprint(ranks),
			Expected: fmt.Sprintf("at least %d for %s", p.MinRanks, p.Name),
		})
		return given, problems
	}
	for _, param := range every {
		if found := param.given(&given); found != "" && !p.Takes(param.Name) {
			problems = append(problems, &Problem{
				Param: param.Name, Found: found,
				Expected: fmt.Sprintf("nothing: %s takes %s", p.Name, p.takes()),
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

// every lists all parameters once. It is used to find given parameters that a program does not
// have.
var every = []Param{
	algorithmParam("alltoall"), sizeParam(""), iterationsParam, pairParam, rootParam,
	gridParam(2), computeParam, messagesParam, windowParam, fileParam, barrierParam, byParam,
}

// takes lists the names of the program's parameters in words.
func (p *Program) takes() string {
	var names []string
	for _, param := range p.Params {
		names = append(names, param.Name)
	}
	return words(names, "and")
}

// Shorter returns resolved parameters with at most n iterations, or at most n messages per rank.
// times is the ratio of the full length to the shortened length.
func (p *Program) Shorter(resolved Params, n int) (shorter Params, times float64) {
	shorter = resolved
	of := &shorter.Iterations
	if !p.Takes("iterations") {
		of = &shorter.Messages
	}
	all := *of
	if *of = min(all, n); *of < 1 {
		*of = all // the program has neither
		return shorter, 1
	}
	return shorter, float64(all) / float64(*of)
}

// Build returns the loop that every rank of the named program runs. The error is a *Problem: an
// unknown name or the first invalid parameter.
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

// oneOf lists words to choose from, for error messages.
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
