package deadlock

// arrive returns an error if packets to a destination can reach a place from which no route leads
// out of the network.
func (w *walk) arrive(destination int) error {
	if err := w.explore(destination); err != nil {
		return err
	}
	out := w.waysOut()
	for i := range w.states {
		if !out[i] {
			return &RouteError{
				Router:  w.states[i].router,
				NIC:     w.nic,
				Problem: "packets go round and never arrive",
				Round:   w.round(int32(i)),
			}
		}
	}
	return nil
}

// waysOut reports for every place whether some route leads from it out of the network. It searches
// backward from the exits.
func (w *walk) waysOut() []bool {
	out := make([]bool, len(w.states))
	entries, before := make([][]int32, len(w.states)), []int32{}
	for i := range w.states {
		exit := len(w.of(i)) == 0
		for _, next := range w.next(i) {
			if exit = exit || next == none; next != none {
				entries[next] = append(entries[next], int32(i))
			}
		}
		if exit {
			out[i], before = true, append(before, int32(i))
		}
	}
	for n := 0; n < len(before); n++ {
		for _, i := range entries[before[n]] {
			if !out[i] {
				out[i], before = true, append(before, i)
			}
		}
	}
	return out
}

// round returns the cycle of channels that a packet enters which always takes the first candidate,
// from a place without a way out.
func (w *walk) round(place int32) []Channel {
	met := make([]int32, len(w.states)) // by place: how many channels were taken before it, and one
	var channels []Channel
	for met[place] == 0 {
		met[place] = int32(len(channels) + 1)
		s, first := &w.states[place], w.of(int(place))[0]
		channels = append(channels, Channel{Router: s.router, Port: first.Port, VC: first.VC})
		place = w.next(int(place))[0]
	}
	return fromLowest(channels[met[place]-1:])
}
