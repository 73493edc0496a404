package partition

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"fabricast/internal/sharedlib"
)

// metisNames are the file names of the library METIS 5, in Debian's package libmetis5 and
// elsewhere.
var metisNames = []string{"libmetis.so.5", "libmetis.so"}

// metis is the library METIS 5.
type metis struct {
	width           int // size of its idx_t in bytes
	recursive, kway uintptr
}

// loadMetis loads the library, once.
var loadMetis = sync.OnceValues(func() (*metis, error) {
	lib, err := sharedlib.Open(false, metisNames...)
	if err != nil {
		return nil, fmt.Errorf("the library METIS cannot be loaded (Debian: libmetis5): %w", err)
	}
	m, options := &metis{}, uintptr(0)
	err = lib.Find(map[string]*uintptr{
		"METIS_PartGraphRecursive": &m.recursive, "METIS_PartGraphKway": &m.kway,
		"METIS_SetDefaultOptions": &options,
	})
	if err == nil {
		m.width, err = metisWidth(options)
	}
	return m, err
})

// metisOptions is METIS_NOPTIONS, the length of METIS's array of options.
const metisOptions = 40

// metisWidth returns the size in bytes of idx_t, which depends on how METIS was built.
// METIS_SetDefaultOptions sets all options to -1, so the number of bytes that it writes reveals the
// size.
func metisWidth(setDefaults uintptr) (int, error) {
	options := make([]byte, 4*8*metisOptions)
	sharedlib.Call(setDefaults, at(options))
	written := 0
	for written < len(options) && options[written] == 0xff {
		written++
	}
	runtime.KeepAlive(options)
	if width := written / metisOptions; width*metisOptions == written && (width == 4 || width == 8) {
		return width, nil
	}
	return 0, errors.New("the library METIS has integers of an unknown width")
}

const (
	metisOK = 1 // METIS_OK
	// mostHalved is the maximum number of blocks for which METIS bisects the network recursively,
	// which balances the weight better. For more blocks METIS divides the network directly.
	mostHalved = 8
)

// metisCalls serializes calls: METIS uses C's rand and srand, whose state is global to the process.
var metisCalls sync.Mutex

// cut partitions a graph. METIS's default options include a fixed random seed.
func (m *metis) cut(n *net, blocks int) []int32 {
	f := foreignOf(n, m.width, blocks)
	if f == nil {
		return nil
	}
	function := m.kway
	if blocks <= mostHalved {
		function = m.recursive
	}
	nodes, constraints, parts := f.number(f.nodes), f.number(1), f.number(blocks)
	cut, list := f.array(1), f.array(f.nodes)
	metisCalls.Lock()
	defer metisCalls.Unlock()
	kept := sharedlib.KeepSignals() // METIS sets handlers for SIGABRT and SIGTERM
	result := sharedlib.Call(
		function, at(nodes), at(constraints), at(f.first), at(f.peers), at(f.weights), 0, at(f.links),
		at(parts), 0, 0, 0, at(cut), at(list),
	)
	kept.Restore()
	runtime.KeepAlive([]any{f, nodes, constraints, parts, cut})
	if int32(result) != metisOK {
		return nil
	}
	return f.blocks(list, blocks)
}
