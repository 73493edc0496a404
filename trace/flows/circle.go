package flows

import "slices"

// Circle returns triggers, as indexes in s.Triggers, each of which waits for a flow that the next
// one starts, and the last one for a flow of the first; nil if there are none.
func (s *Set) Circle() []int32 {
	waits := make([]int, len(s.Triggers))
	started := make([][]int32, len(s.Triggers)) // the flows of a trigger
	activates := map[int32][]int32{}            // by flow
	for t := range s.Triggers {
		for _, e := range s.Triggers[t].Events {
			activates[e.Flow] = append(activates[e.Flow], int32(t))
			waits[t]++
		}
	}
	var ended []int32 // flows, of which those that they activate are to be told
	for i := range s.Flows {
		if t := s.Flows[i].Trigger; t > 0 {
			started[t-1] = append(started[t-1], int32(i))
		} else if len(activates[int32(i)]) > 0 {
			ended = append(ended, int32(i))
		}
	}
	for len(ended) > 0 {
		last := len(ended) - 1
		flow := ended[last]
		ended = ended[:last]
		for _, t := range activates[flow] {
			if waits[t]--; waits[t] == 0 {
				ended = append(ended, started[t]...)
			}
		}
	}
	return s.around(waits)
}

// around follows triggers that wait, of so many events each, to others that do, up to one that has
// been passed.
func (s *Set) around(waits []int) (way []int32) {
	passed := map[int32]int{}
	at := int32(slices.IndexFunc(waits, func(n int) bool { return n > 0 }))
	for at >= 0 {
		if i, found := passed[at]; found {
			return way[i:]
		}
		passed[at] = len(way)
		way = append(way, at)
		at = s.waiting(at, waits)
	}
	return nil
}

// waiting returns a trigger that waits, and whose flow another one waits for.
func (s *Set) waiting(trigger int32, waits []int) int32 {
	for _, e := range s.Triggers[trigger].Events {
		if t := s.Flows[e.Flow].Trigger; t > 0 && waits[t-1] > 0 {
			return t - 1
		}
	}
	return -1
}
