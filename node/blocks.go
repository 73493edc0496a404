package node

import (
	"slices"
	"sync/atomic"
)

// blockList is the blocks of a world that this process has. Any goroutine may read it.
type blockList struct{ list atomic.Pointer[[]*Block] }

func (l *blockList) all() []*Block {
	if list := l.list.Load(); list != nil {
		return *list
	}
	return nil
}

// add and remove are called by one goroutine at a time.
func (l *blockList) add(b *Block) {
	list := append(slices.Clone(l.all()), b)
	l.list.Store(&list)
}

func (l *blockList) remove(b *Block) {
	list := slices.DeleteFunc(slices.Clone(l.all()), func(other *Block) bool { return other == b })
	l.list.Store(&list)
}
