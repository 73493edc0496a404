package plan

import "fabricast/experiment"

// ethernet refuses networks whose routers drop or pause packets.
func ethernet(e *experiment.Resolved) error {
	if !e.Network.Ethernet() {
		return nil
	}
	return e.Refuse(
		"network.router.buffers", e.Network.Router.Buffers, experiment.BuffersCredits,
		"networks that lose or pause packets can be described and checked, but not run yet",
	)
}
