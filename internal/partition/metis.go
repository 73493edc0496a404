package partition

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"fabricast/internal/sharedlib"
)

// metisNames are those of METIS 5, of Debian's package libmetis5 and of others.
var metisNames = []string{"libmetis.so.5", "libmetis.so"}

// metis is the library METIS 5.
type metis struct {
	width           int // bytes of its idx_t
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

// metisOptions is METIS_NOPTIONS, the length of its array of options.
const metisOptions = 40

// metisWidth returns the bytes of idx_t, which is chosen when METIS is built.
// METIS_SetDefaultOptions sets all options to -1. Their length follows from what it has written.
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
	// mostHalved is up to how many blocks METIS halves a network again and again, which divides the
	// weight more evenly. More it makes at once.
	mostHalved = 8
)

// metisCalls makes calls follow one another: METIS draws by rand and srand of C, which the whole
// process shares.
var metisCalls sync.Mutex

// cut cuts a net. The default of METIS's options is a fixed seed.
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
	kept := sharedlib.KeepSignals() // METIS sets those of SIGABRT and SIGTERM
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
