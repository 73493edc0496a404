package eventqueue

// heap is a heap of events. Each node has four children: it has half the height
// of a binary heap, and the four children that are compared are in two cache lines.
type heap []Event

const fanOut = 4

func (h *heap) push(e Event) {
	*h = append(*h, e)
	list, i := *h, len(*h)-1
	for i > 0 {
		up := (i - 1) / fanOut
		if !e.precedes(&list[up]) {
			break
		}
		list[i] = list[up]
		i = up
	}
	list[i] = e
}

// pop removes and returns the first event. The heap must not be empty.
func (h *heap) pop() Event {
	list := *h
	first, last := list[0], len(list)-1
	e := list[last]
	list = list[:last]
	*h = list
	for i := 0; last > 0; {
		below := fanOut*i + 1
		if below >= last {
			list[i] = e
			break
		}
		least := below
		for j := below + 1; j < min(below+fanOut, last); j++ {
			if list[j].precedes(&list[least]) {
				least = j
			}
		}
		if !list[least].precedes(&e) {
			list[i] = e
			break
		}
		list[i] = list[least]
		i = least
	}
	return first
}
