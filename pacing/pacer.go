package pacing

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"

	"fabricast/collective"
	"fabricast/collective/calls"
	"fabricast/node"
)

// Pacer paces the collectives of a run. It computes a schedule when the first rank calls a
// collective. It caches the schedule for calls with the same collective, algorithm, root and ranks,
// as long as the cache has space. It is safe for concurrent use.
type Pacer struct {
	network *Network
	hosts   []int32 // host of each rank of the world
	machine *collective.Machine
	rules   map[collective.Kind]Rule

	mutex   sync.Mutex
	members map[int32]int32             // group IDs by context
	groups  map[[sha256.Size]byte]int32 // group IDs by a hash of the group's hosts
	known   map[pattern]*Schedule
	counted map[print]*Paced // patterns included in the summary; nil for those from before a checkpoint
	kept    []pattern        // keys of the cached schedules, oldest first
	words   int              // total size of all cached schedules, in 32-bit words
	told    map[collective.Kind]*Paced
}

// pattern holds the parameters that determine a schedule.
type pattern struct {
	group int32
	collective.Start
}

// room is the maximum total size of cached schedules, in 32-bit words.
const room = 1 << 24

// Paced summarizes how the calls of one collective were paced. Gaps are in packet times.
type Paced struct {
	Kind        collective.Kind
	Patterns    int    // number of different combinations of algorithm, root and ranks
	Steps       int    // sum over all patterns; 1 for a pattern with a constant gap
	Least, Most uint32 // smallest and largest gap of any step
	Sum         uint64
	Unpaced     []string // calls that were not paced, and why, in alphabetical order
}

// NewPacer creates a Pacer for a network. hosts holds the host of each rank, and machine, which may
// be nil, what algorithms know of them. Collectives without a rule are not paced.
func NewPacer(n *Network, hosts []int32, machine *collective.Machine, rules map[collective.Kind]Rule) *Pacer {
	p := &Pacer{
		network: n, hosts: hosts, machine: machine, rules: rules,
		members: map[int32]int32{}, groups: map[[sha256.Size]byte]int32{}, known: map[pattern]*Schedule{},
		counted: map[print]*Paced{}, told: map[collective.Kind]*Paced{},
	}
	for kind := range rules {
		p.told[kind] = &Paced{Kind: kind}
	}
	return p
}

// Of returns the pacer of a world's collectives, or nil if it has none.
func Of(w *node.World) *Pacer {
	p, _ := w.Collectives().(*Pacer)
	return p
}

// Paces reports whether calls of a collective are paced. A nil Pacer paces none.
func (p *Pacer) Paces(k collective.Kind) bool {
	if p == nil {
		return false
	}
	_, paced := p.rules[k]
	return paced
}

// Schedule returns the schedule of a call on a communicator with size ranks, or nil if such calls
// are not paced. ranks lists the members by their ranks in the world; nil means the first ranks of
// the world in order. context identifies the communicator. Schedule returns an error if a message
// has no route through the network.
func (p *Pacer) Schedule(s collective.Start, context int32, size int, ranks []int32) (*Schedule, error) {
	if !p.Paces(s.Kind) {
		return nil, nil
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	key := pattern{p.group(context, size, ranks), s}
	if known := p.known[key]; known != nil {
		return known, nil
	}
	layout := p.machine.Layout(ranks, size)
	made, err := p.rules[s.Kind].Schedule(p.network, p.hostsOf(size, ranks), func(c collective.Comm) {
		calls.Start(s, collective.At(c, layout))
	})
	if err != nil {
		return nil, err
	}
	one := &Paced{Kind: s.Kind}
	one.add(made)
	p.count(p.printOf(key), one)
	p.keep(key, made)
	return made, nil
}

// group returns an ID for the list of hosts of a communicator's ranks.
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

// hostsOf returns the hosts of a communicator's ranks.
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

// keep caches a schedule, and removes the oldest ones if there is not enough space.
func (p *Pacer) keep(key pattern, s *Schedule) {
	p.words += s.words()
	for p.words > room && len(p.kept) > 0 {
		p.words -= p.known[p.kept[0]].words()
		delete(p.known, p.kept[0])
		p.kept = p.kept[1:]
	}
	p.known[key] = s
	p.kept = append(p.kept, key)
}

// words returns the size of a schedule, in 32-bit words.
func (s *Schedule) words() int {
	n := len(s.Gaps)
	for _, row := range s.Steps {
		n += len(row) + 6 // the size of a slice header
	}
	return n
}

// Unpaced records that a call of a collective with a rule cannot be paced, and the reason.
func (p *Pacer) Unpaced(k collective.Kind, why string) {
	if !p.Paces(k) {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.leave(k, why)
}

// leave is like Unpaced, but the caller must hold the mutex.
func (p *Pacer) leave(k collective.Kind, why string) {
	t := p.told[k]
	if t == nil {
		return
	}
	if i, found := slices.BinarySearch(t.Unpaced, why); !found {
		t.Unpaced = slices.Insert(t.Unpaced, i, why)
	}
}

// Told summarizes how calls have been paced, for each collective with a rule, in the order of
// collective.Kinds. The result does not depend on the order in which ranks made calls.
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

// add adds the schedule of a new pattern to the summary.
func (t *Paced) add(s *Schedule) {
	one := Paced{Patterns: 1, Steps: len(s.Gaps), Least: s.Gaps[0]}
	for _, gap := range s.Gaps {
		one.Least, one.Most = min(one.Least, gap), max(one.Most, gap)
		one.Sum += uint64(gap)
	}
	t.merge(&one)
}

// merge adds the summary of other patterns to t.
func (t *Paced) merge(other *Paced) {
	if t.Patterns == 0 {
		t.Least = other.Least
	}
	t.Patterns += other.Patterns
	t.Steps += other.Steps
	t.Least, t.Most = min(t.Least, other.Least), max(t.Most, other.Most)
	t.Sum += other.Sum
}
