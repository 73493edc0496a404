package workload

import (
	"fmt"
	"slices"
	"strings"

	"fabricast/collective"
	"fabricast/collective/tables"
	"fabricast/internal/registry"
	"fabricast/mpi"
	"fabricast/node"
)

// Program is a built-in communication program.
type Program struct {
	Name    string
	Summary string
	// MinRanks is the minimum number of ranks that the program can run on.
	MinRanks int
	Params   []Param // the parameters that the program has

	// once returns a function that calls the collective of the program. It is nil for programs that
	// do not repeat a single collective.
	once func(p Params) func(collective.Comm)
	// round returns the communication of one iteration. It is set for point-to-point programs whose
	// messages can be paced by steps.
	round func(p Params) func(collective.Comm)
	// paceable means that Params.Pacing applies to the point-to-point messages of the program.
	paceable bool
	// calls is a collective that the program calls in addition to other communication, and whose
	// algorithm can be selected. bytes is the size of its data.
	calls collective.Kind
	bytes int64
	// check completes the parameters beyond what each of them says, and finds what is wrong. It may be nil.
	check func(p *Params, ranks int) []*Problem
	// loop returns the loop that each rank runs. The parameters must have been resolved. A program
	// that is no loop has launch in its place.
	loop   func(p Params) *mpi.Loop
	launch func(p *Params, ranks int, table *tables.Table) node.Launcher
}

// Loops reports whether the program is an mpi.Loop, whose messages are known before a run.
func (p *Program) Loops() bool { return p.loop != nil }

var registered registry.Of[Program]

// register adds a program. Lists and messages show programs in ascending order of place, which must
// be unique.
func register(place int, p Program) struct{} {
	registered.Add(place, p, p.Name)
	return struct{}{}
}

// Programs returns all programs.
func Programs() []*Program { return registered.All() }

// Calls returns the collective that the program calls with Params.Algorithm, and its size in bytes
// (see tables.Call) if Params.Size is size. kind is "" if the program has no algorithm parameter.
func (p *Program) Calls(size int64) (kind collective.Kind, bytes int64) {
	if p.once != nil {
		return collective.Kind(p.Name), size
	}
	return p.calls, p.bytes
}

// Names returns the names of all programs.
func Names() []string { return registered.Names() }

// Find returns the program with the given name; nil if there is none.
func Find(name string) *Program { return registered.Find(name) }

// Takes reports whether the program has the parameter param.
func (p *Program) Takes(param string) bool {
	for i := range p.Params {
		if p.Params[i].Name == param {
			return true
		}
	}
	return false
}

// Resolve returns the given parameters with defaults for the missing ones, and all problems with
// the given ones.
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
	if p.check != nil && len(problems) == 0 {
		problems = p.check(&resolved, ranks)
	}
	return resolved, problems
}

// every lists the parameters of all programs, each once. Resolve uses it to find given parameters
// that the program does not have.
var every = []Param{
	algorithmParam("alltoall"), sizeParam(""), iterationsParam, pairParam, rootParam,
	gridParam(2), computeParam, messagesParam, windowParam, fileParam, barrierParam, byParam,
}

func init() {
	for _, program := range []string{Training, Serving} {
		for _, param := range Find(program).Params {
			if !slices.ContainsFunc(every, func(p Param) bool { return p.Name == param.Name }) {
				every = append(every, param)
			}
		}
	}
}

// NeedsFile reports whether the program has to be given a recording.
func (p *Program) NeedsFile() bool {
	return slices.ContainsFunc(p.Params, func(param Param) bool { return param.Name == "file" && param.Default == "" })
}

// takes lists the names of the program's parameters for an error message.
func (p *Program) takes() string {
	var names []string
	for _, param := range p.Params {
		names = append(names, param.Name)
	}
	return words(names, "and")
}

// Shorter returns the parameters of a shorter run, with at most n iterations or messages per rank.
// times is the ratio of the full length to the reduced length.
func (p *Program) Shorter(resolved Params, n int) (shorter Params, times float64) {
	shorter = resolved
	of := &shorter.Iterations
	if !p.Takes("iterations") {
		of = &shorter.Messages
	}
	all := *of
	if *of = min(all, n); *of < 1 {
		*of = all // the program has neither parameter
		return shorter, 1
	}
	return shorter, float64(all) / float64(*of)
}

// Build returns the loop that every rank of the program with the given name runs. The error is a
// *Problem, for an unknown name, a program that is no loop, or the first invalid parameter.
func Build(name string, given Params, ranks int) (*mpi.Loop, error) {
	program, p, err := resolved(name, given, ranks)
	switch {
	case err != nil:
		return nil, err
	case !program.Loops():
		return nil, &Problem{Param: "program", Found: name, Expected: "a program whose messages are known before a run"}
	}
	return program.loop(p), nil
}

// Launch returns the launcher of the program with the given name. table selects the algorithms of
// collectives of a program that is no loop; it may be nil. Errors are those of Build.
func Launch(name string, given Params, ranks int, table *tables.Table) (node.Launcher, error) {
	program, p, err := resolved(name, given, ranks)
	switch {
	case err != nil:
		return nil, err
	case !program.Loops():
		return program.launch(&p, ranks, table), nil
	}
	return program.loop(p).Programs(), nil
}

// resolved returns a program and its resolved parameters.
func resolved(name string, given Params, ranks int) (*Program, Params, error) {
	program := Find(name)
	if program == nil {
		return nil, given, &Problem{Param: "program", Found: name, Expected: oneOf(Names()), Choices: Names()}
	}
	p, problems := program.Resolve(given, ranks)
	if len(problems) > 0 {
		return nil, p, problems[0]
	}
	return program, p, nil
}

// oneOf lists alternatives for an error message.
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
