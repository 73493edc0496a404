package eventqueue

import (
	"cmp"
	"math/bits"
	"slices"
)

// manySorted is the number of events from which they are sorted by digits.
const manySorted = 128

// compare returns a negative number if e comes before f, which is at the same instant.
func compare(e, f Event) int {
	if e.Order != f.Order {
		return cmp.Compare(e.Order, f.Order)
	}
	return cmp.Compare(e.ID, f.ID)
}

// sortNow sorts the events of now: at most few, or any number at one instant. Those often are sorted
// already.
func (q *Queue) sortNow() {
	list := q.now
	if len(list) <= few {
		sortFew(list)
		return
	}
	sorted, orders, ids := true, uint64(0), uint32(0) // bits in which orders and IDs differ
	for i := 1; i < len(list); i++ {
		sorted = sorted && !list[i].precedes(&list[i-1])
		orders |= list[i].Order ^ list[0].Order
		ids |= list[i].ID ^ list[0].ID
	}
	switch {
	case sorted:
	case len(list) < manySorted:
		slices.SortFunc(list, compare)
	default:
		q.sortDigits(orders, ids)
	}
}

// sortFew sorts few events (by insertion).
func sortFew(list []Event) {
	for i := 1; i < len(list); i++ {
		e, j := list[i], i
		for ; j > 0 && e.precedes(&list[j-1]); j-- {
			list[j] = list[j-1]
		}
		list[j] = e
	}
}

// sortDigits sorts the events of the current instant by those bytes of orders, or if these are equal of
// IDs, that have bits in which events differ (radix sort, least significant byte first).
func (q *Queue) sortDigits(orders uint64, ids uint32) {
	from, to := q.now, q.spare.take(len(q.now))[:len(q.now)]
	byID := orders == 0
	differ := orders
	if byID {
		differ = uint64(ids)
	}
	for differ != 0 {
		shift := bits.TrailingZeros64(differ) &^ 7
		differ &^= 0xff << shift
		scatter(to, from, byID, shift)
		from, to = to, from
	}
	q.now = from
	q.spare.give(to)
	if !byID {
		sortEqual(q.now)
	}
}

// digit returns a byte of the order, or of the ID.
func (e *Event) digit(ofID bool, shift int) uint8 {
	if ofID {
		return uint8(e.ID >> shift)
	}
	return uint8(e.Order >> shift)
}

// scatter writes the events of a list to another one in the order of a digit, those with equal digits
// as they were.
func scatter(to, from []Event, ofID bool, shift int) {
	var place [256]int
	for i := range from {
		place[from[i].digit(ofID, shift)]++
	}
	next := 0
	for d, n := range place {
		place[d], next = next, next+n
	}
	for i := range from {
		at := &place[from[i].digit(ofID, shift)]
		to[*at] = from[i]
		*at++
	}
}

// sortEqual sorts events with equal orders in a list sorted by order.
func sortEqual(list []Event) {
	for begin := 0; begin < len(list); {
		end := begin + 1
		for end < len(list) && list[end].Order == list[begin].Order {
			end++
		}
		if end-begin > 1 {
			slices.SortFunc(list[begin:end], compare)
		}
		begin = end
	}
}
