package otf2

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"fabricast/trace"
)

// Kinds of records in the file of global definitions.
const (
	defClock         = 5
	defString        = 10
	defLocationGroup = 13
	defLocation      = 14
	defRegion        = 15
	defGroup         = 18
	defComm          = 22
	defInterComm     = 43
)

// Types of groups.
const (
	groupCommLocations = 4 // the locations that take part in MPI
	groupCommGroup     = 5 // members are indices of that list
	groupCommSelf      = 6
)

// cpuThread is the type of locations that are threads, rather than devices or metrics.
const cpuThread = 1

// paradigmMPI is the paradigm number of MPI, for regions and groups.
const paradigmMPI = 4

// region is a region of the program.
type region struct {
	text string // its name
	name uint64 // the number of that
	call bool   // it is a call of MPI
}

// location is a stream of events.
type location struct {
	id      uint64
	kind    byte
	events  uint64
	process uint64 // its location group
}

// group lists members of communicators.
type group struct {
	kind    byte
	mpi     bool
	members []uint64
}

// communicator is the definition of a communicator.
type communicator struct {
	group  uint64
	remote uint64 // the other group; of intercommunicators
	inter  bool
}

// definitions are the global ones.
type definitions struct {
	ticks         uint64 // a second
	strings       table[string]
	regions       table[region]
	locations     []location
	groups        map[uint64]group
	communicators map[uint64]communicator
	windows       table[uint64] // their communicators
	numbers       []uint64      // of communicators, in the order of the file
}

// readDefinitions reads the file of global definitions.
func readDefinitions(path string) (*definitions, error) {
	r := &records{buffer: buffer{path: path, chunk: 64 << 10}}
	d := &definitions{
		groups: map[uint64]group{}, communicators: map[uint64]communicator{},
	}
	var f fields
	for {
		kind, err := r.next(&f)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		d.take(kind, &f)
		if f.wrong {
			return nil, r.fail(
				fmt.Sprintf("definition of kind %d", kind), "a record that is too short",
				"all of its fields",
			)
		}
	}
	if d.ticks == 0 {
		return nil, r.fail("definitions", "none of the clock", "its ticks a second")
	}
	d.nameRegions()
	return d, nil
}

// take takes a definition, if it is one that matters.
func (d *definitions) take(kind byte, f *fields) {
	switch kind {
	case defClock:
		d.ticks = f.uint()
	case defString:
		id := f.uint()
		d.strings.put(id, f.text())
	case defLocation:
		l := location{id: f.uint()}
		f.uint() // name
		l.kind = f.u8()
		l.events = f.uint()
		l.process = f.uint()
		d.locations = append(d.locations, l)
	case defRegion:
		d.region(f)
	case defGroup:
		d.group(f)
	case defWindow:
		id := f.uint()
		f.uint() // name
		d.windows.put(id, f.uint())
	case defComm, defInterComm:
		id := f.uint()
		f.uint() // name
		c := communicator{group: f.uint(), inter: kind == defInterComm}
		if c.inter {
			c.remote = f.uint()
		}
		d.communicators[id] = c
		d.numbers = append(d.numbers, id)
	}
}

// region takes the definition of a region.
func (d *definitions) region(f *fields) {
	id := f.uint()
	r := region{name: f.uint()}
	f.uint() // description
	f.u8()   // type, in old versions
	for range 3 {
		f.uint() // file, first and last line
	}
	f.uint() // canonical name
	f.u8()   // role
	r.call = f.u8() == paradigmMPI
	d.regions.put(id, r)
}

// nameRegions gives regions their names. A region of MPI that is not a call counts as one of the
// program.
func (d *definitions) nameRegions() {
	name := func(r region) region {
		r.text, _ = d.strings.get(r.name)
		r.call = r.call && !artificial(r.text)
		return r
	}
	for i, r := range d.regions.first {
		d.regions.first[i] = name(r)
	}
	for i, r := range d.regions.others {
		d.regions.others[i] = name(r)
	}
}

// artificial reports whether an MPI region is not a call.
func artificial(name string) bool { return name == "PARALLEL" }

// group takes the definition of a group.
func (d *definitions) group(f *fields) {
	id := f.uint()
	f.uint() // name
	f.u8()   // type, in old versions
	n := f.uint()
	if n > uint64(f.left()) {
		f.wrong = true
		return
	}
	g := group{members: make([]uint64, n)}
	for i := range g.members {
		g.members[i] = f.uint()
	}
	g.kind = f.u8()
	g.mpi = f.u8() == paradigmMPI
	d.groups[id] = g
}

// ranks lists the locations of the ranks of MPI.
func (d *definitions) ranks(path string) ([]location, error) {
	for _, g := range d.groups {
		if g.kind != groupCommLocations || !g.mpi {
			continue
		}
		list := make([]location, len(g.members))
		for i, id := range g.members {
			k := slices.IndexFunc(d.locations, func(l location) bool { return l.id == id })
			if k < 0 {
				return nil, &trace.Error{
					File:     path,
					What:     "locations of MPI",
					Found:    fmt.Sprintf("location %d, which is not defined", id),
					Expected: "a defined one",
				}
			}
			list[i] = d.locations[k]
		}
		return list, nil
	}
	return nil, &trace.Error{
		File:     path,
		What:     "locations of MPI",
		Found:    "none",
		Expected: "a group of the locations that take part in MPI",
	}
}

// threads lists, by rank, the other threads of its process that have events. If ranks share a process
// its threads are the first one's.
func (d *definitions) threads(ranks []location) map[int][]location {
	if len(d.locations) == len(ranks) {
		return nil
	}
	isRank, rankOf := map[uint64]bool{}, map[uint64]int{}
	for i, l := range ranks {
		isRank[l.id] = true
		if _, known := rankOf[l.process]; !known {
			rankOf[l.process] = i
		}
	}
	list := map[int][]location{}
	for _, l := range d.locations {
		if rank, known := rankOf[l.process]; known && l.kind == cpuThread && !isRank[l.id] && l.events > 0 {
			list[rank] = append(list[rank], l)
		}
	}
	return list
}

// foreign reports whether a group is defined and not MPI's. Measurement systems define groups of
// threads, of devices, and of all their locations, whose members are not ranks.
func (d *definitions) foreign(id uint64) bool {
	g, found := d.groups[id]
	return found && !g.mpi
}

// members lists the ranks of a communicator's group in the world.
func (d *definitions) members(id uint64, ranks int) ([]int32, error) {
	g, found := d.groups[id]
	if !found {
		return nil, errors.New("a group that is not defined")
	}
	list := make([]int32, len(g.members))
	for i, m := range g.members {
		if m >= uint64(ranks) {
			return nil, fmt.Errorf("a group with rank %d of %d", m, ranks)
		}
		list[i] = int32(m)
	}
	return list, nil
}
