package pacing

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"

	"fabricast/collective"
	"fabricast/node"
)

// Pacer paces the collectives of a run. What a call needs is found at its first rank and kept for those of the same
// collective, algorithm, root and ranks, as long as there is room. It is safe for concurrent use.
type Pacer struct {
	network *Network
	hosts   []int32 // by rank of the world
	rules   map[collective.Kind]Rule

	mutex   sync.Mutex
	members map[int32]int32             // groups by context
	groups  map[[sha256.Size]byte]int32 // groups by their hosts
	known   map[pattern]*Schedule       // nil: it has been, and is no more
	kept    []pattern                   // that are known, the oldest first
	words   int                         // of their schedules
	told    map[collective.Kind]*Paced
}

// pattern is what a schedule depends on.
type pattern struct {
	group int32
	collective.Start
}

// room is how many words of schedules are kept.
const room = 1 << 24

// Paced tells how the calls of a collective were paced.
type Paced struct {
	Kind        collective.Kind
	Patterns    int    // of different algorithms, roots or ranks
	Steps       int    // of all of them; of a constant gap, each pattern counts as one
	Least, Most uint32 // gaps of the steps
	Sum         uint64
	Unpaced     []string // what was not paced, and why, in the order of the alphabet
}

// NewPacer makes what paces collectives on a network whose ranks run on the given hosts. Collectives without a rule
// are not paced.
func NewPacer(n *Network, hosts []int32, rules map[collective.Kind]Rule) *Pacer {
	p := &Pacer{
		network: n, hosts: hosts, rules: rules,
		members: map[int32]int32{}, groups: map[[sha256.Size]byte]int32{}, known: map[pattern]*Schedule{},
		told: map[collective.Kind]*Paced{},
	}
	for kind := range rules {
		p.told[kind] = &Paced{Kind: kind}
	}
	return p
}

// Of is the pacer of a world's collectives, nil if there is none.
func Of(w *node.World) *Pacer {
	p, _ := w.Collectives().(*Pacer)
	return p
}

// Paces tells whether calls of a collective are paced. A nil Pacer paces none.
func (p *Pacer) Paces(k collective.Kind) bool {
	if p == nil {
		return false
	}
	_, paced := p.rules[k]
	return paced
}

// Schedule is that of a call on a communicator of so many ranks: those of the list by their numbers in the world, or the first of the
// world in its own order if it is nil. The communicator is told by its context. It returns nil if such calls are not paced.
// An error tells that a message finds no way through the network.
func (p *Pacer) Schedule(s collective.Start, context int32, size int, ranks []int32) (*Schedule, error) {
	if !p.Paces(s.Kind) {
		return nil, nil
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	key := pattern{p.group(context, size, ranks), s}
	known, before := p.known[key]
	if known != nil {
		return known, nil
	}
	made, err := p.rules[s.Kind].Schedule(p.network, p.hostsOf(size, ranks), s.Run)
	if err != nil {
		return nil, err
	}
	if !before {
		p.told[s.Kind].add(made)
	}
	p.keep(key, made)
	return made, nil
}

// group is the number of the hosts of a communicator's ranks.
func (p *Pacer) group(context int32, size int, ranks []int32) int32 {
	if g, known := p.members[context]; known {
		return g
	}
	list := make([]byte, 0, 4*size)
	for _, h := range p.hostsOf(size, ranks) {
		list = binary.LittleEndian.AppendUint32(list, uint32(h))
	}
	key := sha256.Sum256(list)
	g, known := p.groups[key]
	if !known {
		g = int32(len(p.groups))
		p.groups[key] = g
	}
	p.members[context] = g
	return g
}

// hostsOf are the hosts of a communicator's ranks.
func (p *Pacer) hostsOf(size int, ranks []int32) []int32 {
	if ranks == nil {
		return p.hosts[:size]
	}
	hosts := make([]int32, len(ranks))
	for i, r := range ranks {
		hosts[i] = p.hosts[r]
	}
	return hosts
}

// keep remembers a schedule, and forgets the oldest ones if there is no room for it.
func (p *Pacer) keep(key pattern, s *Schedule) {
	p.words += s.words()
	for p.words > room && len(p.kept) > 0 {
		p.words -= p.known[p.kept[0]].words()
		p.known[p.kept[0]] = nil
		p.kept = p.kept[1:]
	}
	p.known[key] = s
	p.kept = append(p.kept, key)
}

// words is how much memory a schedule takes, in words of 32 bits.
func (s *Schedule) words() int {
	n := len(s.Gaps)
	for _, row := range s.Steps {
		n += len(row) + 6 // of a slice's header
	}
	return n
}

// Unpaced notes that a call of a collective with a rule cannot be paced, and why.
func (p *Pacer) Unpaced(k collective.Kind, why string) {
	if !p.Paces(k) {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	t := p.told[k]
	if i, found := slices.BinarySearch(t.Unpaced, why); !found {
		t.Unpaced = slices.Insert(t.Unpaced, i, why)
	}
}

// Told tells how calls have been paced, for each collective with a rule, in the order of collective.Kinds. It does not depend on the
// order in which ranks called.
func (p *Pacer) Told() []Paced {
	if p == nil {
		return nil
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var list []Paced
	for _, k := range collective.Kinds() {
		if t := p.told[k]; t != nil {
			list = append(list, *t)
		}
	}
	return list
}

// add counts a pattern.
func (t *Paced) add(s *Schedule) {
	if t.Patterns == 0 {
		t.Least = s.Gaps[0]
	}
	t.Patterns++
	t.Steps += len(s.Gaps)
	for _, gap := range s.Gaps {
		t.Least, t.Most = min(t.Least, gap), max(t.Most, gap)
		t.Sum += uint64(gap)
	}
}
