package workload

import (
	"fmt"

	"fabricast/collective"
	"fabricast/internal/config"
	"fabricast/internal/units"
	"fabricast/mpi"
	"fabricast/workload/serving"
	"fabricast/workload/training"
)

// Params holds the parameters of all programs; each program uses some of them. A zero value means
// that the parameter is not given.
type Params struct {
	Algorithm  string
	Size       int64 // of a message or data block, in bytes
	Empty      bool  // the user has specified the size 0
	Iterations int
	Pair       []int // the two ranks that communicate
	Root       int
	Grid       []int // number of ranks in each dimension; rank IDs vary fastest in the first
	Compute    int64 // computation per iteration, in ps
	Messages   int
	Window     int
	File       string // path of a recording
	Barrier    string // algorithm of a recording's barriers
	By         string // message primitive: BySend or ByPut
	Seed       uint64 // determines random patterns
	Training   training.Job
	Serving    serving.Job // but for its model, its accelerator and degrees, which are in Training
	// Pacing is the pacing of a collective's messages; nil means no pacing.
	Pacing *mpi.Pacing

	recording *recording // contents of File, read by Resolve
	arrivals  *arrivals  // the same, of the program serving
	loads     *loads     // the same, of the program training
}

// Reusing returns p with the data that Resolve has read from files for the parameters resolved.
// Resolve then reads a file again only if its name or the number of ranks differs.
func (p Params) Reusing(resolved *Params) Params {
	p.recording, p.arrivals, p.loads = resolved.recording, resolved.arrivals, resolved.loads
	return p
}

// Maximum values of parameters, far above the values that can be simulated.
const (
	maxSize    = 1 << 40 // bytes
	maxCount   = 1 << 40
	maxCompute = 1_000_000 * units.Second
	maxWindow  = 1 << 20 // messages of a rank in flight
)

// Param describes one parameter of a program.
type Param struct {
	Name    string
	Unit    string // "bytes", "ps", "rank", "ranks" or "" for plain numbers and words
	Default string // "" if the parameter is required
	Summary string

	// given formats the user's value. It returns "" if the user has not specified one.
	given func(p *Params) string
	// resolve sets the default value, or checks the user's value.
	resolve func(p *Params, ranks int) *Problem
}

// Problem describes an invalid value of a parameter (or of "ranks").
type Problem struct {
	Param    string
	Found    string
	Expected string
	Choices  []string // the valid words, if the parameter is a word
	// Lines lists mistakes in the file named by the parameter. Found and Expected are then empty.
	Lines config.Problems
}

func (p *Problem) Error() string {
	if len(p.Lines) > 0 {
		return p.Lines.Error()
	}
	found := p.Found
	if found == "" {
		found = "nothing"
	}
	return fmt.Sprintf("%s: found %s, expected %s", p.Param, found, p.Expected)
}

// number returns param with the functions of an integer parameter, whose values are from low to
// high. otherwise is the default; if it is below low, the parameter is required.
func number[N int | int64](param Param, field func(*Params) *N, low, high, otherwise N) Param {
	param.given = func(p *Params) string {
		if v := *field(p); v != 0 {
			return fmt.Sprint(v)
		}
		return ""
	}
	param.resolve = func(p *Params, _ int) *Problem {
		v := field(p)
		if *v == 0 {
			*v = otherwise
		}
		switch {
		case *v < low:
			return &Problem{
				Param:    param.Name,
				Found:    param.given(p),
				Expected: param.amount("at least", int64(low)),
			}
		case *v > high:
			return &Problem{
				Param:    param.Name,
				Found:    param.given(p),
				Expected: param.amount("at most", int64(high)),
			}
		}
		return nil
	}
	if otherwise >= low {
		param.Default = fmt.Sprint(otherwise)
	}
	return param
}

// amount describes a limit of the parameter for an error message, such as "a size of at least 1B".
func (p *Param) amount(bound string, n int64) string {
	switch p.Unit {
	case "bytes":
		return fmt.Sprintf("a size of %s %s", bound, units.Bytes(n))
	case "ps":
		return fmt.Sprintf("a time of %s %s", bound, units.Time(n))
	}
	return fmt.Sprintf("a number of %s %d", bound, n)
}

// sizeParam returns the parameter size, with the given summary.
func sizeParam(summary string) Param {
	param := number(Param{Name: "size", Unit: "bytes", Summary: summary},
		func(p *Params) *int64 { return &p.Size }, 1, maxSize, 0)
	given, resolve := param.given, param.resolve
	param.given = func(p *Params) string {
		if p.Empty && p.Size == 0 {
			return "0"
		}
		return given(p)
	}
	param.resolve = func(p *Params, ranks int) *Problem {
		switch {
		case p.Empty && p.Size != 0:
			return &Problem{Param: param.Name, Found: given(p), Expected: "no size beside empty messages"}
		case p.Empty:
			return nil
		}
		problem := resolve(p, ranks)
		if problem != nil && p.Size <= 0 {
			problem.Expected = "a size such as 8KiB, or 0B for messages without payload"
		}
		return problem
	}
	return param
}

var iterationsParam = number(Param{Name: "iterations", Summary: "how many times"},
	func(p *Params) *int { return &p.Iterations }, 1, maxCount, 1)

var computeParam = number(Param{Name: "compute", Unit: "ps", Summary: "computation in each iteration"},
	func(p *Params) *int64 { return &p.Compute }, 0, int64(maxCompute), 0)

var messagesParam = number(Param{Name: "messages", Summary: "messages from each rank"},
	func(p *Params) *int { return &p.Messages }, 1, maxCount, 100)

var windowParam = number(Param{Name: "window", Summary: "messages of a rank under way at once"},
	func(p *Params) *int { return &p.Window }, 1, maxWindow, 16)

var rootParam = Param{
	Name: "root", Unit: "rank", Default: "0", Summary: "the rank at the top of the tree",
	given: func(p *Params) string {
		if p.Root != 0 {
			return fmt.Sprint(p.Root)
		}
		return ""
	},
	resolve: func(p *Params, ranks int) *Problem {
		if p.Root < 0 || p.Root >= ranks {
			return &Problem{
				Param:    "root",
				Found:    fmt.Sprint(p.Root),
				Expected: fmt.Sprintf("a rank, 0 to %d", ranks-1),
			}
		}
		return nil
	},
}

// algorithmParam returns the parameter for the algorithm of a collective.
func algorithmParam(kind collective.Kind) Param {
	names := collective.Names(kind)
	return Param{
		Name: "algorithm", Default: names[0], Summary: "the algorithm of the " + string(kind),
		given: func(p *Params) string { return p.Algorithm },
		resolve: func(p *Params, ranks int) *Problem {
			if p.Algorithm == "" {
				p.Algorithm = names[0]
			}
			p.Algorithm = string(collective.Algorithm(p.Algorithm).Shown(kind))
			return checkAlgorithm(kind, p.Algorithm, ranks)
		},
	}
}

// checkAlgorithm returns a problem if name is not an algorithm of the collective, has invalid
// options, or does not support the number of ranks.
func checkAlgorithm(kind collective.Kind, name string, ranks int) *Problem {
	names := collective.Names(kind)
	known := collective.Algorithm(name).Known(kind)
	err := collective.Check(kind, collective.Algorithm(name), ranks)
	switch {
	case err == nil:
		return nil
	case !known:
		return &Problem{Param: "algorithm", Found: name, Expected: oneOf(names), Choices: names}
	case collective.Check(kind, collective.Algorithm(name), 1) != nil:
		return &Problem{
			Param: "algorithm", Found: name, Expected: "options that it has: " + err.Error(),
		}
	}
	return &Problem{
		Param: "algorithm", Found: fmt.Sprintf("%s on %d ranks", name, ranks),
		Expected: "a number of ranks " + collective.Algorithm(name).Expects(kind, ranks) + ", or another algorithm",
	}
}
