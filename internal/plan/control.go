package plan

import (
	"fabricast/ethernet/control"
	"fabricast/experiment"
	"fabricast/fabric"
)

// addControl adds the control of congestion to a network of credits, if it has one. It stands beside
// the failures of links, if there are any.
func addControl(e *experiment.Resolved, spec *fabric.Spec) error {
	if !e.Controlled() {
		return nil
	}
	options := e.Node.Transport.Control
	if spec.Adaptive != nil && control.KindOf(options).KnowsOutputs {
		return e.Refuse(
			"node.transport.control", options.Name(), "none with adaptive routing",
			"which queue a packet waits in is not known before it leaves; "+spec.Adaptive.Name()+" is adaptive",
		)
	}
	c := control.MakeLossless(options, spec)
	if spec.Doors == nil {
		spec.Doors = &fabric.Doors{}
	}
	spec.Doors.Hooks, spec.Doors.Injector = c.Hooks, c.Injector
	return nil
}
