package innetwork

import (
	"fmt"
	"slices"

	"fabricast/collective"
	"fabricast/fabric"
	"fabricast/node"
)

// Contents are the messages' contents of a program. node.World implements it.
type Contents interface {
	SwitchContents(handle uint32) (data []byte, combination int64)
	DropContents(handle uint32)
	PutContents(number int32, data []byte, combination int64) uint32
	Apply(combination int64, memory, data []byte)
}

// Agent carries out a forest in a run. Any number of blocks may use it.
type Agent struct {
	forest   *Forest
	contents []Contents // by program
}

// NewAgent returns the agent of a run.
func NewAgent(f *Forest) *Agent { return &Agent{forest: f, contents: make([]Contents, len(f.jobs))} }

// Uses sets the contents of a program's messages. It must be called before the run.
func (a *Agent) Uses(program int, c Contents) { a.contents[program] = c }

// Door returns the agent as a door of a network. Its port has the rate of link class link.
func (a *Agent) Door(link uint16) *fabric.Agent {
	return &fabric.Agent{
		Name: "in-network", Routers: a.forest.Routers(), Link: link, State: a.forest.words,
		Takes:  func(p *fabric.Passing) bool { return !p.Control && node.Switched(p.Message) },
		Arrive: a.arrive,
	}
}

// visit is the arrival of a packet at a router of its tree.
type visit struct {
	*Agent
	taken    *fabric.Taken
	m        fabric.Message // the packet's message
	node     *Node
	contents Contents
}

func (a *Agent) arrive(p *fabric.Taken) {
	p.Fate = fabric.Consumed
	v := visit{Agent: a, taken: p, m: *p.Message}
	program := a.forest.jobOf[int(v.m.Src)/a.forest.Graph.NICsPerHost]
	code := collective.TreeCode(v.m.Tag)
	tree := a.forest.jobs[program].treeOf[code][v.m.SrcRank]
	v.node, v.contents = a.forest.Trees[tree].at(p.Router), a.contents[program]
	number, wanted := collective.SegmentOf(v.m.Order)
	s := v.node.find(p.State, a.forest.Slots, key(v.m.Context, v.m.Tag), number)
	switch {
	case s == nil:
		panic(&fabric.LimitError{Reason: fmt.Sprintf(
			"a switch has %d segments of a tree under way, expected at most network.in_network.slots: %d "+
				"(at most slots / window collectives at once)", a.forest.Slots+1, a.forest.Slots,
		)})
	case int32(p.InPort) == v.node.Parent:
		v.down(s, v.m.Payload, int64(a.forest.Copy))
	default:
		v.take(s, v.child(a.forest.jobs[program].child[code]), wanted)
	}
}

// child returns the index of the child that has sent the packet. mine has that of each rank.
func (v *visit) child(mine []int32) int {
	if c := int(mine[v.m.SrcRank]); c < len(v.node.Below) && v.node.Below[c].Rank == v.m.SrcRank {
		return c
	}
	return slices.IndexFunc(v.node.Below, func(c Child) bool { return c.Rank < 0 && c.Port == int32(v.taken.InPort) })
}

// take adds a child's operand to a slot, and sends the result up or down if it is the last one.
func (v *visit) take(s slot, child int, wanted bool) {
	kept := v.m.Payload
	if wanted {
		kept |= want
	}
	s.setChild(child, kept)
	s[slotNumber] += 1 << 16
	s[slotSize] = max(s[slotSize], uint64(v.m.Size))
	s[slotFrom], s[slotSent] = uint64(uint32(v.m.Src))<<32|uint64(uint32(v.m.SrcRank)), uint64(v.m.Sent)
	if s.arrived() < len(v.node.Below) {
		return
	}
	result, wanted := v.combine(s)
	v.m.Size = int64(s[slotSize])
	if v.node.Parent < 0 {
		v.down(s, result, int64(v.forest.Latency))
		return
	}
	m := v.message(s, v.m.Size, result)
	m.Dst, m.Order = m.Src, (&collective.Segment{Number: int(uint16(s[slotNumber])), Wanted: wanted}).Mark()
	v.send(m, v.node.Parent, int64(v.forest.Latency))
}

// combine combines the contents of all children in their order, and returns the handle of the result, 0
// if none has any. It reports whether a child wants the result.
func (v *visit) combine(s slot) (result uint32, wanted bool) {
	var sum []byte
	var by int64
	for i := range v.node.Below {
		c := s.child(i)
		wanted = wanted || c&want != 0
		handle := c &^ want
		s.setChild(i, c&want)
		if handle == 0 {
			continue
		}
		data, combination := v.contents.SwitchContents(handle)
		if sum == nil {
			sum, by = slices.Clone(data), combination
		} else {
			v.contents.Apply(by, sum, slices.Clone(data))
		}
		v.contents.DropContents(handle)
	}
	if sum == nil {
		return 0, wanted
	}
	return v.contents.PutContents(v.taken.Router, sum, by), wanted
}

// down sends a result to the children that want it, and a packet without contents to the others.
func (v *visit) down(s slot, result uint32, after int64) {
	var data []byte
	if result != 0 {
		data, _ = v.contents.SwitchContents(result)
	}
	for i := range v.node.Below {
		c := &v.node.Below[i]
		size, handle := int64(0), uint32(0)
		if s.child(i)&want != 0 {
			if size = v.m.Size; len(data) > 0 {
				handle = v.contents.PutContents(v.taken.Router, data, 0)
			}
		}
		m := v.message(s, size, handle)
		m.Dst, m.Order = m.Src, uint16(s[slotNumber])
		if c.Rank >= 0 {
			m.Dst, m.SrcRank = c.NIC, c.Member
		}
		v.send(m, c.Port, after)
	}
	if result != 0 {
		v.contents.DropContents(result)
	}
	s.free()
}

// message returns a message of the segment in a slot, in the name of the rank whose operand came last.
func (v *visit) message(s slot, size int64, handle uint32) fabric.Message {
	m := fabric.Message{
		Src: int32(s[slotFrom] >> 32), SrcRank: int32(uint32(s[slotFrom])), Context: v.m.Context, Tag: v.m.Tag,
		Size: size, Sent: int64(s[slotSent]), Payload: handle, Class: v.m.Class,
	}
	node.SwitchedMark(&m)
	return m
}

// send posts a message through a port.
func (v *visit) send(m fabric.Message, port int32, after int64) {
	v.taken.Posts = append(v.taken.Posts, fabric.Post{Message: m, Port: port, After: after})
}
