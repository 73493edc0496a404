package partition

import (
	"fmt"
	"runtime"
	"sync"

	"fabricast/internal/sharedlib"
)

// scotchNames are the file names of Scotch 7 and 6 in Debian's packages libscotch-7.0 and
// libscotch-6.1 and in other distributions. Each is preceded by the library that prints its errors.
var scotchNames = [][2]string{
	{"libscotcherr-7.0.so", "libscotch-7.0.so"},
	{"libscotcherr.so.7.0", "libscotch.so.7.0"},
	{"libscotcherr.so.7", "libscotch.so.7"},
	{"libscotcherr-6.1.so", "libscotch-6.1.so"},
	{"libscotcherr.so", "libscotch.so"},
}

// scotch is the library Scotch.
type scotch struct {
	width                                     int // size of its SCOTCH_Num in bytes
	graphAlloc, graphInit, graphExit, memFree uintptr
	build, part, randomReset                  uintptr
	stratAlloc, stratInit, stratExit          uintptr
	// functions of Scotch 7 that make calls deterministic; 0 in older versions
	contextAlloc, contextInit, contextExit, contextOption, contextSpawn, contextBind uintptr
}

// loadScotch loads the library, once.
var loadScotch = sync.OnceValues(func() (*scotch, error) {
	lib, err := openScotch()
	if err != nil {
		return nil, fmt.Errorf("the library Scotch cannot be loaded (Debian: libscotch-7.0): %w", err)
	}
	s, size := &scotch{}, uintptr(0)
	err = lib.Find(map[string]*uintptr{
		"SCOTCH_graphAlloc": &s.graphAlloc, "SCOTCH_graphInit": &s.graphInit, "SCOTCH_graphExit": &s.graphExit,
		"SCOTCH_memFree": &s.memFree, "SCOTCH_graphBuild": &s.build, "SCOTCH_graphPart": &s.part,
		"SCOTCH_randomReset": &s.randomReset, "SCOTCH_stratAlloc": &s.stratAlloc,
		"SCOTCH_stratInit": &s.stratInit, "SCOTCH_stratExit": &s.stratExit, "SCOTCH_numSizeof": &size,
	})
	if err != nil {
		return nil, err
	}
	if lib.Has("SCOTCH_contextAlloc") {
		err = lib.Find(map[string]*uintptr{
			"SCOTCH_contextAlloc": &s.contextAlloc, "SCOTCH_contextInit": &s.contextInit,
			"SCOTCH_contextExit": &s.contextExit, "SCOTCH_contextOptionSetNum": &s.contextOption,
			"SCOTCH_contextThreadSpawn": &s.contextSpawn, "SCOTCH_contextBindGraph": &s.contextBind,
		})
	}
	s.width = int(int32(sharedlib.Call(size)))
	if err == nil && s.width != 4 && s.width != 8 {
		err = fmt.Errorf("the library Scotch has integers of %d bytes, expected 4 or 8", s.width)
	}
	return s, err
})

// openScotch loads the first pair of libraries that is installed. Scotch calls functions of the
// other library in the pair to print errors.
func openScotch() (*sharedlib.Library, error) {
	var first error
	for _, pair := range scotchNames {
		_, err := sharedlib.Open(true, pair[0])
		if err == nil {
			var lib *sharedlib.Library
			if lib, err = sharedlib.Open(false, pair[1]); err == nil {
				return lib, nil
			}
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// scotchCalls serializes calls, because they share a random number generator.
var scotchCalls sync.Mutex

// cut partitions a graph by Scotch's default strategy, which permits an imbalance of 1 %.
func (s *scotch) cut(n *net, blocks int) (list []int32) {
	f := foreignOf(n, s.width, blocks)
	if f == nil {
		return nil
	}
	scotchCalls.Lock()
	defer scotchCalls.Unlock()
	sharedlib.Call(s.randomReset)
	graph, strategy := s.made(s.graphAlloc, s.graphInit), s.made(s.stratAlloc, s.stratInit)
	defer s.freed(graph, s.graphExit)
	defer s.freed(strategy, s.stratExit)
	failed := sharedlib.Call(
		s.build, graph, 0, uintptr(f.nodes), at(f.first), 0, at(f.weights), 0, uintptr(f.edges),
		at(f.peers), at(f.links),
	)
	if int32(failed) != 0 {
		return nil
	}
	parts := f.array(f.nodes)
	s.bound(graph, func(graph uintptr) {
		if int32(sharedlib.Call(s.part, graph, uintptr(blocks), strategy, at(parts))) == 0 {
			list = f.blocks(parts, blocks)
		}
	})
	runtime.KeepAlive(f)
	return list
}

// made creates a Scotch object with the functions alloc and begin.
func (s *scotch) made(alloc, begin uintptr) uintptr {
	object := sharedlib.Call(alloc)
	sharedlib.Call(begin, object)
	return object
}

// freed destroys a Scotch object with the function end.
func (s *scotch) freed(object, end uintptr) {
	sharedlib.Call(end, object)
	sharedlib.Call(s.memFree, object)
}

// Options of Scotch contexts: SCOTCH_OPTIONNUMDETERMINISTIC and SCOTCH_OPTIONNUMRANDOMFIXEDSEED.
const scotchDeterministic, scotchFixedSeed = 0, 1

// bound calls do with a view of the graph that Scotch processes in one thread and with a fixed
// seed.
func (s *scotch) bound(graph uintptr, do func(graph uintptr)) {
	if s.contextAlloc == 0 {
		do(graph)
		return
	}
	context, same := s.made(s.contextAlloc, s.contextInit), s.made(s.graphAlloc, s.graphInit)
	defer s.freed(context, s.contextExit)
	defer s.freed(same, s.graphExit)
	sharedlib.Call(s.contextOption, context, scotchDeterministic, 1)
	sharedlib.Call(s.contextOption, context, scotchFixedSeed, 1)
	sharedlib.Call(s.contextSpawn, context, 1, 0)
	if int32(sharedlib.Call(s.contextBind, context, graph, same)) == 0 {
		do(same)
	}
}
