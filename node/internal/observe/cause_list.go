package observe

import (
	"unsafe"

	"fabricast/internal/prefetch"
	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
)

// causeList holds causes by index. It grows by chunks, because to let one long list grow takes copies.
type causeList []*[core.Chunk]Cause

// set stores a cause at an index.
func (l *causeList) set(i uint32, c *Cause) {
	for int(i/core.Chunk) >= len(*l) {
		*l = append(*l, new([core.Chunk]Cause))
	}
	(*l)[i/core.Chunk][i%core.Chunk] = *c
}

// at returns the cause at an index; nil if none has been stored there or further on.
func (l causeList) at(i uint32) *Cause {
	if int(i/core.Chunk) >= len(l) {
		return nil
	}
	return &l[i/core.Chunk][i%core.Chunk]
}

// get is like at, with a cause of no kind in place of nil.
func (l causeList) get(i uint32) Cause {
	if c := l.at(i); c != nil {
		return *c
	}
	return Cause{Peer: -1}
}

// load prefetches the cause at an index.
func (l causeList) load(i uint32) {
	if c := l.at(i); c != nil {
		from := uintptr(unsafe.Pointer(c))
		prefetch.Two(from, from+unsafe.Sizeof(*c)-1)
	}
}

// state saves or restores the causes.
func (l *causeList) state(v *snapshot.Visitor) {
	chunks := v.Length(len(*l))
	*l = (*l)[:min(len(*l), chunks)]
	for len(*l) < chunks {
		*l = append(*l, new([core.Chunk]Cause))
	}
	for _, c := range *l {
		snapshot.Values(v, c[:])
	}
}
