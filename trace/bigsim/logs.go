package bigsim

import (
	"fmt"

	"fabricast/trace"
)

// logs reads the execution blocks of a PE.
type logs struct {
	trace.Window
	graph  *graph
	order  cursor // holds only the byte order
	block  block
	left   int32 // number of execution blocks not yet read
	end    int64 // offset at which the last execution block must end
	damage error // error found before the first execution block
}

// logs opens the log of PE rank. Nodes are distributed round-robin over the files; all PEs of a
// node are in the same file.
func (g *graph) logs(rank int) (*logs, error) {
	node := rank / g.threads
	l := &logs{
		graph:  g,
		Window: trace.Window{Path: fmt.Sprintf("%s%d", g.stem, node%g.files), Chunk: trace.Chunk(g.ranks)},
	}
	c, err := open(&l.Window, "logs", machineSize+4)
	if err != nil {
		if _, damage := err.(*trace.Error); damage {
			l.damage, err = err, nil
		}
		return l, err
	}
	l.order.order = c.order
	count, place := int64(c.i32()), int64(node/g.files*g.threads+rank%g.threads)
	size, err := l.Size()
	if err != nil {
		return nil, err
	}
	nodes := g.ranks / g.threads
	if want := int64((nodes-node%g.files+g.files-1)/g.files) * int64(g.threads); count != want {
		l.damage = l.fail(
			machineSize, "logs", fmt.Sprintf("those of %d processing elements", count),
			fmt.Sprint(want),
		)
		return l, nil
	}
	if machineSize+4+8*count > size {
		l.damage = l.fail(
			machineSize, "logs", fmt.Sprintf("those of %d processing elements", count),
			fmt.Sprintf("as many as %d bytes can hold", size),
		)
		return l, nil
	}
	return l, l.begin(place, count, size)
}

// begin moves to the first execution block of a PE. place is the index of the PE among the count
// PEs in the file, and size is the size of the file in bytes.
func (l *logs) begin(place, count, size int64) error {
	at := machineSize + 4 + 4*place
	l.Goto(at)
	b, err := l.Peek(8)
	if err != nil {
		return err
	}
	c := cursor{order: l.order.order, data: b}
	start := int64(c.i32())
	l.end = size
	if place+1 < count {
		l.end = int64(c.i32())
	}
	if start < machineSize+4+4*count || start+4 > l.end || l.end > size {
		l.damage = l.fail(
			at, "place of the logs", fmt.Sprintf("%d to %d", start, l.end),
			fmt.Sprintf("places up to %d, the size of the file", size),
		)
		return nil
	}
	l.Goto(start)
	if b, err = l.Peek(4); err != nil {
		return err
	}
	c = cursor{order: l.order.order, data: b}
	const least = 100 // minimum size of an execution block, in bytes
	if l.left = c.i32(); l.left < 0 || int64(l.left)*least > l.end-start {
		l.damage = l.fail(
			start, "logs", fmt.Sprintf("%d blocks", l.left),
			fmt.Sprintf("as many as %d bytes can hold", l.end-start),
		)
	}
	l.Skip(4)
	return nil
}

// fail returns an error at an offset in the file.
func (l *logs) fail(at int64, what, found, expected string) error {
	return &trace.Error{File: l.Path, Offset: at, What: what, Found: found, Expected: expected}
}

// next reads the next execution block into l.block.
func (l *logs) next() error {
	at := l.Offset()
	const usual = 512
	for want := usual; ; {
		data, err := l.Peek(want)
		if err != nil {
			return err
		}
		whole := int64(len(data)) >= l.end-at // data contains the rest of the PE's log
		if whole {
			data = data[:l.end-at]
		}
		c := cursor{order: l.order.order, data: data}
		c.read(&l.block, l.graph.version)
		if !c.short {
			l.Skip(c.at)
			l.left--
			return nil
		}
		if whole || len(data) < want || int64(c.need) > l.end-at {
			return l.fail(at, "block", fmt.Sprintf("the end of the logs %d bytes on", l.end-at), "more")
		}
		want = max(2*want, c.need)
	}
}
