package splits

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"fabricast/collective"
	"fabricast/node"
)

// Apart does what Table.Split does for ranks that may be in several processes. It sends the same
// messages, but here they contain the values. found is called at rank 0. It creates a communicator
// from the ranks of its members in c, in their new order, and returns a nonnegative number by which
// all processes know it. Apart returns the number of the caller's new communicator and the caller's
// rank there, or -1 and -1 if it is in none. It panics if order does not fit in 32 bits.
func Apart(c collective.Comm, color, order, tag int, found func(members []int32) int32) (number, rank int32) {
	if int(int32(order)) != order || color > math.MaxInt32 {
		panic(fmt.Errorf(
			"split with color %d and key %d: a run of several processes, or with checkpoints, needs numbers "+
				"of 32 bits",
			color, order,
		))
	}
	n, me := c.Size(), c.Rank()
	first := lowestBit(n, me)
	own := min(first, n-me)
	table := make([]splitEntry, own) // entries of the caller's subtree: of the caller and the ranks after it
	table[0] = splitEntry{int32(max(color, -1)), int32(order)}
	for bit := 1; bit < first && bit < own; bit <<= 1 {
		part := make([]byte, splitBytes*min(bit, own-bit))
		c.Recv(node.Data(part), me+bit, tag)
		read(table[bit:], part)
	}
	if me == 0 {
		table = arranged(table, found)
	} else {
		part := written(table)
		c.Send(node.Data(part), me-first, tag)
		c.Recv(node.Data(part), me-first, tag)
		read(table, part)
	}
	for bit := first >> 1; bit > 0; bit >>= 1 {
		if bit < own {
			c.Send(node.Data(written(table[bit:min(2*bit, own)])), me+bit, tag)
		}
	}
	return table[0].a, table[0].b
}

// splitEntry is the data about one rank in the messages of a split: color and order on the way up
// the tree, number of the communicator and rank on the way down.
type splitEntry struct{ a, b int32 }

// lowestBit returns the lowest set bit of the number of rank me. For rank 0 it returns the smallest
// power of two that is not below the number of ranks n.
func lowestBit(n, me int) int {
	bit := 1
	for bit < n && me&bit == 0 {
		bit <<= 1
	}
	return bit
}

func written(table []splitEntry) []byte {
	data := make([]byte, 0, splitBytes*len(table))
	for _, e := range table {
		data = binary.LittleEndian.AppendUint32(data, uint32(e.a))
		data = binary.LittleEndian.AppendUint32(data, uint32(e.b))
	}
	return data
}

func read(table []splitEntry, data []byte) {
	for i := range len(data) / splitBytes {
		table[i].a = int32(binary.LittleEndian.Uint32(data[i*splitBytes:]))
		table[i].b = int32(binary.LittleEndian.Uint32(data[i*splitBytes+4:]))
	}
}

// arranged creates the new communicators. It returns the number of each rank's communicator and the
// rank there.
func arranged(table []splitEntry, found func(members []int32) int32) []splitEntry {
	members := make([]int32, 0, len(table))
	places := make([]splitEntry, len(table))
	for r, e := range table {
		places[r] = splitEntry{-1, -1}
		if e.a >= 0 {
			members = append(members, int32(r))
		}
	}
	slices.SortFunc(members, func(x, y int32) int {
		a, b := table[x], table[y]
		return cmp.Or(cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b), cmp.Compare(x, y))
	})
	for len(members) > 0 {
		end := 1
		for end < len(members) && table[members[end]].a == table[members[0]].a {
			end++
		}
		number := found(members[:end])
		for i, m := range members[:end] {
			places[m] = splitEntry{number, int32(i)}
		}
		members = members[end:]
	}
	return places
}
