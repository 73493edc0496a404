package fabricast

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"fabricast/internal/config"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// refuseRouting reports the field that an error is about.
func (e *Experiment) refuseRouting(t topology.Topology, err error) error {
	var few *routing.TooFewVCsError
	var large *routing.TooLargeError
	var cycle *deadlock.CycleError
	var wrong routing.FileErrors
	var whole *routing.FileError
	var unread *os.PathError
	const path = "network.routing"
	switch {
	case errors.Is(err, errUnfit):
		name := e.Network.Routing.Algorithm
		return e.refuse(path+".algorithm", fmt.Sprintf("%s on %s", name, t.Kind()), "a network that is "+routingOf(name).needs,
			config.OneOf(fitting(t))+" would do")
	case errors.As(err, &wrong):
		return configError(inFile(e.Network.Routing.File, wrong))
	case errors.As(err, &whole):
		return e.refuse(path+".file", whole.Found+" in "+e.Network.Routing.File, whole.Expected, "")
	case errors.As(err, &unread):
		return e.refuse(path+".file", unread.Path+": "+unread.Err.Error(), "a readable file", "")
	case errors.As(err, &few):
		return e.refuseFew(t, few)
	case errors.As(err, &large):
		return e.refuse(path, fmt.Sprintf("%s on %d routers", large.Algorithm, large.Routers), fmt.Sprintf("at most %d routers", large.Most),
			"its tables have an entry for each pair of routers"+e.instead(t))
	case errors.As(err, &cycle):
		return e.refuseCycle(t, cycle)
	}
	return e.refuseRoutes(t, err)
}

// inFile points at the mistakes in a file of routes or tables.
func inFile(name string, wrong routing.FileErrors) config.Problems {
	text, _ := os.ReadFile(name) // to quote it; it was read before
	source := &config.Source{Name: name, Text: string(text)}
	var problems config.Problems
	for _, w := range wrong {
		at := config.Position{Source: source, Line: w.Line, Column: w.Column, Width: w.Width}
		problems = append(problems, config.Problem{Position: at, Field: "network.routing.file", Found: w.Found, Expected: w.Expected})
	}
	return problems
}

// refuseFew says how many virtual channels are enough, and shows what could happen with those that there
// are; or that no number is.
func (e *Experiment) refuseFew(t topology.Topology, few *routing.TooFewVCsError) error {
	if few.Need > routing.MaxVCs {
		return e.refuse("network.routing", fmt.Sprintf("%s, which needs %d virtual channels here", few.Algorithm, few.Need),
			fmt.Sprintf("an algorithm that needs at most %d", routing.MaxVCs), "a port cannot have more"+e.instead(t))
	}
	hint := "with fewer, packets of " + few.Algorithm + " could wait for each other for ever"
	if cycle := e.circleWith(t, few); cycle != nil {
		hint += fmt.Sprintf("; a circle with %d: %s", few.Have, e.pathOn(t, cycle))
	}
	return e.refuse("network.router.vcs", fmt.Sprint(few.Have), fmt.Sprintf("at least %d", few.Need), hint)
}

// foldedSteps bounds the search for a circle that only illustrates an error.
const foldedSteps = deadlock.DefaultSteps / 16

// circleWith is a circle that an algorithm has if all its virtual channels from the last that there is on
// were that one; nil if none is found.
func (e *Experiment) circleWith(t topology.Topology, few *routing.TooFewVCsError) *deadlock.CycleError {
	on, err := e.standIn(t)
	if err != nil {
		return nil
	}
	algorithm, err := e.makeRouting(on, few.Need)
	if err != nil {
		return nil
	}
	_, err = deadlock.Check(on.Graph(), algorithm, deadlock.Options{VCs: few.Need, Fold: few.Have, Steps: foldedSteps})
	var cycle *deadlock.CycleError
	errors.As(err, &cycle)
	return cycle
}

// pathOn writes a circle with the names of the network on which it was found.
func (e *Experiment) pathOn(t topology.Topology, cycle *deadlock.CycleError) string {
	on, err := e.standIn(t)
	if err != nil || on == t {
		return cycle.Path(t)
	}
	return cycle.Path(on) + ", on " + sizeOf(on) + ", which has the same circles"
}

func (e *Experiment) refuseCycle(t topology.Topology, cycle *deadlock.CycleError) error {
	field := "network.routing"
	if cycle.Need > 0 {
		field = "network.router.vcs"
	}
	return e.refuse(field, fmt.Sprintf("%s with %s, so that packets could wait for each other for ever", cycle.Algorithm, cycle.Channels()),
		"routing without circles of waiting packets", cycle.Advice()+"; the circle: "+e.pathOn(t, cycle))
}

// refuseRoutes reports what is wrong with routes, or with an algorithm as a whole.
func (e *Experiment) refuseRoutes(t topology.Topology, err error) error {
	const path = "network.routing"
	var astray *deadlock.RouteError
	var unescaped *deadlock.EscapeError
	switch {
	case errors.As(err, &astray):
		on, unnamed := e.standIn(t)
		if unnamed != nil {
			on = nil
		}
		return e.refuse(path, e.routingWord(astray.Algorithm), "routes that lead to every host", astray.Describe(on))
	case errors.As(err, &unescaped):
		return e.refuse(path, e.routingWord(unescaped.Algorithm), "an escape channel wherever packets may have to wait", err.Error())
	}
	return e.refuse(path, e.routingWord(""), "an algorithm that suits the network", err.Error())
}

// routingWord is what to call the algorithm: its name in the experiment, or its own.
func (e *Experiment) routingWord(own string) string {
	switch {
	case e.Network.Routing.Custom == nil:
		return e.Network.Routing.Algorithm
	case own != "":
		return own
	}
	return "an algorithm of your own"
}

// fitting lists the algorithms for a topology.
func fitting(t topology.Topology) []string {
	var names []string
	for _, k := range routingKinds {
		if k.fits(t) {
			names = append(names, k.name)
		}
	}
	return names
}

// instead names the algorithms with one route for each pair of hosts that a network could have in place of
// the one that it cannot; "" if none.
func (e *Experiment) instead(t topology.Topology) string {
	var names []string
	for _, k := range ownRoutes {
		if k.name == e.Network.Routing.Algorithm || !k.fits(t) || !slices.Contains(sourceRoutes, k.name) {
			continue
		}
		if _, err := k.make(&Routing{Algorithm: k.name, Up: UpDestination, Classes: ClassesHop}, t, routing.MaxVCs); err == nil {
			names = append(names, k.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; " + config.OneOf(names) + " would do"
}
