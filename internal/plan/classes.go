package plan

import (
	"fabricast/experiment"
	"fabricast/fabric"
)

// fabricClasses returns the classes of routers with credits.
func fabricClasses(n *experiment.Network) (list []fabric.Class) {
	if !n.Credits() {
		return nil
	}
	for _, c := range n.Router.Classes {
		list = append(list, fabric.Class{Priority: c.Priority, Weight: max(c.Weight, 1)})
	}
	return list
}

// checkWeights refuses weights that a network cannot keep.
func checkWeights(e *experiment.Resolved, spec *fabric.Spec) error {
	if spec.Adaptive == nil || !spec.Router.Weighs() {
		return nil
	}
	return e.Refuse(
		"network.router.classes", "different weights of classes of one priority", "equal weights, or priorities",
		"adaptive routing chooses the output of a packet when its turn has come, so outputs have no turns",
	)
}
