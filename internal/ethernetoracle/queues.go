package ethernetoracle

import (
	"fabricast/ethernet"
)

// Waits are sums over the time of a run.
type Waits struct {
	Held         int64 // bytes in the queues of ports * ps
	Paused, Busy int64 // how long first packets or flows waited for the end of a pause, and for others (ps)
}

// RunCounting is like Run, and also returns the sums of all ports and NICs. It takes several times as long.
func RunCounting(spec ethernet.Spec, messages []Message) (*Outcome, *Waits, error) {
	w := &Waits{}
	o, err := run(spec, messages, w.count)
	return o, w, err
}

// count adds what lasts for some time (ps).
func (w *Waits) count(n *network, lasts int64) {
	for _, p := range n.ports {
		w.Held += lasts * (p.held() + p.heldHeaders())
		for class := range n.classes() {
			if len(of(class, p.queue)) > 0 {
				w.wait(p.paused[class], lasts)
			}
		}
		if len(p.headers) > 0 {
			w.wait(false, lasts)
		}
	}
	for _, nic := range n.nics {
		classes := map[int]bool{}
		for _, f := range nic.ready {
			classes[f.class] = true
		}
		for class := range classes {
			w.wait(nic.paused[class], lasts)
		}
		if len(nic.replies) > 0 {
			w.wait(false, lasts)
		}
	}
}

func (w *Waits) wait(paused bool, lasts int64) {
	if paused {
		w.Paused += lasts
	} else {
		w.Busy += lasts
	}
}
