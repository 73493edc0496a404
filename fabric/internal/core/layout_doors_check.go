package core

import (
	"errors"
	"fmt"
	mathbits "math/bits"

	"fabricast/fabric/model"

	"fabricast/internal/units"
	"fabricast/routing"
	"fabricast/topology"
)

// OpenDoors checks the doors of a Spec, and adds ports for the agents of routers.
func OpenDoors(s model.Spec) (model.Spec, error) {
	d := s.Doors
	if d == nil {
		return s, nil
	}
	s.Cells = 0 // the state of doors cannot move between blocks
	if err := checkDoors(&s); err != nil {
		return s, fmt.Errorf("doors: %w", err)
	}
	s.Links = withRates(&s)
	if d.Agent != nil {
		s.Graph = withAgents(s.Graph, d.Agent)
	}
	return s, nil
}

// CheckDoors returns an error if the model does not support a door of the Spec. The error names the
// door.
func CheckDoors(s model.Spec) error {
	if s.Doors == nil {
		return nil
	}
	return checkDoors(&s)
}

// checkDoors implements CheckDoors for a Spec with doors.
func checkDoors(s *model.Spec) error {
	d := s.Doors
	if SharesBus(s) {
		return errors.New("want no I/O bus that NICs share")
	}
	if d.Retry && s.Router.OutputBuffer > 0 {
		return errors.New("retry wants no output buffers")
	}
	if d.Timeout < 0 || d.Timeout == 1 || d.Timeout > maxTimeout {
		return fmt.Errorf("a timeout of %d ps", d.Timeout)
	}
	if d.Timeout > 0 && (d.Retry || d.Agent != nil) {
		return errors.New("a timeout of packets that are lost wants neither retries on links nor agents")
	}
	if err := checkErrors(s); err != nil {
		return err
	}
	if h := d.Hooks; h != nil && (h.Delay < 0 || h.Delay == 1 || min(h.PortState, h.NICState, h.FlowState) < 0) {
		return fmt.Errorf("hooks %s: a delay of %d ps, or words of state, that cannot be", h.Name, h.Delay)
	}
	if i := d.Injector; i != nil && min(i.NICState, i.FlowState) < 0 {
		return fmt.Errorf("injector %s: fewer than 0 words of state", i.Name)
	}
	return errors.Join(checkAgent(s, d.Agent), checkEvents(s, d.Events), checkEpochs(s, d.Epochs))
}

// maxTimeout is the longest timeout of packets that are lost.
const maxTimeout = 1000 * units.Second

// checkErrors returns an error if the model does not support the bit errors of the Spec.
func checkErrors(s *model.Spec) error {
	rates := s.Doors.BitErrors
	if rates == nil {
		return nil
	}
	if s.Router.OutputBuffer > 0 {
		return errors.New("bit errors want no output buffers")
	}
	if len(rates) != len(s.Graph.Ports) {
		return fmt.Errorf("bit errors of %d ports, not of %d", len(rates), len(s.Graph.Ports))
	}
	bits := 8 * uint64(s.Packet.Wire(s.Packet.Payload()))
	for port, rate := range rates {
		if over, _ := mathbits.Mul64(rate, bits); over > 0 {
			return fmt.Errorf("port %d: in the mean a bit of each full packet is wrong", port)
		}
	}
	return nil
}

func checkAgent(s *model.Spec, a *model.Agent) error {
	switch {
	case a == nil:
		return nil
	case a.Takes == nil || a.Arrive == nil:
		return fmt.Errorf("agent %s: needs Takes and Arrive", a.Name)
	case startsPackets(s) != nil:
		return fmt.Errorf("agent %s: wants a routing function with one route for each pair of NICs", a.Name)
	case int(a.Link) >= len(s.Links):
		return fmt.Errorf("agent %s: link class %d of %d", a.Name, a.Link, len(s.Links))
	case a.Delay < 0 || a.State < 0:
		return fmt.Errorf("agent %s: delay and words of state must not be negative", a.Name)
	}
	for _, r := range a.Routers {
		if r < 0 || int(r) >= s.Graph.Routers {
			return fmt.Errorf("agent %s: router %d of %d", a.Name, r, s.Graph.Routers)
		}
	}
	return nil
}

func checkEvents(s *model.Spec, events []model.Event) error {
	type moment struct {
		at      int64
		port    int32
		fromNIC bool
	}
	seen := map[moment]int{}
	for i, e := range events {
		if e.Router < 0 || int(e.Router) >= s.Graph.Routers {
			return fmt.Errorf("event %d: router %d of %d", i, e.Router, s.Graph.Routers)
		}
		ports := s.Graph.PortBase[e.Router+1] - s.Graph.PortBase[e.Router]
		switch {
		case e.Port < model.AllPorts || e.Port >= ports:
			return fmt.Errorf("event %d: port %d of router %d, which has %d", i, e.Port, e.Router, ports)
		case e.Kind > model.SetRate:
			return fmt.Errorf("event %d: kind %d", i, e.Kind)
		case e.At < 0 || e.Rate < 0:
			return fmt.Errorf("event %d: time %d ps and rate %d B/s must not be negative", i, e.At, e.Rate)
		case e.FromNIC && !leadsToNIC(s.Graph, e):
			return fmt.Errorf("event %d: no NIC sends to port %d of router %d", i, e.Port, e.Router)
		}
		for port := range changedPorts(s, e) {
			m := moment{int64(e.At), port, e.FromNIC}
			if before, twice := seen[m]; twice && before != i {
				return fmt.Errorf("events %d and %d: one port at the same time", before, i)
			}
			seen[m] = i
		}
	}
	return nil
}

// leadsToNIC reports whether a NIC is at the port of an event.
func leadsToNIC(g *topology.Graph, e model.Event) bool {
	return e.Port >= 0 && g.Ports[g.PortBase[e.Router]+e.Port].NIC != topology.Unconnected
}

func checkEpochs(s *model.Spec, epochs []model.Epoch) error {
	switch {
	case len(epochs) == 0:
		return nil
	case len(epochs) >= 1<<16:
		return fmt.Errorf("epochs: %d are more than %d", len(epochs), 1<<16-1)
	}
	renewed, _ := s.Adaptive.(routing.Renewed)
	switch {
	case renewed == nil && startsPackets(s) != nil:
		return errors.New("epochs: want routing functions with one route for each pair of NICs")
	case renewed != nil && renewed.Epochs() != len(epochs):
		return fmt.Errorf("epochs: %d for adaptive routing of %d", len(epochs), renewed.Epochs())
	}
	for i, e := range epochs {
		_, random := e.Routing.(routing.Randomized)
		switch {
		case renewed != nil && e.Routing != nil:
			return fmt.Errorf("epoch %d: wants no routing function of its own with adaptive routing", i)
		case renewed == nil && (e.Routing == nil || random):
			return fmt.Errorf("epoch %d: wants a routing function with one route for each pair of NICs", i)
		case e.At < 0 || i > 0 && e.At <= epochs[i-1].At:
			return fmt.Errorf("epoch %d: does not begin after the one before", i)
		}
	}
	return nil
}
