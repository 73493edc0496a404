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
	groupCommGroup     = 5 // members are indices in the list of groupCommLocations
	groupCommSelf      = 6
)

// cpuThread is the type of a location that is a thread, not a device or metric.
const cpuThread = 1

// paradigmMPI is the paradigm ID of MPI, for regions and groups.
const paradigmMPI = 4

// region is the definition of a region.
type region struct {
	text string // name of the region
	name uint64 // string ID of the name
	call bool   // the region is an MPI call
}

// location is the definition of a location: a stream of events, such as those of a thread.
type location struct {
	id      uint64
	kind    byte
	events  uint64
	process uint64 // ID of its location group
}

// group is the definition of a group. See the group types for the meaning of its members.
type group struct {
	kind    byte
	mpi     bool
	members []uint64
}

// communicator is the definition of a communicator.
type communicator struct {
	group  uint64
	remote uint64 // ID of the remote group of an intercommunicator
	inter  bool
}

// definitions holds the global definitions of an archive.
type definitions struct {
	ticks         uint64 // clock ticks per second
	strings       table[string]
	regions       table[region]
	locations     []location
	groups        map[uint64]group
	communicators map[uint64]communicator
	windows       table[uint64] // communicators of RMA windows
	numbers       []uint64      // IDs of communicators, in the order of the file
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

// take stores a definition. It ignores definitions of other kinds.
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

// region stores the definition of a region.
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

// nameRegions sets the names of all regions. A region of MPI that is not a call is treated as a
// region of the program.
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

// artificial reports whether the MPI region with the given name is not a call.
func artificial(name string) bool { return name == "PARALLEL" }

// group stores the definition of a group.
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

// ranks returns the locations of the MPI ranks. path names the file in errors.
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

// threads returns, by rank, the locations of the other threads with events in the process of the
// rank. If several ranks share a process, its other threads are assigned to the first of these
// ranks.
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

// foreign reports whether a group is defined and is not a group of MPI. Measurement systems also
// define groups whose members are not ranks, such as threads, devices or all locations.
func (d *definitions) foreign(id uint64) bool {
	g, found := d.groups[id]
	return found && !g.mpi
}

// members returns the world ranks in the group of a communicator. ranks is the number of ranks.
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
