package otf2

import (
	"fmt"
	"math/bits"
	"path/filepath"
	"strconv"

	"fabricast/trace"
)

// source is an opened archive.
type source struct {
	stem      string // path of the anchor file without its extension
	def       *definitions
	locations []location         // by rank
	threads   map[int][]location // by rank: other threads of its process
	groups    [][]int32
	own       bool // the archive was written by this package
	factor    float64
	// worldTaken means that a communicator already has group 0, the world.
	worldTaken bool
	// communicators holds the groups of each communicator by communicator ID.
	communicators table[*resolved]
	// scale is the length of a clock tick in ps; 0 if that is not an integer. most is the maximum
	// time, in ticks, that can be multiplied by scale.
	scale, most uint64
}

// resolved is a communicator with its groups.
type resolved struct {
	group   int32   // index in source.groups, or trace.Self
	members []int32 // world ranks; nil: all ranks in order
	remote  []int32 // world ranks of the remote group of an intercommunicator
	inter   bool
	foreign bool  // its group is not a group of MPI; a replay ignores the communicator
	context uint8 // context of its messages, in an archive written by this package
}

// Open opens an archive. path is its anchor file or the folder that contains it.
func Open(path string) (trace.Source, error) {
	anchor, stem, err := archive(path)
	if err != nil {
		return nil, err
	}
	properties, err := checkAnchor(anchor)
	if err != nil {
		return nil, err
	}
	def, err := readDefinitions(stem + ".def")
	if err != nil {
		return nil, err
	}
	s := &source{stem: stem, def: def, factor: 1}
	if picoseconds%def.ticks == 0 {
		s.scale = picoseconds / def.ticks
		s.most = latest / s.scale
	}
	if text, own := properties[factorProperty]; own {
		s.own = true
		if f, err := strconv.ParseFloat(text, 64); err == nil && f > 0 {
			s.factor = f
		}
	}
	if s.locations, err = def.ranks(stem + ".def"); err != nil {
		return nil, err
	}
	if !s.own {
		s.threads = def.threads(s.locations)
	}
	return s, s.resolve()
}

// resolve determines the groups of all communicators.
func (s *source) resolve() error {
	s.groups = [][]int32{nil}
	for _, id := range s.def.numbers {
		c := s.def.communicators[id]
		r := resolved{inter: c.inter, group: trace.Self}
		if s.def.foreign(c.group) {
			r.foreign = true
			s.communicators.put(id, &r)
			continue
		}
		if s.def.groups[c.group].kind != groupCommSelf {
			var err error
			if r.members, err = s.def.members(c.group, len(s.locations)); err == nil && c.inter {
				r.remote, err = s.def.members(c.remote, len(s.locations))
			}
			if err != nil {
				return &trace.Error{
					File:     s.stem + ".def",
					What:     fmt.Sprintf("communicator %d", id),
					Found:    err.Error(),
					Expected: "a group of ranks",
				}
			}
			if r.group = 0; !s.own {
				r.group = s.number(&r)
			}
		}
		if s.own && !s.ofOwn(id, &r) {
			return &trace.Error{
				File:     s.stem + ".def",
				What:     "communicators",
				Found:    fmt.Sprintf("number %d", id),
				Expected: "those of an archive of Fabricast, in their order",
			}
		}
		s.communicators.put(id, &r)
	}
	return nil
}

// ofOwn sets the group index of a communicator in an archive written by this package to the index
// that it had in the recorded run. It returns false if this package cannot have written the
// communicator.
func (s *source) ofOwn(id uint64, r *resolved) bool {
	self := r.group == trace.Self
	group, context := ofComm(id)
	if self != (group == trace.Self) || r.inter || int(group) > len(s.groups) {
		return false
	}
	r.group, r.context = group, context
	if self {
		return true
	}
	if s.isWorld(r) {
		r.members = nil
	}
	if int(group) == len(s.groups) {
		s.groups = append(s.groups, nil)
	}
	s.groups[group] = r.members
	return true
}

// number returns a group index for a communicator: 0 for the first communicator of all ranks in
// order, otherwise a new index.
func (s *source) number(r *resolved) int32 {
	if !s.isWorld(r) {
		s.groups = append(s.groups, r.members)
		return int32(len(s.groups) - 1)
	}
	r.members = nil
	if !s.worldTaken {
		s.worldTaken = true
		return 0
	}
	s.groups = append(s.groups, nil)
	return int32(len(s.groups) - 1)
}

// isWorld reports whether a communicator consists of all ranks in order.
func (s *source) isWorld(r *resolved) bool {
	if r.inter || len(r.members) != len(s.locations) {
		return false
	}
	for i, m := range r.members {
		if int(m) != i {
			return false
		}
	}
	return true
}

// Format implements trace.Source.
func (s *source) Format() string { return "OTF2" }

// ComputeFactor returns the factor by which the recorded run multiplied computation times.
func (s *source) ComputeFactor() float64 { return s.factor }

// OneSided reports whether the trace may have puts or gets: whether it defines an RMA window.
func (s *source) OneSided() bool { return s.def.windows.size() > 0 }

// Ranks implements trace.Source.
func (s *source) Ranks() int { return len(s.locations) }

// Groups implements trace.Source.
func (s *source) Groups() [][]int32 { return s.groups }

// Open implements trace.Source.
func (s *source) Open(rank int) (trace.Stream, error) {
	first, err := s.open(rank, s.locations[rank])
	if err != nil {
		return nil, err // a nil *stream in the interface would not be equal to nil
	}
	if len(s.threads[rank]) == 0 {
		return first, nil
	}
	p := newProcess(first)
	for _, l := range s.threads[rank] {
		stream, err := s.open(rank, l)
		if err != nil {
			return nil, err
		}
		p.add(stream)
	}
	return p, nil
}

// open returns a stream of the events of a location of a rank.
func (s *source) open(rank int, l location) (*stream, error) {
	name := filepath.Join(s.stem, strconv.FormatUint(l.id, 10))
	local, err := readLocal(name + ".def")
	if err != nil {
		return nil, err
	}
	return &stream{
		source: s, rank: int32(rank), local: local,
		events: records{
			buffer: buffer{path: name + ".evt", chunk: trace.Chunk(len(s.locations))},
			events: true,
		},
	}, nil
}

// picoseconds is the number of ps in a second; latest is the maximum time in ps.
const (
	picoseconds = 1_000_000_000_000
	latest      = 1<<62 - 1
)

// picoseconds converts clock ticks to ps, at most latest.
func (s *source) picoseconds(ticks uint64) int64 {
	if ticks <= s.most {
		return int64(ticks * s.scale)
	}
	hi, lo := bits.Mul64(ticks, picoseconds)
	if hi >= s.def.ticks {
		return latest
	}
	q, _ := bits.Div64(hi, lo, s.def.ticks)
	return int64(min(q, latest))
}
