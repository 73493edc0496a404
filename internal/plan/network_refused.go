package plan

import (
	"errors"
	"fmt"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/internal/input"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// refuseRouting turns an error of the routing algorithm or of the deadlock check into an error that
// names the experiment's field.
func refuseRouting(e *experiment.Resolved, t topology.Topology, err error) error {
	var few *routing.TooFewVCsError
	var large *routing.TooLargeError
	var cycle *deadlock.CycleError
	var wrong routing.FileErrors
	var whole *routing.FileError
	var unread *input.Error
	const path = "network.routing"
	switch {
	case errors.Is(err, errUnfit):
		name := e.Network.Routing.Name()
		expected := "a network that is " + routing.FindKind(name).Networks
		if _, ends := t.(topology.Endpoints); ends {
			expected = "an algorithm whose routes cross no nodes on their way to others"
		}
		return e.Refuse(
			path+".algorithm", fmt.Sprintf("%s on %s", name, t.Kind()), expected,
			config.OneOf(fitting(t))+" would do",
		)
	case errors.As(err, &wrong):
		return failure.NewConfigError(inFile(e.Network.RoutingFile(), wrong))
	case errors.As(err, &whole):
		return e.Refuse(path+".file", whole.Found+" in "+e.Network.RoutingFile(), whole.Expected, "")
	case errors.As(err, &unread):
		return e.Unread(path+".file", unread)
	case errors.As(err, &few):
		return refuseFew(e, t, few)
	case errors.As(err, &large):
		return e.Refuse(
			path, fmt.Sprintf("%s on %d routers", large.Algorithm, large.Routers),
			fmt.Sprintf("at most %d routers", large.Most),
			"its tables have an entry for each pair of routers"+instead(e, t),
		)
	case errors.As(err, &cycle):
		return refuseCycle(e, t, cycle)
	}
	return refuseRoutes(e, t, err)
}

// inFile turns errors in a file of routes or tables into problems with positions in that file.
func inFile(name string, wrong routing.FileErrors) config.Problems {
	text, _ := input.Text(name, input.Routes) // cannot fail: it has been read before
	source := &config.Source{Name: name, Text: text}
	var problems config.Problems
	for _, w := range wrong {
		at := config.Position{Source: source, Line: w.Line, Column: w.Column, Width: w.Width}
		problems = append(
			problems,
			config.Problem{Position: at, Field: "network.routing.file", Found: w.Found, Expected: w.Expected},
		)
	}
	return problems
}

// refuseFew reports that the algorithm has too few virtual channels. The message says how many are
// enough, with an example of a deadlock with fewer, or that no permitted number is enough.
func refuseFew(e *experiment.Resolved, t topology.Topology, few *routing.TooFewVCsError) error {
	if few.Need > routing.MaxVCs {
		return e.Refuse(
			"network.routing",
			fmt.Sprintf("%s, which needs %d virtual channels here", few.Algorithm, few.Need),
			fmt.Sprintf("an algorithm that needs at most %d", routing.MaxVCs),
			"a port cannot have more"+instead(e, t),
		)
	}
	hint := "with fewer, packets of " + few.Algorithm + " could wait for each other for ever"
	if cycle := circleWith(e, t, few); cycle != nil {
		hint += fmt.Sprintf("; a cycle with %d: %s", few.Have, pathOn(e, t, cycle))
	}
	return e.Refuse("network.router.vcs", fmt.Sprint(few.Have), fmt.Sprintf("at least %d", few.Need), hint)
}

// foldedSteps limits the search for an example of a cycle for an error message, in steps of the
// deadlock check.
const foldedSteps = deadlock.DefaultSteps / 16

// circleWith finds an example of a deadlock with too few virtual channels. It gives the algorithm
// as many as it needs, and maps all channels beyond the available ones to the last available one.
// It returns nil if no cycle is found.
func circleWith(
	e *experiment.Resolved, t topology.Topology, few *routing.TooFewVCsError,
) *deadlock.CycleError {
	on, _, err := standIn(e, t)
	if err != nil {
		return nil
	}
	algorithm, err := makeRouting(e, on, few.Need)
	if err != nil {
		return nil
	}
	_, err = deadlock.Check(
		on.Graph(),
		algorithm,
		deadlock.Options{VCs: few.Need, Fold: few.Have, Steps: foldedSteps},
	)
	var cycle *deadlock.CycleError
	errors.As(err, &cycle)
	return cycle
}

// pathOn formats a cycle with the router names of the network on which it was found, and names that
// network if it is the representative one.
func pathOn(e *experiment.Resolved, t topology.Topology, cycle *deadlock.CycleError) string {
	on, name, err := standIn(e, t)
	if err != nil || on == t {
		return cycle.Path(t)
	}
	return cycle.Path(on) + ", on " + name + ", which has the same cycles"
}

func refuseCycle(e *experiment.Resolved, t topology.Topology, cycle *deadlock.CycleError) error {
	field := "network.routing"
	if cycle.Need > 0 {
		field = "network.router.vcs"
	}
	return e.Refuse(
		field,
		fmt.Sprintf(
			"%s with %s, so that packets could wait for each other for ever",
			cycle.Algorithm, cycle.Channels(),
		),
		"routing without cycles of waiting packets",
		cycle.Advice()+"; the cycle: "+pathOn(e, t, cycle),
	)
}

// refuseRoutes reports routes that do not arrive, deadlock, or lack an escape channel.
func refuseRoutes(e *experiment.Resolved, t topology.Topology, err error) error {
	const path = "network.routing"
	var astray *deadlock.RouteError
	var unescaped *deadlock.EscapeError
	switch {
	case errors.As(err, &astray):
		on, _, unnamed := standIn(e, t)
		if unnamed != nil {
			on = nil
		}
		if own := (*strayError)(nil); errors.As(err, &own) {
			on = own.on
		}
		return e.Refuse(
			path, routingWord(e, astray.Algorithm), "routes that lead to every host",
			astray.Describe(on),
		)
	case errors.As(err, &unescaped):
		return e.Refuse(
			path, routingWord(e, unescaped.Algorithm),
			"an escape channel wherever packets may have to wait",
			err.Error(),
		)
	}
	return e.Refuse(path, routingWord(e, ""), "an algorithm that suits the network", err.Error())
}

// routingWord returns the name by which messages call the algorithm: the experiment's word, or own
// for an algorithm written in Go.
func routingWord(e *experiment.Resolved, own string) string {
	switch {
	case e.Network.Routing.Name() != "":
		return e.Network.Routing.Name()
	case own != "":
		return own
	}
	return "an algorithm of your own"
}

// fitting lists the names of the algorithms that support topology t.
func fitting(t topology.Topology) []string {
	var names []string
	for _, k := range routing.Kinds() {
		if k.Fits(t) {
			names = append(names, k.Name)
		}
	}
	return names
}

// instead returns a part of a message that lists algorithms to use in place of the refused one; ""
// if there are none. It considers only algorithms with one route for each pair of hosts, in networks in which they
// are soon tried.
func instead(e *experiment.Resolved, t topology.Topology) string {
	const most = 512
	if t.Graph().Routers > most {
		return ""
	}
	var names []string
	for _, k := range routing.Kinds() {
		if k.Name == e.Network.Routing.Name() || !k.Fits(t) || !k.Pairs {
			continue
		}
		if _, err := k.Make(k.New(), routing.Network{Topology: t, VCs: routing.MaxVCs}); err == nil {
			names = append(names, k.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; " + config.OneOf(names) + " would do"
}
