package fabricast

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"fabricast/internal/config"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// buildRouting makes the algorithm for a network and checks it for deadlock. If the number of
// virtual channels was left open, and the default is too few, it becomes what the algorithm needs.
func (e *Experiment) buildRouting(t topology.Topology) (any, *deadlock.Report, error) {
	for {
		algorithm, err := e.makeRouting(t, e.Network.Router.VCs)
		if err == nil {
			var report *deadlock.Report
			if report, err = e.checked(t, algorithm); err == nil {
				return algorithm, report, nil
			}
		}
		need := neededVCs(err)
		if !e.vcsOpen || need <= e.Network.Router.VCs || need > routing.MaxVCs {
			return nil, nil, e.refuseRouting(t, err)
		}
		e.Network.Router.VCs = need
		if err := e.bounded(t); err != nil {
			return nil, nil, err
		}
	}
}

// neededVCs is how many virtual channels would avoid an error, 0 if none would.
func neededVCs(err error) int {
	var few *routing.TooFewVCsError
	var cycle *deadlock.CycleError
	switch {
	case errors.As(err, &few):
		return few.Need
	case errors.As(err, &cycle):
		return cycle.Need
	}
	return 0
}

var errUnfit = errors.New("unfit")

func (e *Experiment) makeRouting(t topology.Topology, vcs int) (any, error) {
	r := &e.Network.Routing
	if r.Custom != nil {
		return r.Custom(t, vcs)
	}
	k := routingOf(r.Algorithm)
	if !k.fits(t) {
		return nil, errUnfit
	}
	return k.make(r, t, vcs)
}

// refuseRouting reports the field that an error is about.
func (e *Experiment) refuseRouting(t topology.Topology, err error) error {
	var few *routing.TooFewVCsError
	var cycle *deadlock.CycleError
	var wrong *routing.FileError
	var unread *os.PathError
	const path = "network.routing"
	name := e.Network.Routing.Algorithm
	switch {
	case errors.Is(err, errUnfit):
		return e.refuse(path+".algorithm", fmt.Sprintf("%s on %s", name, t.Kind()), "a network that is "+routingOf(name).needs,
			config.OneOf(fitting(t))+" would do")
	case errors.As(err, &wrong):
		where := e.Network.Routing.File
		if wrong.Line > 0 {
			where += ":" + strconv.Itoa(wrong.Line)
		}
		return e.refuse(path+".file", wrong.Found+" in "+where, wrong.Expected, "")
	case errors.As(err, &unread):
		return e.refuse(path+".file", unread.Path+": "+unread.Err.Error(), "a readable file", "")
	case errors.As(err, &few):
		return e.refuse("network.router.vcs", fmt.Sprint(few.Have), fmt.Sprintf("at least %d", few.Need),
			"with fewer, packets of "+few.Algorithm+" could wait for each other for ever")
	case errors.As(err, &cycle):
		field := path
		if cycle.Need > 0 {
			field = "network.router.vcs"
		}
		return e.refuse(field, fmt.Sprintf("%s with %s, so that packets could wait for each other for ever", cycle.Algorithm, cycle.Channels()),
			"routing without circles of waiting packets", cycle.Advice()+"; the circle: "+cycle.Path(t))
	}
	return e.refuse(path, name, "an algorithm that suits the network", err.Error())
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

// deadlockFree keeps what the check found for networks that passed it, because a
// sweep runs the same network many times.
var deadlockFree sync.Map // from string to *deadlock.Report

// checked is checkDeadlock, once for each network that the experiment alone describes.
func (e *Experiment) checked(t topology.Topology, algorithm any) (*deadlock.Report, error) {
	key, ok := e.networkKey()
	if known, found := deadlockFree.Load(key); ok && found {
		return known.(*deadlock.Report), nil
	}
	report, err := e.checkDeadlock(t, algorithm)
	if ok && err == nil {
		deadlockFree.Store(key, report)
	}
	return report, err
}

// networkKey tells all that routes depend on; not ok if they depend on a file or
// on a function in Go.
func (e *Experiment) networkKey() (key string, ok bool) {
	n := &e.Network
	for _, t := range n.Topology.all() {
		if t.File != "" {
			return "", false
		}
	}
	if n.Routing.Custom != nil || n.Routing.File != "" {
		return "", false
	}
	text, err := yaml.Marshal(struct {
		Topology  Topology
		Routing   Routing
		VCs, NICs int
	}{n.Topology, n.Routing, n.Router.VCs, e.Node.NICs})
	return string(text), err == nil
}

// smallEnough is how many routers a torus may have to be checked as it is; and
// the sizes of dimensions of the smaller one that is checked in place of a larger.
const (
	smallEnough = 256
	smallDim    = 4
)

// alikeOnRings are the algorithms whose circles on a torus do not depend on the length of its rings beyond
// whether it is even, and more than three (docs/routing.md has the reason). Up*/down* has none at all.
var alikeOnRings = []string{
	RoutingDOR, RoutingMinimal, RoutingShortest, RoutingUpDown, RoutingValiant, RoutingROMM, RoutingAdaptive, RoutingUGALL, RoutingUGALG, RoutingZone,
}

// checkedSmaller tells whether a smaller torus or mesh stands for one.
func (e *Experiment) checkedSmaller(t *topology.Torus) bool {
	r := &e.Network.Routing
	if t.Graph().Routers <= smallEnough || r.Custom != nil || r.File != "" || r.rootRouter() >= 0 {
		return false // routes of one's own, or of routers that a smaller one has not
	}
	return slices.Contains(alikeOnRings, r.Algorithm) || r.Algorithm == RoutingSource && r.Of != RoutingShortest
}

// checkDeadlock searches the routes of an algorithm for circles. A large torus or mesh is
// checked by a smaller one where that is as good.
func (e *Experiment) checkDeadlock(t topology.Topology, algorithm any) (*deadlock.Report, error) {
	torus, ok := t.(*topology.Torus)
	if !ok || !e.checkedSmaller(torus) {
		return e.checkOn(t, algorithm)
	}
	small, err := smaller(torus)
	if err != nil {
		return nil, err
	}
	if algorithm, err = e.makeRouting(small, e.Network.Router.VCs); err != nil {
		return nil, err
	}
	report, err := e.checkOn(small, algorithm)
	if report != nil {
		report.Instead = fmt.Sprintf("a %s of %s", small.Kind(), strings.Trim(strings.ReplaceAll(fmt.Sprint(small.Dims()), " ", "x"), "[]"))
	}
	return report, err
}

func (e *Experiment) checkOn(t topology.Topology, algorithm any) (*deadlock.Report, error) {
	return deadlock.Check(t.Graph(), algorithm, deadlock.Options{
		VCs: e.Network.Router.VCs, WithVCs: func(vcs int) (any, error) { return e.makeRouting(t, vcs) },
	})
}

// smaller is a torus with the same kinds of dimensions, and few routers.
func smaller(t *topology.Torus) (*topology.Torus, error) {
	s := topology.TorusSpec{Hosts: t.Hosts()}
	for d, k := range t.Dims() {
		s.Wrap = append(s.Wrap, t.Wraps(d))
		s.Dims = append(s.Dims, min(k, smallDim+k%2))
	}
	return topology.NewTorusOf(s, t.Graph().NICsPerHost)
}
