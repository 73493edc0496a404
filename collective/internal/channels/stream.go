package channels

import (
	"fabricast/collective"
	"fabricast/node"
)

// Stream says how the segments of a program pass the switches of a tree. All ranks of the tree have the
// same program but for what they give and take.
type Stream struct {
	tree    treeOf
	window  int // segments under way
	segment int // size of one in bytes
}

// stream returns a program whose steps pass the switches of a tree.
func (s *Setting) stream(channel, phase int, t treeOf, acc node.Buf, elem, n int, step func(i int) Step) Program {
	return Program{
		Channel: channel, Phase: phase, Acc: acc, Steps: n, Step: step,
		Stream: &Stream{tree: t, window: t.window(s.channels), segment: max(t.Payload/elem*elem, elem)},
	}
}

// flow is a stream that is carried out.
type flow struct {
	step, at int // what is issued next: a step, and the bytes of it that are
	number   int // of the next segment
	flying   []flight
}

// flight is a segment under way.
type flight struct {
	collect, contribute node.Request
	ends                int // steps that are complete with it
}

// issue starts the next segment of a stream, which is one of step m.
func (f *flow) issue(c collective.Contributor, p *Program, m *Step, op *collective.Op, tag int) {
	n := min(p.Stream.segment, m.N-f.at)
	lane := p.Channel % p.Stream.tree.Lanes
	s := collective.Segment{
		Code: p.Stream.tree.Code + lane, Lane: lane, Number: f.number, Member: p.Stream.tree.member, Wanted: m.Takes,
	}
	var give, take node.Buf
	if m.Gives {
		if give = p.Acc.Slice(m.At+f.at, n); give.HasData() {
			s.Op = op
		}
	}
	if m.Takes {
		take = p.Acc.Slice(m.At+f.at, n)
	}
	x := flight{collect: c.Collect(take, s, tag)}
	x.contribute = c.Contribute(give, s, tag)
	f.number++
	if f.at += n; f.at == m.N {
		f.step, f.at, x.ends = f.step+1, 0, 1
	}
	f.flying = append(f.flying, x)
}

// skip passes over steps without data, which are complete with the segment before, and returns how many
// are complete at once.
func (f *flow) skip(p *Program) (now int) {
	for f.step < p.Steps && p.Step(f.step).N == 0 {
		f.step++
		if last := len(f.flying) - 1; last >= 0 {
			f.flying[last].ends++
		} else {
			now++
		}
	}
	return now
}

// through carries out a stream at a rank without threads.
func (s *Setting) through(c collective.Contributor, p *Program, op *collective.Op, tag int) {
	var f flow
	for {
		f.skip(p)
		for f.step < p.Steps && len(f.flying) < p.Stream.window {
			m := p.Step(f.step)
			f.issue(c, p, &m, op, tag)
			f.skip(p)
		}
		if len(f.flying) == 0 {
			return
		}
		c.WaitAll([]node.Request{f.flying[0].collect, f.flying[0].contribute})
		f.flying = f.flying[1:]
	}
}

// streamTag returns the tag of a stream of a rank with threads.
func (x *executor) streamTag(p *Program) int {
	if p.Phase > 0 {
		return collective.FlagTag(x.tag, p.Channel)
	}
	return collective.ChannelTag(x.tag, p.Channel)
}

// pump starts all segments of a stream that need not wait. Those that the rank gives leave at the rate of a
// channel.
func (x *executor) pump(i int) {
	t := &x.threads[i]
	c := x.c.(collective.Contributor)
	for !t.paused {
		x.complete(i, t.flow.skip(t.Program))
		if t.flow.step >= t.Steps || len(t.flow.flying) >= t.Stream.window {
			return
		}
		m := t.Step(t.flow.step)
		if x.parks(i, m.After) {
			return
		}
		now := x.c.Clock()
		if t.free > now {
			t.paused = true
			x.add(x.c.Timer(t.free-now), owner{thread: int32(i), purpose: pauses})
			return
		}
		before := t.flow.at
		t.flow.issue(c, t.Program, &m, x.op, x.streamTag(t.Program))
		if m.Gives {
			n := min(t.Stream.segment, m.N-before)
			t.free = now + int64(n)*1000000/x.rate
			x.ends = max(x.ends, t.free)
		}
		if len(t.flow.flying) == 1 {
			x.collect(i)
		}
	}
}

// collect waits for the oldest segment of a stream.
func (x *executor) collect(i int) {
	x.add(x.threads[i].flow.flying[0].collect, owner{thread: int32(i), purpose: collects})
}

// collected goes on with a stream whose oldest segment has come.
func (x *executor) collected(i int) {
	t := &x.threads[i]
	first := t.flow.flying[0]
	t.flow.flying = t.flow.flying[1:]
	x.c.WaitAll([]node.Request{first.contribute})
	if len(t.flow.flying) > 0 {
		x.collect(i)
	}
	x.complete(i, first.ends)
	x.pump(i)
}
